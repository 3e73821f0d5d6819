# SPDX-License-Identifier: BSD-3-Clause
"""One-line faults in a C file, for test/mutate/auto.

A fault replaces a part of the text of a function: the number of lines stays
the same, so that the line numbers of the coverage map stay valid. The file is
split into tokens, not parsed; a fault that makes no sense does not compile."""
import re
from collections import namedtuple

Token = namedtuple("Token", "kind text start end line")

TOKEN = re.compile(r"""
  (?P<comment> /\*.*?\*/ | //[^\n]* )
| (?P<cpp>     ^[ \t]*\#(?: \\\n | /\*.*?\*/ | [^\n] )* )
| (?P<string>  "(?: \\. | [^"\\] )*" | '(?: \\. | [^'\\] )*' )
| (?P<number>  (?: 0[xX][0-9a-fA-F]+ | \d+\.?\d*(?: [eE][-+]?\d+ )? )[uUlLfF]* )
| (?P<name>    [A-Za-z_]\w* )
| (?P<op>      <<= | >>= | \.\.\. | -> | \+\+ | -- | << | >> | <= | >= | ==
               | != | && | \|\| | [-+*/%&|^]= | [^\s] )
""", re.DOTALL | re.MULTILINE | re.VERBOSE)

OPERATORS = ("comparison", "boundary", "condition", "negated", "constant",
             "call", "store", "order", "arguments", "error")
COMPARISON = {"==": "!=", "!=": "==", "<": ">", ">": "<", "<=": ">=",
              ">=": "<="}
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
CONDITION = {"&&": "||", "||": "&&"}
ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
HEADED = {"if", "for", "while", "switch"}  # statements with a ( head )
WORDS = HEADED | {"return", "goto", "break", "continue", "else", "do", "case",
                  "default", "sizeof"}
# first words of a declaration; other declarations begin with two names, or with
# a name and a star
DECLARES = {"struct", "union", "enum", "const", "static", "extern", "unsigned",
            "register", "_Atomic", "typedef", "static_assert"}
# calls whose removal makes a program slower or leaks memory, but causes no
# wrong result
NOT_DROPPED = {"free", "weft_pause", "sched_yield", "prefetch",
               "weft_prefetch"}
# functions for which exchanging the first two arguments is no fault; for
# strcmp() only where just equality is tested
SYMMETRIC = {"calloc", "strcmp", "strcasecmp"}
ORDERS = re.compile(r"memory_order_(acquire|release|acq_rel|seq_cst)$")
RELAXED = re.compile(r"weft_(load|store)(32|64)$")


class Fault:
    """Part [start, end) of a file's text is replaced by new."""

    def __init__(self, source, operator, start, end, new):
        old = source.text[start:end]
        self.path, self.operator = source.path, operator
        self.line = source.text.count("\n", 0, start) + 1
        new += "\n" * (old.count("\n") - new.count("\n"))
        self.source, self.start, self.end, self.new = source, start, end, new
        first = source.text.rfind("\n", 0, start) + 1
        last = source.text.find("\n", end)
        self.before = " ".join(source.text[first:last].split())
        self.after = " ".join(
            (source.text[first:start] + new + source.text[end:last]).split())

    @property
    def text(self):
        """The text of the file with the fault."""
        return (self.source.text[:self.start] + self.new +
                self.source.text[self.end:])

    def diff(self):
        """The fault for people: the line before and after."""
        return "%s:%d: %s\n-\t%s\n+\t%s" % (
            self.path, self.line, self.operator, self.before, self.after)

    def key(self):
        """How test/mutate/equivalent names a fault: without its line number,
        which changes with every edit above it."""
        return self.path, self.before, self.after

    def __str__(self):
        return "%s:%d: %s: %s -> %s" % (self.path, self.line, self.operator,
                                        self.before, self.after)


