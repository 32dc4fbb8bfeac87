# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""The man pages and completions that the build makes: every command and option of the help is there."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import environment, run

# Asks bash for the completions of a line, of which the last word is being typed.
BASH = r'''
source "$1"
COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2))
_regatta
printf '%s\n' "${COMPREPLY[@]}"
'''


def help_of(path):
    """(options, commands below, text) as `regatta ... --help` shows them."""
    result = run(*path, "--help")
    text = result.stdout
    assert result.returncode == 0, result
    options = re.findall(r"^  ((?:-\w,)?--[\w-]+(?:,--[\w-]+)*)", text, re.M)
    section = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.M)
    commands = re.findall(r"^  (\w+)", section[1], re.M) if section else []
    return [name for names in options for name in names.split(",")], commands


def all_commands(path=()):
    """{words of the command: its options}."""
    options, commands = help_of(path)
    found = {path: options}
    for name in commands:
        found.update(all_commands((*path, name)))
    return found


class ManPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        result = run("--write-documents", str(cls.folder))
        assert result.returncode == 0, result
        cls.commands = all_commands()
        assert len(cls.commands) > 10, cls.commands

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def tool(self, name):
        if shutil.which(name) is None:
            self.skipTest(f"{name} is not installed")

    def bash(self, *words):
        done = subprocess.run(["bash", "-c", BASH, "bash", str(self.folder / "bash" / "regatta"), *words],
                              capture_output=True, text=True, timeout=60, cwd=self.folder, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout.split()

    def test_each_command_has_a_man_page_with_every_option(self):
        pages = {file.name for file in (self.folder / "man").iterdir()}
        self.assertEqual(pages, {"-".join(["regatta", *path]) + ".1" for path in self.commands})
        for path, options in self.commands.items():
            text = (self.folder / "man" / ("-".join(["regatta", *path]) + ".1")).read_text(encoding="utf-8")
            plain = text.replace("\\-", "-")
            shown = re.findall(r"\\fB(--?[\w-]+)\\fR", plain.split(".SH OPTIONS")[1])
            self.assertEqual([option for option in options if option not in shown], [], path)
            for command in (other[-1] for other in self.commands if other[:-1] == path and other):
                self.assertIn(f"\\fBregatta-{'-'.join([*path, command])}\\fR(1)", plain)
            if "Examples:" in run(*path, "--help").stdout:
                self.assertIn(".SH EXAMPLES\n", text)

    def test_each_command_tells_its_exit_status_and_the_environment(self):
        for path in self.commands:
            text = (self.folder / "man" / ("-".join(["regatta", *path]) + ".1")).read_text(encoding="utf-8")
            self.assertIn(".SH EXIT STATUS\n", text, path)
            variables = text.split(".SH ENVIRONMENT\n")[1].split(".SH ")[0]
            if path:
                self.assertEqual(variables, "See \\fBregatta\\fR(1).\n", path)
            else:
                self.assertIn("NO_COLOR", variables)

    def test_the_date_is_that_of_the_version_or_of_the_build(self):
        for epoch, date in (("", r"20\d\d-\d\d-\d\d"), ("86400", "1970-01-02"), ("no number", r"20\d\d-\d\d-\d\d")):
            with tempfile.TemporaryDirectory() as folder:
                result = run("--write-documents", folder, env=environment(SOURCE_DATE_EPOCH=epoch))
                self.assertEqual(result.returncode, 0, result)
                for page in (pathlib.Path(folder) / "man").iterdir():
                    self.assertRegex(page.read_text(encoding="utf-8"), rf'^\.TH \S+ 1 "{date}" "regatta [\d.]+" ')

    def test_mandoc_accepts_the_pages(self):
        self.tool("mandoc")
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *sorted((self.folder / "man").iterdir())],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_man_accepts_the_pages(self):
        self.tool("man")
        for page in (self.folder / "man").iterdir():
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", str(page)], capture_output=True, text=True,
                                  timeout=60, env={**os.environ, "MANROFFSEQ": "", "LC_ALL": "C.UTF-8"}, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), page.name)
            self.assertIn("NAME", done.stdout)

    def test_bash_completes_every_command_and_option(self):
        for path, options in self.commands.items():
            self.assertEqual(sorted(self.bash("regatta", *path, "-")), sorted(options), path)
            words = self.bash("regatta", *path, "")
            for command in (other[-1] for other in self.commands if other[:-1] == path and other):
                self.assertIn(command, words)

    def test_bash_completes_values(self):
        (self.folder / "a result.json").touch()
        self.assertEqual(self.bash("regatta", "race", "--rounds", "5", "--basel"), ["--baseline"])
        self.assertIn("std_thread", self.bash("regatta", "race", "--baseline", "std"))
        self.assertEqual(self.bash("regatta", "race", "--schemes", "serial,std_th"), ["serial,std_thread"])
        self.assertEqual(self.bash("regatta", "race", "pri"), ["primes"])
        for command in ("race", "scale", "advise"):  # A workload of one's own is a file.
            self.assertIn("primes", self.bash("regatta", command, "p"))
            self.assertEqual(self.bash("regatta", command, "./zs"), ["./zsh"])
        self.assertEqual(self.bash("regatta", "race", "--rounds", ""), [])
        self.assertEqual(self.bash("regatta", "race", "--json", "a"), ["a", "result.json"])
        self.assertEqual(self.bash("regatta", "cpus", "plan", "--root", "z"), ["zsh"])
        self.assertIn("bash", self.bash("regatta", "cpus", "run", "2", "--", "bas"))
        # Bash makes words of an option with its value: "--schemes=st" is three.
        self.assertIn("std_thread", self.bash("regatta", "race", "--schemes", "=", "std"))
        self.assertIn("std_thread", self.bash("regatta", "race", "--schemes", "="))
        self.assertNotIn("stream", self.bash("regatta", "race", "--schemes", "=", "st"))
        self.assertEqual(self.bash("regatta", "race", "--type", ""), ["float", "double"])
        self.assertEqual(self.bash("regatta", "race", "--type", "="), ["float", "double"])
        self.assertEqual(self.bash("regatta", "scale", "--workers", ""), ["auto"])
        self.assertEqual(self.bash("regatta", "race", "--workers", ""), [])
        self.assertEqual(self.bash("regatta", "cpus", "run", "--at-least", "s"), ["soft", "swept", "shielded"])
        self.assertEqual(len(self.bash("regatta", "cpus", "run", "--at-least", "")), 6)

    def test_the_other_shells_know_the_values_too(self):
        zsh = (self.folder / "zsh" / "_regatta").read_text(encoding="utf-8")
        self.assertIn("(float double)'", zsh)
        self.assertIn("(auto)'", zsh)
        self.assertIn("(soft swept shielded ", zsh)
        fish = (self.folder / "fish" / "regatta.fish").read_text(encoding="utf-8")
        self.assertIn("-l type -x -a 'float double'", fish)
        self.assertIn("-l workers -x -a 'auto'", fish)
        self.assertIn("-l at-least -x -a 'soft swept shielded ", fish)

    def test_zsh_reads_the_completion_with_every_option(self):
        text = (self.folder / "zsh" / "_regatta").read_text(encoding="utf-8")
        for path, options in self.commands.items():
            case = text.split("('" + " ".join(["regatta", *path]) + "')\n")[1].split(";;")[0]
            self.assertEqual([option for option in options if f"){option}[" not in case and f"*{option}[" not in case],
                             [], path)
        self.tool("zsh")
        done = subprocess.run(["zsh", "-n", str(self.folder / "zsh" / "_regatta")], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        race = text.split("('regatta race')\n")[1].split(";;")[0]
        self.assertIn("_files", race.splitlines()[-2])
        self.assertIn("primes", race.splitlines()[-2])

    def test_fish_completes_every_command_and_option(self):
        file = self.folder / "fish" / "regatta.fish"
        text = file.read_text(encoding="utf-8")
        for path, options in self.commands.items():
            lines = "\n".join(re.findall(rf"^.*'__regatta_at {' '.join(['regatta', *path])}'.*$", text, re.M))
            for option in options:
                self.assertRegex(lines, rf" -[ls] {option.lstrip('-')}( |$)", path)
        self.assertRegex(text, r"'__regatta_at regatta race' -F -a '[\w ]*primes")
        self.tool("fish")
        for path, options in self.commands.items():
            line = " ".join(["regatta", *path, "--"])
            done = subprocess.run(["fish", "--no-config", "-c", f"source {file}; complete -C '{line}'"],
                                  capture_output=True, text=True, timeout=60, check=False)
            shown = [entry.split("\t")[0] for entry in done.stdout.splitlines()]
            wanted = sorted(option for option in options if option.startswith("--"))
            self.assertEqual(sorted(entry for entry in shown if entry.startswith("--")), wanted, (path, done.stderr))


if __name__ == "__main__":
    unittest.main()
