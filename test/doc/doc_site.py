# SPDX-License-Identifier: BSD-3-Clause
"""doc_site.py FOLDER: checks the pages of the site: links lead to files and
headings that exist, elements are closed, no mark of Markdown or roff is left
in the text. Nothing on a page is loaded from the network."""
import html.parser
import os
import re
import sys

VOID = {"meta", "link", "br", "img"}
LEFT = re.compile(r"\]\(|\*\*|```|^\|-|\| \||\\[f(-]|^\.[A-Z]{2} |\0")


class Page(html.parser.HTMLParser):
    """Elements of one page."""

    def __init__(self, folder, path):
        super().__init__()
        self.path = path
        self.ids, self.links, self.loads = set(), [], []
        self.open, self.bad, self.title = [], [], ""
        with open(os.path.join(folder, path), encoding="utf-8") as f:
            self.feed(f.read())
        if self.open:
            self.bad.append("not closed: " + " ".join(self.open))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in values and values["id"] in self.ids:
            self.bad.append("id %s twice" % values["id"])
        self.ids.add(values.get("id"))
        if tag == "a":
            self.links.append(values["href"])
        elif tag in ("img", "link", "script"):
            self.loads.append(values.get("src") or values.get("href"))
        if tag == "img" and not values.get("alt"):
            self.bad.append("picture without a text: %s" % values["src"])

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.bad.append("</%s> in %s" % (tag, " ".join(self.open)))
        else:
            self.open.pop()

    def handle_data(self, data):
        if "title" in self.open:
            self.title += data
        if "code" not in self.open and LEFT.search(data):
            self.bad.append("a mark is left: %s" % data.strip()[:70])


def check_link(folder, pages, page, link):
    """A complaint about a link, or None."""
    if re.match(r"https?://", link):
        return None
    path, _, anchor = link.partition("#")
    path = path or page.path
    if not os.path.isfile(os.path.join(folder, path)):
        return "link to %s, which does not exist" % link
    if anchor and anchor not in pages[path].ids:
        return "link to %s: no such heading" % link
    return None


def check(folder):
    """All complaints about a folder."""
    pages = {p: Page(folder, p) for p in sorted(os.listdir(folder))
             if p.endswith(".html")}
    reached, bad = {"index.html"}, []
    for page in pages.values():
        found = list(page.bad) + ([] if page.title else ["no title"])
        for link in page.links + page.loads:
            found.append(check_link(folder, pages, page, link))
            reached.add(link.partition("#")[0])
        found += ["loaded from the network: %s" % load for load in page.loads
                  if re.match(r"\w+:|//", load)]
        bad += ["%s: %s" % (page.path, text) for text in found if text]
    bad += ["%s: no page links to it" % p for p in pages if p not in reached]
    links = sum(len(p.links) for p in pages.values())
    print("%d pages, %d links" % (len(pages), links))
    return bad if pages else ["no pages"]


complaints = check(sys.argv[1])
print("\n".join(complaints))
sys.exit(1 if complaints else 0)
