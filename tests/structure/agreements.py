# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""Rules of structure.py: two places that tell the same fact tell the same."""

import json
import pathlib
import re

# A registry: its folder, the list in the folder's CMakeLists.txt, the document with a row each.
REGISTRIES = [
    ("race/schemes", re.compile(r"^regatta_schemes\(\S+\s+([^$)]*)", re.M), "docs/reference/schemes.md", "scheme"),
    ("race/workloads", re.compile(r"^set\(workloads ([^)]*)\)", re.M), "docs/reference/workloads.md", "workload"),
]
DEFINED = re.compile(r'\.name = "(\w+)",\s*\.summary =')
TO_STRING = re.compile(r"string_view to_string\((\w+) \w+\) noexcept \{(.*?)\n\}", re.S)
WORDS_OF = re.compile(r"The words of (\w+)\.")
# What a to_string may return where none of the enumerators is meant.
NO_ENUMERATOR = {"unknown"}
LAYOUT = "## Where things are"
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]+)`")


def registry(tree):
    """The list of schemes, their files and the rows of their document name the same ones; likewise
    the workloads."""
    for folder, listing, document, word in REGISTRIES:
        makefile = f"{folder}/CMakeLists.txt"
        if makefile not in tree.files:
            continue
        listed = {name for found in listing.findall(tree.text(makefile)) for name in found.split()}
        defined = {
            name
            for file in tree.files
            if file.startswith(folder + "/") and file.endswith(".cpp")
            for name in DEFINED.findall(tree.text(file))
        }
        rows = set()
        within = False
        for line in tree.lines(document) if document in tree.files else []:
            within = line.startswith(f"| {word} |") or (within and line.startswith("|"))
            if within:
                rows.update(re.findall(r"`(\w+)`", line.split("|")[1]))
        for name in sorted(listed - defined):
            yield f"{makefile}:1: lists {name}, which no file in {folder} defines"
        for name in sorted(defined - listed):
            yield f"{makefile}:1: does not list {name}, which a file in {folder} defines"
        for name in sorted(listed - rows):
            yield f"{document}:1: has no row for the {word} {name}"
        for name in sorted(rows - listed):
            yield f"{document}:1: has a row for {name}, which {makefile} does not list"


def enums_in(value, path=""):
    """(path, enum, comment) of each enum of words in a JSON schema."""
    if isinstance(value, dict):
        words = [word for word in value.get("enum", []) if isinstance(word, str)]
        if words:
            yield path, set(words), value.get("$comment", "")
        for key, inner in value.items():
            yield from enums_in(inner, f"{path}/{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from enums_in(inner, f"{path}/{index}")


def schema_words(tree):
    """An enum in a schema has the words that `to_string` makes of the C++ enum that its $comment
    names; one without stands in the code word by word."""
    words_of = {}
    literals = set()
    for name in tree.code():
        if name.startswith(("include/", "src/", "race/", "command/")):
            text = tree.text(name)
            literals.update(re.findall(r'"([^"\n]*)"', text))
            for kind, body in TO_STRING.findall(text):
                words_of[kind] = set(re.findall(r'"([^"]*)"', body))
    for name in tree.files:
        if not name.endswith(".schema.json"):
            continue
        for path, words, comment in enums_in(json.loads(tree.text(name))):
            named = WORDS_OF.match(comment)
            if named:
                expected = words_of.get(named[1])
                if expected is None:
                    yield f"{name}:1: {path} names {named[1]}, of which there is no to_string"
                elif differ := (expected ^ words) - NO_ENUMERATOR:
                    yield f"{name}:1: {path} and to_string({named[1]}) differ in {', '.join(sorted(differ))}"
                continue
            for kind, known in sorted(words_of.items()):
                if len(known & words) > 0.7 * len(known | words):
                    yield f'{name}:1: {path} has the words of {kind}; say so: "$comment": "The words of {kind}."'
            for word in sorted(words - literals):
                yield f'{name}:1: {path} allows "{word}", which stands nowhere in the code'


def members_in(value, path=""):
    """(path, schema) of each member that a JSON schema describes. Conditions name members again."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("if", "then", "else"):
                continue
            if key == "properties":
                for name, member in inner.items():
                    yield f"{path}/{name}", member
                    yield from members_in(member, f"{path}/{name}")
            else:
                yield from members_in(inner, path if key in ("items", "oneOf") else f"{path}/{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from members_in(inner, path)


def schema_members(tree):
    """Each member of a JSON document is described in its schema, or in the one that it refers to."""
    for name in tree.files:
        if not name.endswith(".schema.json"):
            continue
        schema = json.loads(tree.text(name))
        for path, member in members_in(schema):
            file, _, place = member.get("$ref", "#").partition("#")
            target = schema if not file else json.loads(tree.text(str(pathlib.PurePath(name).parent / file)))
            for part in place.split("/")[1:]:
                target = target[part]
            if not (member.get("description") or ("$ref" in member and target.get("description"))):
                yield f"{name}:1: {path} has no description"


def tests_listed(tree):
    """Every test file stands in the CMakeLists.txt of its folder."""
    for name in tree.files:
        path = pathlib.PurePath(name)
        if not name.startswith("tests/") or not path.name.endswith(("_test.cpp", "_test.py")):
            continue
        makefile = str(path.parent / "CMakeLists.txt")
        word = path.name if path.suffix == ".cpp" else path.stem.removesuffix("_test")
        if makefile not in tree.files or not re.search(rf"(?<![\w/]){re.escape(word)}(?![\w.])", tree.text(makefile)):
            yield f"{name}:1: {makefile} does not list it, so it never runs"


def layout(tree):
    """The picture of the tree in CONTRIBUTING.md names each folder at the top, and of a folder whose
    parts it lists, each of them; and nothing else."""
    name = "CONTRIBUTING.md"
    if name not in tree.files:
        return
    folders = {str(parent) for file in tree.files for parent in pathlib.PurePath(file).parents}
    blocks = tree.text(name).partition(LAYOUT + "\n")[2].split("```\n")
    tops = set()
    parts = {}
    for line in blocks[1].splitlines() if len(blocks) > 1 else []:
        paths = re.match(r"\s*((?:\S+/\S*\s*)*)", line)[1].split()
        if line.startswith("  ") and tops:
            parts.setdefault(above, set()).update(path.rstrip("/") for path in paths)
        elif paths:
            above = paths[0].rstrip("/")
            tops.update(paths)
    for path in sorted(tops):
        if path.rstrip("/") not in folders | set(tree.files):
            yield f"{name}:1: shows {path}, which is not there"
    for folder in sorted(folders - {"."}):
        if "/" not in folder and not any(path.startswith(folder + "/") for path in tops):
            yield f"{name}:1: does not show {folder}/"
    for above, shown in parts.items():
        there = {pathlib.PurePath(folder).name for folder in folders if str(pathlib.PurePath(folder).parent) == above}
        for part in sorted(shown ^ there):
            fault = "shows" if part in shown else "does not show"
            yield f"{name}:1: {fault} {part}/ in {above}/" + (", which is not there" if part in shown else "")


def recipes(tree):
    """A path in CONTRIBUTING.md that begins with a folder at the top is there, but for a NAME to be
    chosen."""
    name = "CONTRIBUTING.md"
    if name not in tree.files:
        return
    there = set(tree.files) | {str(parent) for file in tree.files for parent in pathlib.PurePath(file).parents}
    for number, line in enumerate(tree.lines(name), 1):
        for path in PATH.findall(line):
            if path.partition("/")[0] in there and path not in there and "NAME" not in path:
                yield f"{name}:{number}: names {path}, which is not there"


RULES = (registry, schema_words, schema_members, tests_listed, layout, recipes)
