# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""What doxygen reads in place of a file: filter.py FILE, run at the root of the repository.

Of a document: each page has the name of its file, each heading the anchor that GitHub gives it, and each
relative link leads to a page of the site or to a copy of the file. Of a header: each label of a doc
block (Threads, Blocks, Order, Failure, Cost) begins a paragraph of its own.
"""

import pathlib
import posixpath
import re
import sys

sys.dont_write_bytecode = True
FENCE = re.compile(r"\s*```")
HEADING = re.compile(r"(#{1,6}) +(.*?) *#*$")
LINK = re.compile(r"(!?)\[((?:[^\[\]`]|`[^`]*`)*)\]\(([^()\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:|//")
LABEL = re.compile(r"^(\s*)/// ((?:Threads|Blocks|Order|Failure|Cost)(?:, (?:Threads|Blocks|Order|Failure|Cost))*): *")
# Text in bold may hold code. Doxygen takes ** before code for asterisks.
BOLD = re.compile(r"(?<!\*)\*\*(?=\S)((?:[^*`]|`[^`]*`)+?)(?<=\S)\*\*(?!\*)")
# The first page, which doxygen names itself.
START = "README.md"
# The page whose links give the other pages their places in the tree beside the text.
CONTENTS = "docs/README.md"


def page_of(path):
    """The name of a document's page, without .html."""
    return "index" if path == START else path.removesuffix(".md").removeprefix("docs/").replace("/", "_").replace("-", "_").lower()


def anchor_of(heading, seen):
    """The anchor that GitHub gives a heading; one that is there already gets a number."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
    seen[anchor] = seen.get(anchor, -1) + 1
    return f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor


def address(target, name):
    """Where a link of a document leads to in the site."""
    path, _, anchor = target.partition("#")
    place = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
    if not place.endswith(".md"):
        return f"source:{place}"
    page = page_of(place)
    return f"{page}.html" + (f"#{page}-{anchor}" if anchor else "")


def linked(prose, name):
    """Prose with its relative links made links of the site."""

    def replace(match):
        picture, text, target = match.groups()
        if ELSEWHERE.match(target):
            return match[0]
        if picture:
            return f'<img src="{posixpath.basename(target)}" alt="{text}"/>'
        to = address(target, name)
        if name == CONTENTS and to.endswith(".html") and to != "index.html":
            plain = text.replace("`", "").replace('"', "")
            return f'@subpage {to.removesuffix(".html")} "{plain}"'
        return f'<a href="{to}">{text}</a>'

    # What stands in code is no link, but the text of a link may hold code.
    return BOLD.sub(r"<b>\1</b>", LINK.sub(replace, prose))


def document(name, lines):
    page, seen, within, first, prose = page_of(name), {}, False, True, []

    def told():
        # The text of a link may reach over the end of a line.
        text = [linked("\n".join(prose), name)] if prose else []
        prose.clear()
        return text

    for line in lines:
        fence, heading = FENCE.match(line), HEADING.match(line)
        if not (fence or within or heading or line.startswith("    ")):
            prose.append(line)
            continue
        yield from told()
        if fence:
            within = not within
            # Only C++ is coloured.
            yield re.sub(r"```(?!cpp)\w+", "```{.unparsed}", line)
        elif within or not heading:
            yield line
        else:
            text, anchor = linked(heading[2], name), anchor_of(heading[2], seen)
            if first:
                first = False
                # The anchor of the title itself stands below it.
                text = text.replace("`", "")  # The list of pages shows a title as it is.
                yield f"# {text}" if page == "index" else f"# {text} {{#{page}}}"
                yield f'<a class="anchor" id="{page}-{anchor}"></a>'
            else:
                text = text.replace("`", "")  # Doxygen shows the marks of code in a heading.
                yield f"{heading[1]} {text} {{#{page}-{anchor}}}"
    yield from told()


def header(lines):
    for line in lines:
        if label := LABEL.match(line):
            yield f"{label[1]}/// @par {label[2]}"
            line = f"{label[1]}/// {line[label.end():]}"
        yield line


def main():
    path = pathlib.Path(sys.argv[1]).resolve()
    name = str(path.relative_to(pathlib.Path.cwd()))
    lines = path.read_text(encoding="utf-8").split("\n")
    result = document(name, lines) if name.endswith(".md") else header(lines)
    sys.stdout.buffer.write("\n".join(result).encode("utf-8"))


if __name__ == "__main__":
    main()
