# SPDX-License-Identifier: BSD-3-Clause
"""HTML of the Markdown that the documents use: headings, paragraphs, lists,
tables, indented and fenced code, code spans, emphasis, links, pictures."""
import html
import re

ITEM = re.compile(r"^( *)([*-]|\d+\.) +(.*)")
FENCE = re.compile(r"^```")
ROW = re.compile(r"^\|")


def slug(text, used):
    """Name of a heading in links, as GitHub builds it."""
    name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
    result, n = name, 1
    while result in used:
        result, n = "%s-%d" % (name, n), n + 1
    used.add(result)
    return result


def plain(text):
    """Text of a heading without marks."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[`*]", "", text)


class Markdown:
    """One document; resolve(target) returns the address of a link, mention
    (text) puts links into escaped text that names other documents."""

    def __init__(self, text, resolve, mention):
        self.lines = [s.expandtabs(8) if not s.startswith("\t") else s
                      for s in text.splitlines()]
        self.at = 0
        self.resolve = resolve
        self.mention = mention
        self.used = set()
        self.title = ""
        self.headings = []

    # ---- text within a block ------------------------------------------

    def _words(self, text):
        text = self.mention(html.escape(text, quote=False))
        text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
        return re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])",
                      r"<em>\1</em>", text)

    def _link(self, match):
        picture, text, target = match.groups()
        address = html.escape(self.resolve(target))
        if picture:
            return '<img src="%s" alt="%s">' % (address, html.escape(text))
        return '<a href="%s">%s</a>' % (address, self.inline(text))

    def inline(self, text):
        """Code spans first, then links, then the rest."""
        parts = re.split(r"(`[^`]+`|!?\[[^\]]*\]\([^)]*\))", text)
        out = []
        for part in parts:
            if part.startswith("`") and len(part) > 1:
                code = html.escape(part[1:-1], quote=False)
                out.append("<code>%s</code>" % self.mention(code))
            elif re.match(r"!?\[[^\]]*\]\(", part):
                out.append(re.sub(r"(!?)\[([^\]]*)\]\(([^)]*)\)", self._link,
                                  part))
            else:
                out.append(self._words(part))
        return "".join(out)

    # ---- blocks --------------------------------------------------------

    def _line(self):
        return self.lines[self.at] if self.at < len(self.lines) else None

    def _fence(self):
        self.at += 1
        code = []
        while self._line() is not None and not FENCE.match(self._line()):
            code.append(self._line())
            self.at += 1
        self.at += 1
        return self._code(code)

    def _code(self, lines):
        text = html.escape("\n".join(lines).strip("\n"), quote=False)
        return "<pre><code>%s</code></pre>" % text

    def _indented(self):
        code = []
        while self._line() is not None and \
                (self._line().startswith("    ") or not self._line().strip()):
            code.append(self._line()[4:])
            self.at += 1
        return self._code(code)

    def _cells(self, row):
        row = row.strip().strip("|").replace("\\|", "\0")
        parts = re.split(r"(`[^`]*`)", row)
        joined = "".join(p.replace("|", "\0") if p.startswith("`") else p
                         for p in parts)
        return [self.inline(c.strip().replace("\0", "|"))
                for c in joined.split("|")]

    def _table(self):
        rows = []
        while self._line() is not None and ROW.match(self._line()):
            rows.append(self._line())
            self.at += 1
        out = ['<div class="table"><table>']
        head = "".join("<th>%s</th>" % c for c in self._cells(rows[0]))
        out.append("<thead><tr>%s</tr></thead><tbody>" % head)
        for row in rows[2:]:
            out.append("<tr>%s</tr>" % "".join(
                "<td>%s</td>" % c for c in self._cells(row)))
        out.append("</tbody></table></div>")
        return "\n".join(out)

    def _list(self):
        depth, mark, _ = ITEM.match(self._line()).groups()
        tag = "ol" if mark[0].isdigit() else "ul"
        items = []
        while self._line() is not None:
            match = ITEM.match(self._line())
            if match and len(match.group(1)) == len(depth):
                self.at += 1
                items.append(self._item(match.group(3), len(depth)))
            elif not self._line().strip() and self._next_item(len(depth)):
                self.at += 1
            else:
                break
        return "<%s>%s</%s>" % (tag, "\n".join(items), tag)

    def _next_item(self, depth):
        after = self.lines[self.at + 1:self.at + 2]
        match = ITEM.match(after[0]) if after else None
        return match and len(match.group(1)) == depth

    def _belongs(self, depth):
        """Whether the line, or the next after empty lines, is in the item."""
        for line in self.lines[self.at:]:
            if line.strip():
                return line.startswith(" " * (depth + 2))
        return False

    def _item(self, first, depth):
        inner = [first]
        while self._line() is not None and self._belongs(depth):
            inner.append(self._line()[depth + 2:])
            self.at += 1
        outer, self.lines, self.at = (self.lines, self.at), inner, 0
        body = self._blocks()
        self.lines, self.at = outer
        return "<li>%s</li>" % re.sub(r"^<p>(.*?)</p>", r"\1", body,
                                      flags=re.S)

    def _heading(self):
        marks, text = self._line().split(" ", 1)
        self.at += 1
        level, name = len(marks), slug(plain(text), self.used)
        if level == 1 and not self.title:
            self.title = plain(text)
        elif level == 2:
            self.headings.append((name, plain(text)))
        return '<h%d id="%s">%s</h%d>' % (level, name, self.inline(text),
                                          level)

    def _paragraph(self):
        text = []
        while self._line() is not None and self._line().strip():
            line = self._line()
            if text and (ITEM.match(line) or ROW.match(line) or
                         FENCE.match(line)):
                break
            text.append(line.strip())
            self.at += 1
        return "<p>%s</p>" % self.inline(" ".join(text))

    def _block(self):
        line = self._line()
        if re.match(r"#{1,6} ", line):
            return self._heading()
        if FENCE.match(line):
            return self._fence()
        if ROW.match(line):
            return self._table()
        if line.startswith("    "):
            return self._indented()
        if ITEM.match(line):
            return self._list()
        return self._paragraph()

    def _blocks(self):
        out = []
        while self._line() is not None:
            line = self._line()
            if not line.strip() or line.startswith("<!--"):
                self.at += 1
                continue
            out.append(self._block())
        return "\n".join(out)

    def html(self):
        """The body of the page."""
        return self._blocks()
