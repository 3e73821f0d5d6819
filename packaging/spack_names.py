# SPDX-License-Identifier: BSD-3-Clause
"""Executes Spack's recipe with a stand-in for the names of spack.package that a
recipe of the class AutotoolsPackage may use; prints the version and the options
for configure. An unknown name, directive argument or dependency is an error."""
import re
import sys
import types

DIRECTIVES = {
    "version": {"sha256", "url", "preferred", "deprecated"},
    "variant": {"default", "description", "values", "multi", "when"},
    "depends_on": {"type", "when", "patches"},
    "provides": {"when"},
    "conflicts": {"when", "msg"},
    "license": {"checked_by", "when"},
    "maintainers": set(),
}
TYPES = {"build", "link", "run", "test"}
SPEC = re.compile(r"^[a-z][a-z0-9-]*(@[0-9.:]+)?([+~][a-z]+)*$")
called = []


def directive(name):
    def call(*args, **kwargs):
        unknown = set(kwargs) - DIRECTIVES[name]
        if unknown:
            sys.exit(f"{name}() has no argument {sorted(unknown)}")
        if name in ("depends_on", "provides") and not SPEC.match(args[0]):
            sys.exit(f"{name}({args[0]!r}) is no spec")
        kinds = kwargs.get("type", "build")
        if name == "depends_on" and not set([kinds]
                if isinstance(kinds, str) else kinds) <= TYPES:
            sys.exit(f"depends_on({args[0]!r}) has type {kinds!r}")
        called.append((name, args, kwargs))
    return call


class Dependency:
    def __init__(self, name):
        self.prefix = "/" + name


class Spec:
    """The specs of a package's dependencies; others are an error."""

    def __getitem__(self, name):
        if not any(n == "depends_on" and re.split("[@+~]", a[0])[0] == name
                   for n, a, _ in called):
            sys.exit(f"spec[{name!r}] is no dependency")
        return Dependency(name)


class Prefix(str):
    def __getattr__(self, name):
        return Prefix(f"{self}/{name}")


class AutotoolsPackage:
    spec = Spec()
    prefix = Prefix("/prefix")

    def enable_or_disable(self, name):
        if not any(n == "variant" and a[0] == name for n, a, _ in called):
            sys.exit(f"{name} is no variant")
        return ["--enable-" + name]


class Environment:
    def set(self, name, value):
        pass

    def prepend_path(self, name, value):
        pass


def main():
    module = types.ModuleType("spack.package")
    module.AutotoolsPackage = AutotoolsPackage
    for name in DIRECTIVES:
        setattr(module, name, directive(name))
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = module
    names = {"__name__": "recipe"}
    with open(sys.argv[1]) as f:
        exec(compile(f.read(), sys.argv[1], "exec"), names)
    package = names["Weft"]()
    for name, args, _ in called:
        if name == "version":
            print("version", args[0])
    for option in package.configure_args():
        print("option", option)
    package.setup_run_environment(Environment())
    package.setup_dependent_build_environment(Environment(), Spec())


main()
