# SPDX-License-Identifier: BSD-3-Clause
"""Reference of the variables WEFT_* and FI_WEFT_*, from the tables in the
sources that weft-info prints, too."""
import re

FILES = (("Of the MPI layer", "src/core/core_opts.c"),
         ("Of the provider", "src/job/job_fi_opts.c"))
STRING = r'(?:"(?:[^"\\]|\\.)*"\s*)+'
ENTRY = re.compile(r'\{\s*"((?:FI_)?WEFT_\w+)",\s*WEFT_CFG_(\w+),\s*'
                   r'(%s|\w+),\s*(%s),\s*(%s|NULL)\s*\}' %
                   (STRING, STRING, STRING))


def value(text):
    """The string that adjacent string literals of C form."""
    if not text.startswith('"'):
        return ""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text)).replace('\\"',
                                                                    '"')


def entries(source):
    """Rows (name, kind, default, text, values) of a table in C."""
    for name, kind, default, text, values in ENTRY.findall(source):
        yield (name, kind.lower(), value(default), value(text),
               value(values))


def markdown(read):
    """The page as Markdown; read(path) returns a file of the sources."""
    out = ["# Options by variables", "",
           "Set in the environment of `mpiexec`, or of a program. `weft-info` "
           "prints them with the values in effect; an unknown variable is "
           "reported with the most similar known name. Options of commands "
           "are in the manual pages.", ""]
    for title, path in FILES:
        source = read(path)
        rows = list(entries(source))
        named = set(re.findall(r'\{\s*"((?:FI_)?WEFT_\w+)"', source))
        missing = named - {row[0] for row in rows}
        if missing or not rows:
            raise ValueError("%s: cannot read the entries %s" %
                             (path, " ".join(sorted(missing))))
        out += ["## " + title, "", "| variable | default | values | meaning |",
                "|---|---|---|---|"]
        for name, kind, default, text, values in rows:
            shown = (values or {"bool": "yes|no"}.get(kind, kind))
            out.append("| `%s` | %s | `%s` | %s |" % (
                name, "`%s`" % default if default else "", shown,
                text.replace("|", "\\|")))
        out.append("")
    return "\n".join(out)
