# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""Makes the site of guide and reference: site.py FOLDER

Doxygen reads the documents and the public headers (docs/site/Doxyfile), each through filter.py. Then
this puts copies of the other files that documents link to beside the pages, and looks whether all is
well: no warning of doxygen, no link without a target, no public name without an entry, no declaration that
shows a macro.

Exit status: 0, 1 with a line for each fault, 77 without doxygen.
"""

import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "structure"))
import documents  # noqa: E402

SOURCE = re.compile(r'href="source:([^"]+)"')
NESTED = re.compile(r'<a href="#nested-classes">[^<]*</a> *(?:&#124;\s*)?')
PROGRAM = '<!DOCTYPE html><meta charset="utf-8"><title>{0}</title><h1>{0}</h1>\n{1}\n'


class Links(html.parser.HTMLParser):
    """The links of a page, and the anchors that it has."""

    def __init__(self):
        super().__init__()
        self.links, self.anchors = [], set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)


def run_doxygen(folder):
    """Runs doxygen. @returns its warnings."""
    version = re.search(r"project\(regatta VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    configuration = (ROOT / "docs/site/Doxyfile").read_text() + "".join(
        f"{name} = {value}\n"
        for name, value in {
            "OUTPUT_DIRECTORY": folder,
            "PROJECT_NUMBER": version,
            "GENERATE_TAGFILE": f"{folder}/tags.xml",
            "INPUT_FILTER": f"{sys.executable} docs/site/filter.py",
        }.items()
    )
    done = subprocess.run(["doxygen", "-"], input=configuration, cwd=ROOT, capture_output=True, text=True)
    said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    return said + ([f"doxygen: exit status {done.returncode}"] if done.returncode else [])


def compounds(folder):
    return xml.etree.ElementTree.parse(folder / "tags.xml").getroot().iter("compound")


def copy_sources(folder):
    """Leads links to files of the repository to the page of the header, or to a copy."""
    pages = {}
    for one in compounds(folder):
        if one.get("kind") == "file":
            path, file = one.findtext("path") + one.findtext("name"), one.findtext("filename")
            pages[str(pathlib.Path(path).relative_to(ROOT)) if path.startswith("/") else path] = file + ("" if file.endswith(".html") else ".html")

    def place(match):
        path = match[1]
        if path in pages:
            return f'href="{pages[path]}"'
        there, here = ROOT / path, folder / "source" / path
        if there.is_dir():
            names = sorted(file.name for file in there.iterdir() if file.is_file())
            here.mkdir(parents=True, exist_ok=True)
            for name in names:
                shutil.copyfile(there / name, here / f"{name}.txt")
            (here / "index.html").write_text(
                PROGRAM.format(path, "\n".join(f'<p><a href="{name}.txt">{name}</a></p>' for name in names))
            )
            return f'href="source/{path}/index.html"'
        here.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(there, f"{here}.txt")
        return f'href="source/{path}.txt"'

    for drawing in (ROOT / "docs/figures").glob("*.svg"):
        shutil.copyfile(drawing, folder / drawing.name)
    for page in folder.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        changed = SOURCE.sub(place, text)
        if 'id="nested-classes"' not in text and 'name="nested-classes"' not in text:
            changed = NESTED.sub("", changed)  # All of them are internal.
        if changed != text:
            page.write_text(changed, encoding="utf-8")


def shown_marks(folder):
    """Marks of the documents that a page shows as they are."""
    for page in sorted(folder.glob("*.html")):
        for mark in ("&lt;tt&gt;", "**<code>"):
            if mark in page.read_text(encoding="utf-8"):
                yield f"{page.name}: shows {mark}"


def dead_links(folder):
    """Links of the pages to files or anchors of the site that are not there."""
    read = {}

    def parsed(page):
        if page not in read:
            read[page] = Links()
            read[page].feed(page.read_text(encoding="utf-8"))
        return read[page]

    for page in sorted(folder.rglob("*.html")):
        if "search" in page.relative_to(folder).parts:
            continue
        for link in sorted(set(parsed(page).links)):
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = page.parent / urllib.parse.unquote(url.path) if url.path else page
            anchor = urllib.parse.unquote(url.fragment)
            if not target.is_file():
                yield f"{page.relative_to(folder)}: links to {link}, which is not there"
            elif anchor and target.suffix == ".html" and anchor not in parsed(target).anchors:
                yield f"{page.relative_to(folder)}: links to {link}, but that page has no such anchor"


def missing_names(folder):
    """Public names without an entry."""
    entries = set()
    for one in compounds(folder):
        entries.add(one.findtext("name").split("<")[0].rsplit("::", 1)[-1])
        entries.update(member.findtext("name").removeprefix("operator ") for member in one.iter("member"))
    for path in sorted((ROOT / "include").rglob("*.hpp")):
        if "detail" not in path.parts:
            for number, name in documents.declared(path.read_text(encoding="utf-8").split("\n")):
                if name not in entries:
                    yield f"{path.relative_to(ROOT)}:{number}: {name} has no entry in the site"


def shown_macros(folder):
    """Declarations that show a macro of the library: PREDEFINED of the Doxyfile lacks it."""
    for one in compounds(folder):
        for member in one.iter("member"):
            if member.get("kind") != "define" and (macro := re.search(r"REGATTA_\w+", f"{member.findtext('type')} {member.findtext('arglist')}")):
                yield f"{one.findtext('name')}: {member.findtext('name')} shows {macro[0]}"


def main():
    if len(sys.argv) != 2:
        print("usage: site.py FOLDER", file=sys.stderr)
        return 2
    if shutil.which("doxygen") is None:
        print("site.py: doxygen is not installed; `script/bootstrap docs` installs it", file=sys.stderr)
        return 77
    folder = pathlib.Path(sys.argv[1]).resolve()
    if folder.exists() and not (folder / "tags.xml").is_file() and any(folder.iterdir()):
        print(f"site.py: {folder} has files that this did not make", file=sys.stderr)
        return 2
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    faults = run_doxygen(folder)
    if (folder / "tags.xml").is_file():
        copy_sources(folder)
        faults += [*dead_links(folder), *missing_names(folder), *shown_macros(folder), *shown_marks(folder)]
    for line in faults:
        print(line)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
