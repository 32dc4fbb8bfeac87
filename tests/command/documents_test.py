# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""What the documents show of the command exists: subcommands, options, schemes, workloads, scripts."""

import glob
import json
import os
import re
import unittest

import support
from support import run

ROOT = support.ROOT
FENCED = re.compile(r"^```[^\n]*\n(.*?)^```", re.M | re.S)
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
OPTION = re.compile(r"--[a-z][a-z-]*")
# Options of other programs that documents name alone.
FOREIGN = {"--prefix", "--gtest_filter", "--component", "--build", "--preset", "--target", "--install"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def help_of(*words):
    return run(*words, "--help", env=support.environment(COLUMNS="400")).stdout


def options_below(*words):
    """{command: its options} of a command and of its subcommands."""
    text = help_of(*words)
    found = {" ".join(words): set(OPTION.findall(text))}
    below = re.search(r"^(?:Subc|C)ommands:\n((?:  .*\n)+)", text, re.M)
    for name in re.findall(r"^  (\w+)  ", below[1], re.M) if below else []:
        if name != "help":
            found |= options_below(*words, name)
    return found


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.options = options_below()
        listing = json.loads(run("race", "--list", "--json", "-").stdout)
        cls.workloads = {one["name"] for one in listing["workloads"]}
        cls.schemes = {name for one in listing["schemes"] for name in (one["name"], one["alias"])} | {"all"}
        cls.scripts = {"script/" + name for name in os.listdir(os.path.join(ROOT, "script"))}
        cls.others = set(FOREIGN)
        for path in (glob.glob(os.path.join(ROOT, "script", "*")) + glob.glob(os.path.join(ROOT, "bench", "*"))
                     + glob.glob(os.path.join(ROOT, "docs", "site", "*.py")) + [os.path.join(ROOT, "tests", "machine", "fresh_debian")]):
            cls.others |= set(OPTION.findall(read(path)))

    def calls(self):
        """(where, program, words) of each call of the command or a script that a document shows."""
        for folder in (ROOT, os.path.join(ROOT, "docs"), os.path.join(ROOT, "docs", "*")):
            for path in sorted(glob.glob(os.path.join(folder, "*.md"))):
                if os.path.basename(path) == "CHANGELOG.md":
                    continue
                text = read(path)
                fenced = [line for block in FENCED.findall(text) for line in block.replace("\\\n", "").split("\n")]
                prose = FENCED.sub("", text)
                indented = [line for line in prose.split("\n") if line.startswith("    ")]
                marked = re.findall(r"<!-- output of (.*) -->", text)
                spans = SPAN.findall(re.sub(r"^    .*$", "", prose, flags=re.M))
                for shown in fenced + indented + marked:
                    # A prompt, or nothing, stands before a call; what follows a # is a comment.
                    if found := re.match(r"\s*(?:sudo )?(?:\S*/)?(regatta|script/\w+)((?: .*)?)$", re.sub(r"\s#.*", "", shown)):
                        yield os.path.relpath(path, ROOT), found[1], found[2].split()
                for shown in spans:
                    if found := re.match(r"(regatta|script/\w+)((?: .*)?)$", shown):
                        yield os.path.relpath(path, ROOT), found[1], found[2].split()

    def test_calls(self):
        seen = 0
        for where, program, words in self.calls():
            if program == "regatta" and words and not re.match(r"[a-z]+$|--", words[0]):
                continue  # A sentence that names the command.
            seen += 1
            with self.subTest(where=where, call=" ".join([program, *words])):
                if program != "regatta":
                    self.assertIn(program, self.scripts)
                    if program != "script/race":
                        continue
                    words = ["race", *words]
                words = words[: words.index("--")] if "--" in words else words
                alone = not words or words[0].startswith("-")
                names = [""] if alone else [" ".join(words[:2]), " ".join(words[:1])]
                name = next((n for n in names if n in self.options), None)
                self.assertIsNotNone(name, "no such command")
                rest = words[len(name.split()):]
                for option in OPTION.findall(re.sub(r"'[^']*'|\"[^\"]*\"", "", " ".join(rest))):
                    self.assertIn(option, self.options[name] | {"--version"})
                for option, value in zip(rest, rest[1:]):
                    if option in ("--schemes", "--scheme", "--baseline"):
                        for scheme in value.split(","):
                            if re.fullmatch(r"(\w+=)?[a-z_0-9]+", scheme):
                                self.assertIn(scheme.split("=")[-1], self.schemes)
                if name in ("race", "scale", "advise") and rest and re.fullmatch(r"[a-z_]+", rest[0]):
                    self.assertIn(rest[0], self.workloads)
        self.assertGreater(seen, 80)
        self.assertGreater(len(self.options), 10)

    def test_options_named_alone(self):
        known = set().union(self.others, *self.options.values())
        for folder in (ROOT, os.path.join(ROOT, "docs"), os.path.join(ROOT, "docs", "*")):
            for path in sorted(glob.glob(os.path.join(folder, "*.md"))):
                if os.path.basename(path) == "CHANGELOG.md":
                    continue
                for span in SPAN.findall(FENCED.sub("", read(path))):
                    if found := re.match(r"(--[a-z][a-z-]*)", span):
                        with self.subTest(where=os.path.relpath(path, ROOT), span=span):
                            self.assertIn(found[1], known)

    def test_captured_races_show_schemes_that_exist(self):
        shown = 0
        for path in sorted(glob.glob(os.path.join(ROOT, "docs", "guide", "*.md"))):
            for block in re.findall(r"<!-- output of regatta race.*? -->\n```\n(.*?)```", read(path), re.S):
                # A sweep's table begins with its axes; an isolation race has no schemes.
                table = re.search(r"^(?:scheme|size|capacity)  .*?\n\n", block, re.M | re.S)
                for name in re.findall(r"^(\w+)  ", table[0], re.M)[1:] if table else []:
                    shown += 1
                    with self.subTest(where=os.path.relpath(path, ROOT), scheme=name):
                        self.assertIn(name, self.schemes)
        self.assertGreater(shown, 5)


if __name__ == "__main__":
    support.main()
