# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""Rules of structure.py: documents name what is there."""

import importlib.util
import pathlib
import posixpath
import re

FENCE = re.compile(r"\s*```")
LATE_LABEL = re.compile(r"///.*[.;)`] ((?:Threads|Blocks|Order|Failure|Cost)(?:, \w+)*): ")
CODE_SPAN = re.compile(r"`[^`]*`")
LINK = re.compile(r"\]\(([^()\s]+)\)|^\s*\[[^\]]+\]:\s+(\S+)")
ELSEWHERE = re.compile(r"[a-z]+:|//")
HEADING = re.compile(r"#{1,6} +(.*?) *#*$")
REFERENCE = "docs/reference/"
# Lists former headers, in its tables with the head "Old".
MOVED = REFERENCE + "moved.md"
HEADER = re.compile(r"(?:include/)?(regatta(?:/\w+)*\.hpp)\b")
# What a public header declares: it begins at the begin of a line, as does the name of a function whose
# result stands on the line before.
TYPE = r"(?:class|struct|enum class|enum|concept|using|union) (?:REGATTA_\w+ |alignas\([^)]*\) |\[\[\w+\]\] )*(\w+)"
VALUE = r"(?:[\w>&*\]][\w:<>,&*\[\] ]*? [&*]?)?(\w+)(?:\(| = |\{)"
DECLARED = re.compile(rf"(?!return|static_assert|requires|template|friend|#|//){TYPE}(?: final)?(?:;| [:={{]| requires|$|<)|{VALUE}")
PREFIX = re.compile(r"(?:template<[^>]*(?:<[^<>]*>[^<>]*)*> *|\[\[\w+\]\] |inline |constexpr |extern )+")
SCOPE = re.compile(r"^(?:inline )?namespace ([\w:]*) ?\{|^\} // namespace")


def prose(lines):
    """(line number, line) of what stands outside of blocks of code."""
    within = False
    for number, line in enumerate(lines, 1):
        if FENCE.match(line):
            within = not within
        elif not within:
            yield number, line


def anchors(lines):
    """The anchors that a document has, one a heading, made as GitHub makes them."""
    found = {}
    for _, line in prose(lines):
        if heading := HEADING.match(line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            found[anchor] = found.get(anchor, -1) + 1
            if found[anchor]:
                found[f"{anchor}-{found[anchor]}"] = 0
    return set(found)


def links(tree):
    """A relative link of a document points to a file or folder that is there, an anchor to a heading."""
    files = set(tree.files)
    folders = {str(parent) for file in files for parent in pathlib.PurePath(file).parents}
    known = {}
    for name in tree.files:
        if not name.endswith(".md"):
            continue
        for number, line in prose(tree.lines(name)):
            for match in LINK.finditer(CODE_SPAN.sub("", line)):
                target = match[1] or match[2]
                if ELSEWHERE.match(target):
                    continue
                path, _, anchor = target.partition("#")
                place = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
                if place not in files | folders:
                    yield f"{name}:{number}: links to {target}, but there is no {place}"
                elif anchor and place.endswith(".md"):
                    if place not in known:
                        known[place] = anchors(tree.lines(place))
                    if anchor not in known[place]:
                        yield f"{name}:{number}: links to {target}, but {place} has no such heading"


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]] if line.startswith("|") else []


def public_headers(tree):
    """The pages of docs/reference name every public header, and no other as one to include: a header
    that is not there, or an internal one in a table of headers or as an include."""
    there = {name.removeprefix("include/") for name in tree.files if name.startswith("include/") and name.endswith(".hpp")}
    named = set()
    for name in tree.files:
        if not name.startswith(REFERENCE) or not name.endswith(".md"):
            continue
        table = ""
        for number, line in enumerate(tree.lines(name), 1):
            row = cells(line)
            table = (table or row[0]) if row else ""
            if name == MOVED and row and table == "Old":
                for header in HEADER.findall(row[0]):
                    if header in there and "/detail/" not in header:
                        yield f"{name}:{number}: {header} has not moved: it is there"
                line = line.replace(row[0], "", 1)
            for match in HEADER.finditer(line):
                header = match[1]
                if header not in there:
                    yield f"{name}:{number}: names {header}, which is not there"
                elif "/detail/" not in header:
                    if name != MOVED:
                        named.add(header)
                elif table == "Header" and match[0] in row[0] or not match[0].startswith("include/"):
                    yield f"{name}:{number}: shows {header} as a header to include; it is internal"
    for header in sorted(there - named):
        if "/detail/" not in header:
            yield f"include/{header}:1: no page of {REFERENCE} names it"


