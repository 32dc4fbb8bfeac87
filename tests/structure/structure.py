# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""What holds of the tree as a whole: structure.py ROOT [RULE...]

Each rule is a function from a tree to the complaints about it, "file:line: what, and what is
allowed". Without a rule all are checked.
"""

import pathlib
import posixpath
import re
import subprocess
import sys
import textwrap

sys.dont_write_bytecode = True
import agreements  # noqa: E402
import documents  # noqa: E402

# A file may include from its own folder and from those before it.
ORDER = [
    "include/regatta/base",
    "include/regatta/sync",
    "include/regatta/cpu",
    "include/regatta/core",
    "include/regatta/pool",
    "include/regatta/fork",
    "include/regatta/bus",
    "include/regatta/message",
    "include/regatta/time",
    "include/regatta/compat",
    "include/regatta/process",
    "include/regatta/lease",
    "include/regatta/inspect",
    "include/regatta/boot",
    "include/regatta/race",
    "src/process",
    "src/lease",
    "src/inspect",
    "race/text",
    "race/machine",
    "race/workloads",
    "race/schemes",
    "race/sampling",
    "race/programs",
    "race/isolation",
    "race/scaling",
    "race/advice",
    "race/report",
    "command/common",
    "command/race",
    "command/scale",
    "command/cpus",
    "command/info",
    "command/shm",
    "command/watch",
    "command/advise",
    "command/documents",
    "command",
]
# The headers that include a whole subject.
UMBRELLA = re.compile(r"include/regatta/(pool|fork|bus|time|cpu|process|lease)\.hpp$")
# The shared ground: its internals are open to every folder of the library.
SHARED_DETAIL = ("include/regatta/base/", "include/regatta/cpu/", "include/regatta/core/")
# Of these a folder includes only itself and common, not those before it. What lies in none of them,
# the command's main, may include all.
APART = "command/"
# What the library must not need: dependencies of the command and peers of the race.
FOREIGN = re.compile(
    r"(fmt|CLI|nlohmann|tbb|oneapi|boost|concurrentqueue|moodycamel|gtest|gmock|relacy)/"
    r"|(zmq|zmq_addon|cblas|omp|concurrentqueue)\.(h|hpp)$"
)
# Headers that cost seconds of compiling in each file of the race and the command that includes them,
# and the one file that does. Nothing of the two needs fmt/format.h: fmt/core.h formats, too.
COSTLY = {
    "CLI/": "command/common/subcommand.cpp",
    "nlohmann/": "race/text/json.cpp",
    "fmt/format.h": None,
}
# The same of the library's own headers under a first program: what of the standard library they do
# without, and the header that needs it all the same.
COSTLY_STANDARD = {
    "chrono": None,  # base/detail/clock.hpp has durations and steady_clock.
    "cmath": None,
    "filesystem": None,
    "future": "include/regatta/core/std_future.hpp",
    "iostream": "include/regatta/base/sync_stream.hpp",
    "map": "include/regatta/cpu/placement.hpp",
    "ranges": None,
    "regex": None,
    "sstream": "include/regatta/base/sync_stream.hpp",
    "unordered_map": None,
}
FIRST_PROGRAM = tuple(f"include/regatta/{folder}/" for folder in ("base", "sync", "cpu", "core", "pool", "fork", "bus", "message"))
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
CODE = {".hpp", ".cpp"}
COMMENTED = {".hpp": "//", ".cpp": "//", ".py": "#", ".bash": "#", ".rs": "//"}
NAMESPACE = re.compile(r"(?:inline )?namespace\b ?([^{]*)\{")
# A definition outside of other types: those stand at the begin of a line.
TYPE = re.compile(r"(?:struct|class|enum class|enum|union) (?:REGATTA_\w+ |alignas\([^)]*\) )?(\w+)(?: final)?(?: :| \{)")
LENGTH_QUESTION, LENGTH_ERROR = 400, 600
# The line before a block of a document that is quoted from a file; in the block, a line "…" stands
# for lines that are left out.
QUOTED = re.compile(r"\s*<!-- quoted from (\S+) -->$")
FENCE = re.compile(r"\s*```(\S*)")


class Tree:
    """The files of a checkout that are tracked or new, the ignored ones left out; those of an archive of the sources
    all, but for builds."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        if (self.root / ".git").exists():
            git = ["git", "-C", str(root), "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard"]
            names = subprocess.run(git, check=True, capture_output=True, text=True).stdout.split("\0")
        else:
            builds = {"build", *(cache.parent.name for cache in self.root.glob("*/CMakeCache.txt"))}
            paths = [path.relative_to(self.root) for path in self.root.rglob("*")]
            names = [path.as_posix() for path in paths if path.parts[0] not in builds]
        self.files = sorted({name for name in names if name and (self.root / name).is_file()})

    def lines(self, name):
        return (self.root / name).read_bytes().decode("utf-8").split("\n")

    def text(self, name):
        return "\n".join(self.lines(name))

    def code(self):
        return [name for name in self.files if pathlib.PurePath(name).suffix in CODE]

    def includes(self, name):
        """(line number, bracket, path) of each include directive."""
        for number, line in enumerate(self.lines(name), 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match[1], match[2]


def folder_of(name):
    """The folder of ORDER that a file lies in, or None."""
    for folder in ORDER:
        if name.startswith(folder + "/"):
            return folder
    return None


def folder_order(tree):
    """A folder includes only folders above it."""
    files = set(tree.files)
    for name in tree.code():
        own = folder_of(name)
        if own is None or own + "/" == APART and name.count("/") > 1:
            if name.startswith(("include/", "race/", "command/")) and not UMBRELLA.match(name):
                yield f"{name}:1: lies in none of the folders: {', '.join(ORDER)}"
            continue
        for number, _, path in tree.includes(name):
            places = [posixpath.join(start, path) for start in (posixpath.dirname(name), "include", "race", "command", "")]
            found = [place for place in map(posixpath.normpath, places) if place in files]
            if path.startswith("regatta/") and not found:
                yield f"{name}:{number}: includes {path}, which does not exist"
            target = folder_of(found[0]) if found else None
            if target is not None and ORDER.index(target) > ORDER.index(own):
                yield f"{name}:{number}: {own} includes {target}, which is not above it"
            elif target is not None and own.startswith(APART) and target.startswith(APART):
                if target not in (own, APART + "common"):
                    yield f"{name}:{number}: {own} includes {target}; a subcommand includes itself and common"


def order_exists(tree):
    """The order names only folders that are there."""
    for folder in ORDER:
        if not any(name.startswith(folder + "/") for name in tree.files):
            yield f"tests/structure/structure.py:1: ORDER names {folder}, which is not there"


def shared_test_headers(tree):
    """What several folders of tests share lies in tests/support."""
    for name in tree.code():
        if name.startswith("tests/"):
            for number, bracket, path in tree.includes(name):
                if bracket == '"' and path.startswith("../"):
                    yield f"{name}:{number}: includes {path} of another folder; shared headers are \"support/...\""


def dependencies(tree):
    """The library needs the standard library and Linux, nothing else."""
    for name in tree.code():
        if name.startswith("include/"):
            for number, bracket, path in tree.includes(name):
                if FOREIGN.match(path):
                    yield f"{name}:{number}: includes {path}; the library needs no other project's headers"
                elif bracket == '"' or (not path.startswith("regatta/") and path.endswith(".hpp")):
                    yield f"{name}:{number}: includes {path}; the library's own headers are <regatta/...>"


def foreign_detail(tree):
    """A folder's detail/ is included by that folder alone, in include/ and in src/; those of base/, cpu/
    and core/ by all. The engine, the command, examples and benches include what stands at folder level."""
    for name in tree.code():
        if not name.startswith(("include/", "src/", "race/", "command/", "examples/", "bench/")):
            continue
        own = posixpath.dirname(name).removesuffix("/detail") + "/"
        if name.startswith("src/"):
            own = f"include/regatta/{name.split('/')[1]}/"
        for number, _, path in tree.includes(name):
            place = "include/" + path
            if not path.startswith("regatta/") or "/detail/" not in path or place.startswith(own):
                continue
            if name.startswith("examples/") or not place.startswith(SHARED_DETAIL):
                yield f"{name}:{number}: includes {path}, which is internal to its folder"


def internal_names(tree):
    """What stands in a detail/ folder, or in src/, is in namespace regatta::detail."""
    for name in tree.code():
        internal = name.startswith("include/") and "/detail/" in name and "/compat/" not in name
        if not internal and not (name.startswith("src/") and name.endswith(".hpp")):
            continue
        if not any(line.startswith("namespace regatta::detail") for line in tree.lines(name)):
            yield f"{name}:1: is internal, and not in namespace regatta::detail"


def costly_headers(tree):
    """In race/ and command/ a header that is slow to compile has one file that includes it; so has a
    slow one of the standard library in the folders that a first program includes."""
    for name in tree.code():
        if name.startswith(FIRST_PROGRAM):
            for number, bracket, path in tree.includes(name):
                place = COSTLY_STANDARD.get(path, name) if bracket == "<" else name
                if place != name:
                    yield f"{name}:{number}: includes {path}; allowed is {place or 'no file'}"
        if name.startswith(("race/", "command/")):
            for number, _, path in tree.includes(name):
                for start, place in COSTLY.items():
                    if path.startswith(start) and name != place:
                        yield f"{name}:{number}: includes {path}; allowed is {place or 'no file'}"


def file_length(tree):
    """No source file is longer than 600 lines; from 400 on, a warning."""
    for name in tree.files:
        if pathlib.PurePath(name).suffix in CODE | {".py"}:
            count = len(tree.lines(name)) - 1
            if count > LENGTH_ERROR:
                yield f"{name}:{count}: {count} lines, more than {LENGTH_ERROR}: give it one concept a file"
            elif count > LENGTH_QUESTION:
                print(f"warning: {name}: {count} lines, more than {LENGTH_QUESTION}: is it still one concept?")


def type_names(tree):
    """No two headers define a type of the same name in the same namespace: in a program that has both,
    the linker keeps the members of one of them for either."""
    first = {}
    for name in tree.code():
        if not name.endswith(".hpp") or not name.startswith(("include/", "race/", "command/")):
            continue
        spaces = []
        for number, line in enumerate(tree.lines(name), 1):
            if match := NAMESPACE.match(line):
                spaces.append(match[1].strip())
            elif line.startswith("} // namespace"):
                spaces.pop()
            elif match := TYPE.match(line):
                full = "::".join([*spaces, match[1]])
                there = first.setdefault(full, name)
                if there != name:
                    yield f"{name}:{number}: {full} is defined in {there} too"


def version(tree):
    """The project's version is the one that base/version.hpp, CHANGELOG.md and debian/changelog name."""
    header = "include/regatta/base/version.hpp"
    text = "\n".join(tree.lines(header))
    numbers = [re.search(rf"version_{part} = (\d+);", text) for part in ("major", "minor", "patch")]
    spelled = re.search(r'version_string = "([^"]+)";', text)
    project = re.search(r"project\(regatta VERSION ([\d.]+)", "\n".join(tree.lines("CMakeLists.txt")))
    if not all(numbers) or not spelled or not project:
        yield f"{header}:1: no version found here or in CMakeLists.txt"
        return
    dotted = ".".join(match[1] for match in numbers)
    for place, value in ((f"{header}: version_string", spelled[1]), ("CMakeLists.txt: project", project[1])):
        if value != dotted:
            yield f"{place} says {value}, the numbers in {header} say {dotted}"
    if not any(line.startswith(f"## {dotted}") for line in tree.lines("CHANGELOG.md")):
        yield f"CHANGELOG.md:1: no section '## {dotted}'"
    if "debian/changelog" in tree.files and not tree.text("debian/changelog").startswith(f"regatta ({dotted}) "):
        yield f"debian/changelog:1: does not begin with 'regatta ({dotted})'"


def licence_line(tree):
    """Every source file and script carries its licence."""
    for name in tree.files:
        lines = tree.lines(name) if name.startswith("script/") else None
        script = bool(lines) and lines[0].startswith("#!")
        mark = "#" if script else COMMENTED.get(pathlib.PurePath(name).suffix)
        if mark is None:
            continue
        first = [line for line in tree.lines(name)[:3] if not line.startswith("#!")]
        wanted = [f"{mark} SPDX-License-Identifier: MIT", "The Regatta authors"]
        if first[0] != wanted[0] or wanted[1] not in first[1]:
            yield f"{name}:1: starts without '{wanted[0]}' and the copyright line"


def whitespace(tree):
    """No tabs, no spaces at line ends, one line end at the end of a file, no mark of a merge."""
    text = {".txt", ".cmake", ".json", ".md", ".in"} | CODE | COMMENTED.keys()
    for name in tree.files:
        if pathlib.PurePath(name).suffix not in text and not name.startswith(("script/", ".ci/")):
            continue
        lines = tree.lines(name)
        for number, line in enumerate(lines, 1):
            if "\t" in line or "\r" in line:
                yield f"{name}:{number}: a tab or a carriage return"
            if line != line.rstrip():
                yield f"{name}:{number}: spaces at the line's end"
            if line.startswith(("<<<<<<< ", ">>>>>>> ")):
                yield f"{name}:{number}: a merge that was not finished"
        if lines[-1] != "" or (len(lines) > 1 and lines[-2] == ""):
            yield f"{name}:{len(lines)}: ends without a line end, or with an empty line"


def blocks(lines):
    """(line number, language, what the line before says it is quoted from, lines) of each block."""
    start = None
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if fence and start is None:
            start, language = number, fence[1]
        elif fence:
            mark = QUOTED.match(lines[start - 2]) if start > 1 else None
            yield start, language, mark and mark[1], lines[start : number - 1]
            start = None


def occurs(block, source):
    """Whether the parts of a block stand in the source one after the other, however indented."""
    parts = [part.strip("\n") for part in re.split(r"(?m)^\s*…$", "\n".join(block))]
    if not any(parts):
        return False
    at = 0
    for part in (textwrap.dedent(part) for part in parts if part):
        length = part.count("\n") + 1
        starts = range(at, len(source) - length + 1)
        found = [i for i in starts if textwrap.dedent("\n".join(source[i : i + length])) == part]
        if not found:
            return False
        at = found[0] + length
    return True


def quotes(tree):
    """Every block of C++ in a document is quoted from a file, and stands in it word for word."""
    for name in tree.files:
        if not name.endswith(".md"):
            continue
        lines = tree.lines(name)
        marks = {number for number, line in enumerate(lines, 1) if QUOTED.match(line)}
        for number, language, source, block in blocks(lines):
            marks.discard(number - 1)
            if source is None:
                if language == "cpp":
                    yield f"{name}:{number}: no line '<!-- quoted from FILE -->' before this block of C++"
            elif source not in tree.files:
                yield f"{name}:{number}: is quoted from {source}, which does not exist"
            elif not occurs(block, tree.lines(source)):
                yield f"{name}:{number}: does not stand like this in {source}"
        for number in sorted(marks):
            yield f"{name}:{number}: no block follows this line"


def atomics(tree):
    """The table of docs/reference/sync.md has every atomic member of the library."""
    table = "docs/reference/sync.md"
    rows = [line for line in tree.lines(table) if line.startswith("| `")] if table in tree.files else []
    for name in tree.code():
        stem = pathlib.PurePath(name).stem
        if not name.startswith("include/") or stem == "atomics":  # the policy has none but a local one
            continue
        text = "\n".join(tree.lines(name))
        kinds = [r"atomic<.*>"] + [rf"\b{alias}" for alias in re.findall(r"using (\w+) = .*\batomic<", text)]
        for member in re.finditer(rf"(?:{'|'.join(kinds)}) (\w+)[{{;]", text):
            word = re.compile(rf"\b{member[1]}\b")
            if not any(stem in row and word.search(row.split("|")[1]) for row in rows):
                number = text.count("\n", 0, member.start()) + 1
                yield f"{name}:{number}: {member[1]} is not in the table of {table}"


RULES = {
    rule.__name__: rule
    for rule in (
        folder_order,
        order_exists,
        shared_test_headers,
        dependencies,
        foreign_detail,
        internal_names,
        costly_headers,
        file_length,
        type_names,
        version,
        licence_line,
        whitespace,
        quotes,
        atomics,
        *agreements.RULES,
        *documents.RULES,
    )
}


def main(arguments):
    if not arguments or any(rule not in RULES for rule in arguments[1:]):
        print(f"usage: structure.py ROOT [RULE...]; the rules are: {', '.join(RULES)}", file=sys.stderr)
        return 2
    tree = Tree(arguments[0])
    complaints = [line for rule in arguments[1:] or RULES for line in RULES[rule](tree)]
    for line in complaints:
        print(line)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
