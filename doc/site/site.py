#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""site.py SOURCES FOLDER VERSION: writes the documents as HTML pages into
FOLDER. The file "contents" beside this script lists them."""
import html
import os
import re
import shutil
import sys

import site_man
import site_markdown
import site_options

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} - Weft {version}</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<header><a href="index.html">Weft {version}</a></header>
<details class="menu"><summary>Contents</summary>{menu}</details>
<div class="columns">
<nav class="side">{menu}</nav>
<main>
{body}
</main>
</div>
</body>
</html>
"""


class Entry:
    """A page of the site: source file, address, and what it is about."""

    def __init__(self, source, title, about):
        self.source = source
        self.title = title
        self.about = about
        self.made = source == "options"
        self.man = bool(re.search(r"\.[1-9]$", source))
        name = os.path.basename(source).lower()
        self.address = re.sub(r"\.md$", "", name) + ".html"


class Site:
    """All pages, and the files beside them to which they link."""

    def __init__(self, sources, folder, version):
        self.sources, self.folder, self.version = sources, folder, version
        self.sections = []
        self.by_source = {}
        self.aliases = {}
        self.copies = set()
        self._read_contents()
        self._read_aliases()

    def _read_aliases(self):
        """Manual pages that consist of the name of another page."""
        for name in os.listdir(os.path.join(self.sources, "doc")):
            if re.search(r"\.[1-9]$", name):
                match = re.match(r"\.so man\d/(\S+)",
                                 self.read("doc/" + name))
                if match:
                    to = self.by_source["doc/" + match.group(1)]
                    self.aliases["doc/" + name] = to

    def _read_contents(self):
        with open(os.path.join(HERE, "contents"), encoding="utf-8") as f:
            lines = [s.rstrip("\n") for s in f]
        for line in lines:
            if line.startswith("= "):
                self.sections.append((line[2:], []))
            elif line and not line.startswith("#"):
                entry = Entry(*line.split(" | "))
                self.sections[-1][1].append(entry)
                self.by_source[entry.source] = entry

    def read(self, path):
        """Text of a file of the sources."""
        with open(os.path.join(self.sources, path), encoding="utf-8") as f:
            return f.read()

    # ---- links ---------------------------------------------------------

    def resolve(self, entry, target):
        """Address of a link in the page of this entry."""
        if re.match(r"https?:", target) or target.startswith("#"):
            return target
        path, mark, anchor = target.partition("#")
        base = os.path.dirname(entry.source)
        path = os.path.normpath(os.path.join(base, path))
        if path in self.by_source:
            return self.by_source[path].address + mark + anchor
        if not os.path.isfile(os.path.join(self.sources, path)):
            raise ValueError("%s: link to %s, which does not exist" %
                             (entry.source, target))
        self.copies.add(path)
        return "files/" + path

    def mention(self, entry):
        """Function that links names of documents in escaped text."""
        def link(match):
            text = match.group(0)
            name = re.sub(r"<[^>]*>", "", text)
            manual = re.match(r"([\w-]+)\s?\((\d)\)", name)
            source = "doc/%s.%s" % manual.groups() if manual else name
            to = self.by_source.get(source) or self.aliases.get(source)
            if to is None or to is entry:
                return text
            return '<a href="%s">%s</a>' % (to.address, text)

        def apply(text):
            text = re.sub(r"(?<![\w/])(?:doc/[\w-]+\.md|[A-Z]{5,}\.md)\b",
                          link, text)
            return re.sub(r"(?:<[bi]>)?[a-z][\w-]+(?:</[bi]>)?\s?\([17]\)",
                          link, text)
        return apply

    # ---- pages ---------------------------------------------------------

    def menu(self, current):
        """Links to all pages, by section."""
        out = []
        for title, entries in self.sections:
            items = "".join('<li><a %shref="%s">%s</a></li>' % (
                'aria-current="page" ' if e is current else "", e.address,
                html.escape(e.title)) for e in entries)
            out.append("<h2>%s</h2><ul>%s</ul>" % (title, items))
        return "".join(out)

    def write(self, address, title, body, current=None, headings=()):
        """One HTML file."""
        if len(headings) > 2:
            toc = '</h1>\n<ul class="toc">%s</ul>' % "".join(
                '<li><a href="#%s">%s</a></li>' % (n, html.escape(t))
                for n, t in headings)
            body = body.replace("</h1>", toc, 1)
        with open(os.path.join(self.folder, address), "w",
                  encoding="utf-8") as f:
            f.write(PAGE.format(title=html.escape(title), body=body,
                                version=self.version,
                                menu=self.menu(current)))

    def document(self, entry):
        """Page of one source."""
        mention = self.mention(entry)
        if entry.man:
            page = site_man.Man(self.read(entry.source), mention,
                                entry.source)
        else:
            text = (site_options.markdown(self.read) if entry.made
                    else self.read(entry.source))
            page = site_markdown.Markdown(
                text, lambda target: self.resolve(entry, target), mention)
        body = page.html()
        self.write(entry.address, entry.title, body, entry, page.headings)

    def index(self):
        """The first page: every document with what it is about."""
        out = ["<h1>Weft %s</h1>" % self.version]
        with open(os.path.join(HERE, "index.md"), encoding="utf-8") as f:
            text = f.read()
        first = Entry("index.md", "", "")
        out.append(site_markdown.Markdown(
            text, lambda t: self.resolve(first, t),
            self.mention(None)).html())
        for title, entries in self.sections:
            out.append("<h2>%s</h2><dl>" % title)
            out += ['<dt><a href="%s">%s</a></dt><dd>%s</dd>' % (
                e.address, html.escape(e.title), html.escape(e.about))
                for e in entries]
            out.append("</dl>")
        self.write("index.html", "MPI on emulated network interfaces",
                   "\n".join(out))

    def make(self):
        """Writes everything."""
        os.makedirs(self.folder, exist_ok=True)
        for entry in self.by_source.values():
            self.document(entry)
        self.index()
        shutil.copyfile(os.path.join(HERE, "style.css"),
                        os.path.join(self.folder, "style.css"))
        for path in self.copies:
            to = os.path.join(self.folder, "files", path)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copyfile(os.path.join(self.sources, path), to)


def main():
    """Command line."""
    if len(sys.argv) != 4:
        sys.exit("usage: site.py SOURCES FOLDER VERSION")
    try:
        Site(*sys.argv[1:]).make()
    except (ValueError, OSError) as error:
        sys.exit("site.py: %s" % error)


if __name__ == "__main__":
    main()