def declared(lines):
    """(line number, name) of what a header declares in namespace regatta itself."""
    scopes = []
    for number, line in enumerate(lines, 1):
        if scope := SCOPE.match(line):
            if scope[1] is None:
                scopes.pop()
            else:
                scopes.append(scope[1])
        elif scopes == ["regatta"]:
            if match := DECLARED.match(PREFIX.sub("", line, count=1) if PREFIX.match(line) else line):
                yield number, match[1] or match[2]


def public_names(tree):
    """The pages of docs/reference name, as code, what public headers declare in namespace regatta. A
    template basic_x is named by x."""
    pages = [name for name in tree.files if name.startswith(REFERENCE) and name.endswith(".md") and name != MOVED]
    words = set()
    for name in pages:
        lines = tree.lines(name)
        told = {number for number, _ in prose(lines)}
        spans = [span for number in told for span in CODE_SPAN.findall(lines[number - 1])]
        code = [line for number, line in enumerate(lines, 1) if number not in told]
        for text in spans + code:
            words.update(re.findall(r"\w+", re.sub(r"[\w/]+\.hpp", "", text)))
    for name in tree.files:
        if name.startswith("include/") and name.endswith(".hpp") and "/detail/" not in name:
            missing = set()
            for number, word in declared(tree.lines(name)):
                if not {word, word.removeprefix("basic_")} & words and word not in missing:
                    missing.add(word)
                    yield f"{name}:{number}: no page of {REFERENCE} names {word}"


CONTENTS = "docs/README.md"
START, START_LENGTH = "README.md", 130


def contents(tree):
    """docs/README.md links to each page in docs/ once; README.md stays short."""
    if START in tree.files and (length := len(tree.lines(START)) - 1) > START_LENGTH:
        yield f"{START}:{length}: {length} lines, more than {START_LENGTH}: move what is not for the first hour to docs/"
    if CONTENTS not in tree.files:
        return
    linked = [
        posixpath.normpath(posixpath.join("docs", (match[1] or match[2]).partition("#")[0]))
        for _, line in prose(tree.lines(CONTENTS))
        for match in LINK.finditer(line)
    ]
    for name in tree.files:
        if name.startswith("docs/") and name.endswith(".md") and name != CONTENTS and linked.count(name) != 1:
            yield f"{CONTENTS}:1: links to {name} {linked.count(name)} times; once is right"


def figures(tree):
    """What is made of the results of benches is made of those in docs/figures."""
    made = "docs/site/figures.py"
    if made not in tree.files:
        return
    loaded = importlib.util.spec_from_file_location("figures", tree.root / made)
    module = importlib.util.module_from_spec(loaded)
    loaded.loader.exec_module(module)
    for name, text in module.pages(tree.root):
        if name not in tree.files or tree.text(name) != text:
            yield f"{name}:1: is not what docs/site/figures.py makes of docs/figures; run it"


INSTALL = "docs/guide/install.md"


def install_lines(tree):
    """What README says to install stands in the install guide, whose lines tests/machine/fresh_debian runs."""
    if START not in tree.files or INSTALL not in tree.files:
        return
    guide = {" ".join(line.split()) for line in tree.lines(INSTALL)}
    section, within = False, False
    for number, line in enumerate(tree.lines(START), 1):
        if not within and HEADING.match(line):
            section = line == "## Install"
        elif FENCE.match(line):
            within = not within
        elif section and within and line and " ".join(line.split()) not in guide:
            yield f"{START}:{number}: is no line of {INSTALL}: {line}"


COSTS = "docs/guide/compile_lines.md"
UMBRELLA = re.compile(r"include/(regatta/\w+\.hpp)$")


def include_costs(tree):
    """The table of what including costs has a row for each header of a whole subject, and for no other."""
    if COSTS not in tree.files:
        return
    rows = {match[1] for line in tree.lines(COSTS) if (match := re.match(r"\| `<(regatta/\w+\.hpp)>`", line))}
    there = {match[1] for name in tree.files if (match := UMBRELLA.match(name))}
    for header in sorted(rows ^ there):
        fault = "has a row for" if header in rows else "has no row for"
        yield f"{COSTS}:1: {fault} <{header}>; script/bench compile --only umbrellas --rounds 3 --markdown makes the table"


def doc_labels(tree):
    """Each label of the doc blocks of public headers begins a line: the site finds it only there."""
    for name in tree.files:
        if name.startswith("include/") and name.endswith(".hpp") and "/detail/" not in name:
            for number, line in enumerate(tree.lines(name), 1):
                if label := LATE_LABEL.search(line):
                    yield f"{name}:{number}: the label {label[1]} is within a line; begin a line with it"


RULES = (links, public_headers, public_names, contents, figures, install_lines, include_costs, doc_labels)
