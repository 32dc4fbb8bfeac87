# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""The outputs in the documents: captures.py REGATTA | captures.py --check FOLDER

A block that follows a line `<!-- output of COMMAND -->` shows what the command prints. The command is one of
`regatta`, or the file of an example. With the path of `regatta` each is run again and the block written anew;
with --check FOLDER the programs of the examples in that folder are run, and their blocks compared.

Exit status: 0, or 1 where a block is not what its program prints.
"""

import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(<!-- output of (?P<command>[^\n]+) -->\n```\n)(?P<text>.*?\n)(```\n)", re.S)
EXAMPLE = re.compile(r"examples/(\w+)\.cpp$")


def documents():
    return sorted(str(file.relative_to(ROOT)) for file in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def output_of(words):
    environment = {**os.environ, "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=600)
    if done.returncode != 0:
        raise SystemExit(f"captures.py: {shlex.join(map(str, words))} ended with status {done.returncode}: {done.stderr}")
    return done.stdout.strip("\n") + "\n"


def example(command, folder):
    """Builds an example as its reader would. @returns the program."""
    program = pathlib.Path(folder) / EXAMPLE.match(command)[1]
    subprocess.run(["g++", "-std=c++20", "-O2", "-Iinclude", command, "-o", program, "-pthread"], cwd=ROOT, check=True)
    return program


def renew(regatta):
    with tempfile.TemporaryDirectory() as folder:

        def anew(match):
            command = match["command"]
            print(command, file=sys.stderr)
            words = [example(command, folder)] if EXAMPLE.match(command) else [regatta, *shlex.split(command)[1:]]
            return match[1] + output_of(words) + match[4]

        for name in documents():
            text = (ROOT / name).read_text(encoding="utf-8")
            if (changed := BLOCK.sub(anew, text)) != text:
                (ROOT / name).write_text(changed, encoding="utf-8")


def differing(folder):
    for name in documents():
        for match in BLOCK.finditer((ROOT / name).read_text(encoding="utf-8")):
            if found := EXAMPLE.match(match["command"]):
                printed = output_of([folder / f"example_{found[1]}"])
                if printed != match["text"]:
                    yield f"{name}: {match['command']} prints otherwise:\n{printed}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regatta", nargs="?", type=pathlib.Path, help="the command, to run everything again")
    parser.add_argument("--check", metavar="FOLDER", type=pathlib.Path, help="the folder with the built examples, to compare")
    options = parser.parse_args()
    if options.check:
        faults = list(differing(options.check))
        print("\n".join(faults) + "\nscript/docs --captures shows it anew" if faults else "")
        return 1 if faults else 0
    if not options.regatta:
        parser.error("REGATTA or --check FOLDER")
    renew(options.regatta.resolve())
    return 0


if __name__ == "__main__":
    sys.exit(main())