class Source:
    """The tokens of the functions of a C file."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.tokens, self.match, self.starts = [], {}, []
        line, at = 1, 0
        inside, before = False, None
        for m in TOKEN.finditer(text):
            line += text.count("\n", at, m.start())
            at = m.start()
            if m.lastgroup in ("comment", "cpp"):
                continue
            t = Token(m.lastgroup, m.group(), m.start(), m.end(), line)
            column0 = t.start == 0 or text[t.start - 1] == "\n"
            if column0 and t.text == "{":
                inside = before == ")"
            if inside:
                self.tokens.append(t)
            if column0 and t.text == "}":
                inside = False
            before = t.text
        self._pair()
        self._find_statements()

    def _pair(self):
        """match[i]: the bracket that closes the bracket at i."""
        open_at = []
        for i, t in enumerate(self.tokens):
            if t.text in ("(", "[", "{"):
                open_at.append(i)
            elif t.text in (")", "]", "}") and open_at:
                self.match[open_at.pop()] = i

    def _find_statements(self):
        """starts: (first token, its semicolon) of each simple statement."""
        i, begins = 0, True
        while i < len(self.tokens):
            t = self.tokens[i].text
            if t in ("{", "}", ";", "else", "do"):
                begins = True
            elif t in HEADED and i + 1 in self.match:
                i, begins = self.match[i + 1], True
            elif t in ("case", "default") or self._is_label(i):
                while self.tokens[i].text != ":":
                    i += 1
                begins = True
            elif begins:
                end = self._semicolon(i)
                if end is None:
                    begins = False
                else:
                    self.starts.append((i, end))
                    i, begins = end, True
            i += 1

    def _is_label(self, i):
        return (self.tokens[i].kind == "name" and i + 1 < len(self.tokens) and
                self.tokens[i + 1].text == ":" and
                self.tokens[i - 1].text in (";", "{", "}"))

    def _semicolon(self, i):
        while i < len(self.tokens) and self.tokens[i].text not in (";", "}"):
            i = self.match.get(i, i) + 1
        return i if i < len(self.tokens) and \
            self.tokens[i].text == ";" else None

    def span(self, first, last):
        """The text from one token to another, both included."""
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def declares(self, first):
        a, b = self.tokens[first], self.tokens[first + 1]
        return a.kind == "name" and (
            a.text in DECLARES or b.text == "*" or
            (b.kind == "name" and a.text not in WORDS))

    # ---- operators: each yields (name, start, end, replacement) ---------------
    def words(self):
        """Operators and numbers, wherever they are."""
        dimension = set()  # constants of declarations such as char buf[80]
        for first, end in self.starts:
            if self.declares(first):
                for i in range(first, end):
                    if self.tokens[i].text == "[" and i in self.match:
                        dimension.update(range(i, self.match[i]))
        for i, t in enumerate(self.tokens):
            for name, table in (("comparison", COMPARISON),
                                ("boundary", BOUNDARY),
                                ("condition", CONDITION)):
                if t.kind == "op" and t.text in table:
                    yield name, t.start, t.end, table[t.text]
            if t.text in ("true", "false"):
                yield ("constant", t.start, t.end,
                       "false" if t.text == "true" else "true")
            if t.kind == "number" and i not in dimension:
                yield "constant", t.start, t.end, other_number(t.text)
            if ORDERS.match(t.text):
                yield "order", t.start, t.end, "memory_order_relaxed"
            if RELAXED.match(t.text) and self.tokens[i + 1].text == "(":
                yield "order", t.start, t.end, t.text + "_relaxed"

    def conditions(self):
        """Heads of if and while: negated; and an if that leaves, ignored."""
        for i, t in enumerate(self.tokens):
            if t.text not in ("if", "while") or i + 1 not in self.match:
                continue
            close = self.match[i + 1]
            start, end = self.tokens[i + 1].start, self.tokens[close].end
            head = self.text[start:end]
            yield "negated", start, end, "(!%s)" % head
            after = close + 1
            if self.tokens[after].text == "{":
                after += 1
            if t.text == "if" and self.tokens[after].text in ("return", "goto"):
                yield "error", start, end, "(%s && 0)" % head

    def statements(self):
        """Statements that only call or only store: dropped."""
        for first, end in self.starts:
            t = self.tokens[first]
            if t.text in WORDS or self.declares(first):
                continue
            kind = self._statement_kind(first, end)
            if kind:
                yield kind, t.start, self.tokens[end].end, ";"

    def _statement_kind(self, first, end):
        i, name = first, None
        if self.tokens[first].text in ("++", "--"):
            return "store"
        while i < end:
            t = self.tokens[i]
            if t.text in ASSIGN or t.text in ("++", "--"):
                return "store"
            if t.text == "(" and name and self.match.get(i) == end - 1:
                return None if name in NOT_DROPPED else "call"
            if t.kind == "name":
                name = t.text
            i = self.match.get(i, i) + 1
        return None

    def calls(self):
        """Calls with two neighbouring arguments: swapped."""
        for i, t in enumerate(self.tokens):
            if (t.kind != "name" or t.text in WORDS or t.text.isupper() or
                    i + 1 not in self.match or self.tokens[i + 1].text != "("):
                continue
            if t.text in SYMMETRIC and (
                    t.text == "calloc" or self.tokens[i - 1].text == "!"):
                continue
            arguments = self._arguments(i + 2, self.match[i + 1])
            for (a, b), (c, d) in zip(arguments, arguments[1:]):
                left, right = self.span(a, b), self.span(c, d)
                if left != right:
                    yield ("arguments", self.tokens[a].start,
                           self.tokens[d].end, "%s, %s" % (right, left))

    def _arguments(self, i, close):
        """(first, last) token of each argument in [i, close)."""
        arguments, first = [], i
        while i < close:
            if self.tokens[i].text == ",":
                arguments.append((first, i - 1))
                first = i + 1
            i = self.match.get(i, i) + 1
        if first < close:
            arguments.append((first, close - 1))
        return arguments

    def faults(self):
        """All faults, in the order of the file."""
        found = []
        for operator in (self.words, self.conditions, self.statements,
                         self.calls):
            found += operator()
        return [Fault(self, *f)
                for f in sorted(found, key=lambda f: (f[1], f[0], f[3]))]


def other_number(text):
    """A wrong value: 1 for 0, 0 for 1, else one more, or a tenth more."""
    digits = re.match(r"0[xX][0-9a-fA-F]+|[0-9.]+(?:[eE][-+]?\d+)?",
                      text).group()
    rest = text[len(digits):]
    if digits[:2] in ("0x", "0X"):
        return hex(int(digits, 16) + 1) + rest
    if not digits.isdigit():
        return repr(float(digits) * 1.1) + rest
    value = int(digits, 8 if digits[0] == "0" and len(digits) > 1 else 10)
    return str({0: 1, 1: 0}.get(value, value + 1)) + rest
