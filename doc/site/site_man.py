# SPDX-License-Identifier: BSD-3-Clause
"""HTML of the man macros that the manual pages use. An unknown macro or
escape is an error, so that a page is never shown with parts missing."""
import html
import re

from site_markdown import slug

TAGS = {"B": "b", "I": "i"}
CHARS = {"dq": '"', "lq": "\u201c", "rq": "\u201d", "em": "\u2014",
         "en": "\u2013", "aq": "'", "bu": "\u2022"}


def arguments(text):
    """Arguments of a macro: words, or strings in double quotes."""
    found = re.findall(r'"((?:[^"]|"")*)"|(\S+)', text.replace("\\ ", "\0"))
    return [(a if a or not b else b).replace('""', '"').replace("\0", "\\ ")
            for a, b in found]


def escape(text, name):
    """HTML of a text with escapes of roff; fonts are closed at its end."""
    out, font, before = [], None, None
    for part in re.split(r"(\\(?:f.|\(..|.))", text):
        if not part.startswith("\\"):
            out.append(html.escape(part, quote=False))
        elif part[1] == "f":
            out.append("</%s>" % TAGS[font] if font else "")
            font, before = (before if part[2] == "P" else
                            part[2] if part[2] in TAGS else None), font
            out.append("<%s>" % TAGS[font] if font else "")
        elif part[1] == "(" and part[2:] in CHARS:
            out.append(html.escape(CHARS[part[2:]], quote=False))
        elif part[1] in "-e& |":
            out.append({"-": "-", "e": "\\", "&": "", " ": "\u00a0",
                        "|": ""}[part[1]])
        else:
            raise ValueError("%s: unknown escape %s" % (name, part))
    out.append("</%s>" % TAGS[font] if font else "")
    return "".join(out)


class Man:
    """One manual page; mention(text) puts links into escaped text."""

    def __init__(self, text, mention, name):
        self.lines = text.splitlines()
        self.mention = mention
        self.name = name
        self.out = []
        self.text = []
        self.used = set()
        self.title = ""
        self.headings = []
        self.in_list = False
        self.term = False

    def _font(self, macro, rest):
        args = arguments(rest)
        if len(macro) == 1:
            args = [" ".join(args)]
        parts = []
        for i, arg in enumerate(args):
            parts.append("\\f%s%s" % (macro[i % len(macro)], arg))
        return escape("".join(parts), self.name)

    def _flush(self):
        body = " ".join(self.text).strip()
        self.text = []
        if body:
            self.out.append("<p>%s</p>" % self.mention(body))

    def _end_list(self):
        self._flush()
        if self.in_list:
            self.out.append("</dd></dl>")
        self.in_list = False

    def _add(self, body):
        if self.term:
            self.term = False
            self.out.append("<dt>%s</dt><dd>" % self.mention(body))
        else:
            self.text.append(body)

    def _heading(self, macro, rest):
        self._end_list()
        text = " ".join(arguments(rest)).replace("\\-", "-")
        name = slug(text, self.used)
        level = 2 if macro == "SH" else 3
        text = text.capitalize() if macro == "SH" else text
        if level == 2:
            self.headings.append((name, text))
        self.out.append('<h%d id="%s">%s</h%d>' %
                        (level, name, html.escape(text), level))

    def _item(self):
        self._flush()
        self.out.append("</dd>" if self.in_list else "<dl>")
        self.in_list = True
        self.term = True

    def _verbatim(self, lines, end):
        self._flush()
        body = []
        for line in lines:
            if line in end:
                break
            match = re.match(r"\.(B|I|BR|IR|RB|RI|BI|IB) (.*)", line)
            body.append(self._font(*match.groups()) if match
                        else escape(line, self.name))
        self.out.append("<pre><code>%s</code></pre>" % "\n".join(body))

    def _table(self, lines):
        self._flush()
        rows = []
        for line in lines:
            if line == ".TE":
                break
            if not line.endswith("."):
                rows.append(escape(line, self.name).split("\t"))
        self.out.append('<div class="table"><table>')
        for i, row in enumerate(rows):
            tag = "td" if i else "th"
            self.out.append("<tr>%s</tr>" % "".join(
                "<%s>%s</%s>" % (tag, self.mention(c), tag) for c in row))
        self.out.append("</table></div>")

    def _macro(self, macro, rest, lines):
        if macro in ("B", "I", "BR", "RB", "BI", "IB", "IR", "RI"):
            self._add(self._font(macro, rest))
        elif macro in ("SH", "SS"):
            self._heading(macro, rest)
        elif macro == "TP":
            self._item()
        elif macro == "PP":
            self._end_list()
        elif macro == "IP":
            self._flush()
        elif macro in ("RS", "RE"):
            self._flush()
        elif macro in ("nf", "EX"):
            self._verbatim(lines, (".fi", ".EE"))
        elif macro == "TS":
            self._table(lines)
        elif macro == "br":
            self.text.append("<br>")
        elif macro == "TH":
            args = arguments(rest)
            self.title = "%s(%s)" % (args[0].lower(), args[1])
        else:
            raise ValueError("%s: unknown macro .%s" % (self.name, macro))

    def html(self):
        """The body of the page."""
        lines = iter(self.lines)
        for line in lines:
            match = re.match(r"\.([A-Za-z]+) ?(.*)", line)
            if line.startswith((".\\\"", "'\\\"")):
                continue
            if match:
                self._macro(match.group(1), match.group(2), lines)
            elif line:
                self._add(escape(line, self.name))
        self._end_list()
        return "<h1>%s</h1>\n%s" % (self.title, "\n".join(self.out))
