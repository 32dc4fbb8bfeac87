# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""What the command says to right and wrong words."""

import functools
import json
import os
import re
import subprocess
import tempfile
import unittest

import support
from support import QUICK, REGATTA, run


def documented(name):
    """The names in the table of docs/reference/NAME.md; structure.py holds it against the registry."""
    path = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "reference", name + ".md")
    with open(path, encoding="utf-8") as file:
        table = re.search(rf"^\| {name[:-1]} \|.*?\n\n", file.read(), re.M | re.S)[0]
    cells = [line.split("|")[1] for line in table.splitlines()[2:] if line]
    return [word for cell in cells for word in re.findall(r"`(\w+)`", cell)]


@functools.lru_cache(maxsize=None)
def help_of(*words):
    return run(*words, "--help")


class Usage(unittest.TestCase):
    def refused(self, *words, says):
        result = run(*words)
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(result.stdout, "")
        for text in says:
            self.assertIn(text, result.stderr)

    def test_version(self):
        for word in ("--version", "-V"):
            result = run(word)
            self.assertEqual(result.returncode, 0)
            self.assertRegex(result.stdout, r"^regatta \d+\.\d+\.\d+\n$")

    def commands(self, *above):
        """All commands, each as its words."""
        yield above
        below = re.search(r"^Subcommands:\n((?:  .*\n)*)", help_of(*above).stdout, re.M)
        for name in re.findall(r"^  (\w+) ", below[1] if below else "", re.M):
            yield from self.commands(*above, name)

    def test_every_help_keeps_to_80_columns(self):
        commands = list(self.commands())
        self.assertIn(("cpus", "run"), commands)
        self.assertIn(("race", "isolation"), commands)
        for words in commands:
            result = help_of(*words)
            self.assertEqual(result.returncode, 0, result)
            self.assertEqual([line for line in result.stdout.splitlines() if len(line) > 80], [])

    def test_help_is_a_command_too(self):
        for words in self.commands():
            self.assertEqual(run("help", *words).stdout, help_of(*words).stdout)

    def test_no_line_of_a_help_ends_early(self):
        for words in self.commands():
            lines = help_of(*words).stdout.splitlines()
            prose = lines[max(i for i, line in enumerate(lines) if line.startswith(" ")) + 1:]
            for line, following in zip(prose, prose[1:]):
                if line and following:
                    self.assertGreater(len(line) + 1 + len(following.split()[0]), 80, line)

    def test_help_has_examples(self):
        for words in (["--help"], ["race", "--help"]):
            result = run(*words)
            self.assertEqual(result.returncode, 0)
            self.assertIn("Examples:", result.stdout)
            self.assertIn("regatta race", result.stdout)

    def test_list_names_everything(self):
        result = run("race", "--list")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("--size", result.stdout)
        listed = re.findall(r"\w+", result.stdout)
        for document, most in (("workloads", 20), ("schemes", 100)):
            rows = documented(document)
            self.assertTrue(5 < len(rows) < most, rows)
            self.assertEqual([name for name in rows if name not in listed], [])
        for columns in ("40", "80"):
            narrow = run("race", "--list", env=support.environment(COLUMNS=columns)).stdout
            widest = max(len(line) for line in narrow.splitlines())
            self.assertLessEqual(widest, int(columns))

    def test_list_says_who_cannot_run_the_workload(self):
        result = run("race", "within", "--list", env=support.environment(COLUMNS="300"))
        self.assertEqual(result.returncode, 0, result.stderr)
        able, skipped = result.stdout.split("Skipped here")
        self.assertRegex(skipped, r"std_thread[ ,\w\n]*: .*within")
        self.assertNotIn("  std_thread ", able)
        self.assertIn("  mutex_queue ", able)
        self.assertNotIn("mutex_queue", skipped)

    def test_the_list_is_there_for_programs(self):
        result = run("race", "within", "--list", "--json", "-")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        document = json.loads(result.stdout)
        support.validate(document, "list")
        self.assertCountEqual([one["name"] for one in document["workloads"]], documented("workloads"))
        why = {one["name"]: one["missing"] for one in document["schemes"]}
        self.assertIn("within", why["std_thread"])
        self.assertIsNone(why["mutex_queue"])
        self.assertEqual([name for name in documented("schemes") if name not in why], [])

    def test_what_is_only_looked_up_has_no_text_beside_its_json(self):
        for words in (["info"], ["race", "--list"], ["shm"], ["cpus"], ["cpus", "status"], ["cpus", "plan", "0"]):
            result = run(*words, "--json", "-")
            self.assertEqual(result.stderr, "", words)
            json.loads(result.stdout)

    def test_quiet_leaves_the_files_and_the_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            result = run("race", "--schemes", "serial", "--json", path, "-q", *QUICK)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
            with open(path, encoding="utf-8") as file:
                support.validate(json.load(file), "race")
        self.refused("race", "-q", "--size", "1", says=["64"])

    def test_no_subcommand(self):
        self.refused(says=["no command was named"])

    def test_an_option_without_a_command_is_named(self):
        self.refused("--worker", says=['`regatta` has no option "--worker"', "`regatta --help`"])
        self.refused("-x", says=['`regatta` has no option "-x"'])
        self.refused("race", "--workload", "matmul", says=['no option "--workload"; give the workload without it\n'])

    def test_the_flags_of_processes_that_the_command_starts_are_refused(self):
        for flag, starter in (("--regatta-worker", "a race"), ("--regatta-noise", "an experiment")):
            self.refused(flag, says=[f"{flag} is for the processes that {starter} starts itself"])
            self.refused(flag, "nothing", says=[f"{flag} is for the processes that {starter} starts itself"])

    def test_unknown_command(self):
        self.refused("rcae", says=['no command "rcae"', 'did you mean "race"?', "`regatta --help`"])
        self.refused("cpus", "chek", says=['no command "cpus chek"', 'did you mean "cpus check"?',
                                           "`regatta cpus --help`"])
        self.refused("help", "rcae", says=['no command "rcae"'])

    def test_a_word_too_many(self):
        self.refused("scale", "primes", "matmul", says=["takes no further word", '"matmul"'])

    def test_no_word_after_two_dashes_is_an_option(self):
        self.refused("scale", "primes", "--", "--items", "4", says=['takes no further word: "--items"\n'])
        self.refused("race", "--", "primes", "--rounds", "1", says=['takes no further word: "--rounds"\n'])
        self.refused("cpus", "plan", "--", says=["cpus is required"])
        self.refused("scale", "--item", "4", "--", "primes", says=['has no option "--item"; did you mean "--items"?\n'])

    def test_two_plus_signs_are_a_word(self):
        self.refused("info", "++", says=['takes no further word: "++"\n'])
        self.refused("race", "++", says=['no workload "++"'])
        self.refused("advise", "++", says=['"++" is neither a file nor a workload\n'])

    def test_words_in_brackets_are_told_as_they_were_typed(self):
        self.refused("scale", "primes", "[a,b]", says=['takes no further word: "[a,b]"\n'])
        self.refused("advise", "[a,b]", says=['"[a,b]" is neither a file nor a workload\n'])
        self.refused("race", "--seed", "[1]", says=['--seed: "[1]" is not a whole number'])
        self.refused("race", "--schemes", "[x]", says=['no scheme "[x]"'])

    def test_schemes_may_stand_before_the_workload(self):
        result = run("race", "--schemes", "serial", "matmul", *QUICK)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.refused("race", "--schemes", "serial", "matmull", says=['no workload "matmull"'])

    def test_unknown_option(self):
        self.refused("race", "--sise", "64", says=[
            '`regatta race` has no option "--sise"; did you mean "--size"?', "`regatta race --help`"])
        self.refused("cpus", "plan", "1", "--xyzzyplugh", says=[
            '`regatta cpus plan` has no option "--xyzzyplugh"\n'])

    def test_a_short_flag_takes_no_value(self):
        for value in ("=no", "1", "-list"):
            self.refused("race", "-q" + value, says=[f'`regatta race`: a flag takes no value: "{value}"\n'])
        self.refused("-V1", says=['`regatta`: a flag takes no value: "1"\n'])
        self.refused("race", "-qx", says=['no option "-x"'])
        self.refused("race", "--json", "-q1", "--time", "0", says=["--time: "])  # the value of --json
        self.refused("race", "--", "-q1", says=['no workload "-q1"'])

    def test_an_empty_name_is_no_default(self):
        self.refused("race", "--baseline", "", *QUICK, says=["--baseline: the name is empty"])

    def test_unknown_names_get_the_nearest(self):
        self.refused("race", "matmull", says=['no workload "matmull"', 'did you mean "matmul"?'])
        self.refused("race", "--schemes", "std_thred", *QUICK,
                     says=['no scheme "std_thred"', 'did you mean "std_thread"?', "--list"])
        self.refused("race", "--schemes", "xyzzyplugh", *QUICK, says=['no scheme "xyzzyplugh"'])
        self.refused("race", "--schemes", "serail,tbb,std_thred", *QUICK, says=[
            'no scheme "serail" (did you mean "serial"?), there is no scheme "std_thred" (did you mean "std_thread"?); `'])

    def test_what_is_not_near_is_not_suggested(self):
        for words in (["cpus", "nosuch"], ["nosuch"], ["race", "--nosuch"], ["race", "---"], ["race", "-x"],
                      ["race", "--schemes", "nosuch"], ["race", "nosuch"]):
            result = run(*words)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertNotIn("did you mean", result.stderr)

    def test_a_refused_number_is_quoted_as_typed(self):
        self.refused("race", "--margin", "5%%", says=['--margin: "5%%" is not a number from 0 to 50'])
        self.refused("race", "--rate", "5/s/s", says=['--rate: "5/s/s" is not a number from 0.001'])

    def test_a_list_begins_no_race(self):
        for words in (["--schemes", "nosuch"], ["--size", "5"], ["--rounds", "3"], ["--command", "a=true"]):
            self.refused("race", "--list", *words, says=[f"{words[0]} is for a race, and --list begins none"])
        self.assertEqual(run("race", "matmul", "--list", "-q").stdout, "")

    def test_rates_that_cannot_be_offered(self):
        for rate in ("0", "-1", "nan", "many", "1e12", "5/min"):
            self.refused("race", "empty", "--rate", rate, says=["--rate"])
        self.refused("race", "within", "--rate", "10/s", says=["the items of within hand out one another"])
        self.refused("race", "empty", "--rate", "10", says=["take 167 minutes to arrive"])
        self.refused("race", "--command", "a=true", "--rate", "10", says=["--rate", "a program"])
        result = run("race", "empty", "--schemes", "std_thread", "--rate", "100000", *QUICK[2:])
        self.assertEqual(result.returncode, 1, result)
        self.assertIn("std_thread was asked for but cannot run: it takes no single tasks", result.stderr)

    def test_ranges(self):
        for workers in ("0", "1025", "-1", "two"):
            self.refused("race", "--workers", workers, says=["--workers"])
        self.refused("race", "--time", "0", says=["--time"])
        self.refused("race", "--size", "63", says=["63", "64"])
        self.refused("race", "--size", "2049", says=["2049", "2048"])
        for number in ("", "-1", "1.5", "18446744073709551616"):
            self.refused("race", "--seed", number, says=["--seed", f'"{number}"'])
            self.refused("race", "--order-seed", number, says=["--order-seed", f'"{number}"'])
            self.refused("race", "--size", number, says=["--size", f'"{number}"'])
        self.refused("race", "--time", "nan", says=["--time", "nan"])
        self.refused("race", "--kernel", "fast", says=["fast", "naive"])
        self.refused("race", "--size", "0", says=["0", "64"])
        self.refused("race", "empty", "--size", "99", says=["99", "100000000"])
        self.refused("race", "empty", "--kernel", "naive", says=["empty", "--kernel"])
        self.refused("race", "--type", "half", says=['type "half"', "float, double"])
        self.refused("race", "--kernel", "tiled", "--type", "double", says=["tiled", "float only"])
        self.refused("race", "primes", "--type", "double", says=["primes", "--type"])
        self.refused("race", "--items", "3", says=["matmul", "--items"])
        self.refused("race", "inverse", "--items", "0", says=["items 0", "1 to 256"])
        self.refused("race", "products", "--items", "x", says=["--items", '"x"'])
        self.refused("race", "--max-prime", "1000", says=["matmul", "--max-prime"])
        self.refused("race", "primes", "--max-prime", "999", says=["max-prime 999", "1000"])
        self.refused("race", "primes", "--max-prime", "-1", says=["--max-prime", '"-1"'])
        self.refused("race", "stream", "--size", "16385", says=["16385", "16384"])

    def test_every_number_is_refused_in_the_same_words(self):
        for words, highest in ((["race", "--rounds"], 100000), (["race", "--workers"], 1024),
                               (["race", "--chunk"], 1000000), (["scale", "--rounds"], 100000),
                               (["advise", "--rounds"], 100000),
                               (["race", "isolation", "--rounds"], 100000),
                               (["race", "isolation", "--workers"], 1024),
                               (["watch", "--pid"], 2147483647),
                               (["watch", "--count"], 1000000000),
                               (["cpus", "check", "0", "--owner"], 4194304),
                               (["cpus", "run", "--count"], 1048576)):
            # The last two would be 16 and 8 in C. One function reads them all.
            all_of_one = ("-1", "some", "", "1.5", "0x10", "010") if words == ["race", "--rounds"] else ()
            for number in ("0", str(highest + 1), *all_of_one):
                self.refused(*words, number, says=[
                    f'{words[-1]}: "{number}" is not a whole number from 1 to {highest}\n'])
        for number in ("-1", "51", "51%", "%", "1%%", "some", "", "nan", "0x10", " 5"):
            self.refused("race", "--margin", number, says=["--margin", "is not a number from 0 to 50"])
        for number in ("0", "-1", "some", "", "nan", "1000000001", "0x10", " 5"):
            self.refused("scale", "--rate", number, says=[
                f'--rate: "{number}" is not a number from 0.001 to 1000000000\n'])

    def test_every_length_of_time_is_refused_in_the_same_words(self):
        for words, shortest, longest, beyond in (
                (["race", "--time"], "1ms", "7d", "169h"),
                (["scale", "--time"], "1ms", "7d", "604801"),
                (["race", "--kill-every"], "1us", "30d", "31d"),
                (["race", "isolation", "--work"], "1ms", "1h", "3601"),
                (["watch", "--interval"], "100ms", "1h", "99ms"),
                (["cpus", "check", "0", "--for"], "1ns", "30d", "31d"),
                (["cpus", "check", "0", "--threshold"], "100ns", "30d", "99ns")):
            all_of_one = ("-1", "some", "", "nan", "10 parsecs") if words == ["race", "--time"] else ()
            for time in ("0", beyond, *all_of_one):
                self.refused(*words, time, says=[
                    f'{words[-1]}: "{time}" is no length of time from {shortest} to {longest}; '])

    def test_a_margin_is_a_number_of_percent(self):
        for command in ("race", "scale"):
            for margin in ("-1", "some", "", "nan", "51"):
                self.refused(command, "--margin", margin, says=[
                    f'--margin: "{margin}" is not a number from 0 to 50\n'])

    def test_a_margin_that_no_double_tells_from_0_is_0(self):
        result = run("race", "empty", "--size", "100", "--rounds", "1", "--schemes", "serial", "--margin", "1e-400")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.refused("race", "--margin", "1e400", says=["--margin", "is not a number from 0 to 50"])
        self.refused("scale", "--rate", "1e-400", says=["--rate", "is not a number from 0.001"])

    def test_a_size_is_not_said_to_be_any_number(self):
        for option in ("--size", "--max-prime"):
            result = run("scale", option, "-1")
            self.assertIn(f'{option}: "-1" is not a whole number within the workload\'s limits, '
                          "which `regatta race --list` shows", result.stderr)

    def test_help_tells_every_status(self):
        for words in (["race"], ["race", "isolation"], ["scale"], ["advise"],
                      ["cpus", "check"]):
            self.assertRegex(run(*words, "--help").stdout.replace("\n", " "),
                             "129, 130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM")

    def test_an_option_without_its_value_is_told_in_plain_words(self):
        self.refused("race", "--json", says=["--json has no value; write --json FILE\n"])
        self.refused("race", "--json=", "--rounds", "3", says=["--json has no value; write --json FILE\n"])
        for words in (["--json", "--quiet"], ["--json", "-q"], ["--csv", "--json=-"], ["--json", "--", "empty"],
                      ["--baseline", "--launches"], ["--command", "--json=true", "--launches", "2"]):
            says = f"{words[0]} has no value; write {words[0]} "
            self.refused("race", "--schemes", "serial", *QUICK, *words, says=[says])
        self.refused("watch", "--json", "--", "true", says=["--json has no value; write --json FILE\n"])
        with tempfile.TemporaryDirectory() as folder:  # with its name it may be anything
            result = run("race", "--schemes=--csv=serial", *QUICK, "-q", "--json=--quiet", "--baseline=--csv",
                         "--launches", "2", cwd=folder)
            self.assertEqual((result.returncode, os.listdir(folder)), (0, ["--quiet"]), result.stderr)
        self.refused("race", "--json", "a", "--json", "b", says=["--json is there twice\n"])
        self.refused("race", "--list=no", says=["--list takes no value\n"])

    def test_lists_have_no_empty_entries(self):
        for option, value, lists in (("--schemes", "A,B,...", ("serial,,std_thread", ",serial", "serial,")),
                                     ("--workers", "N,...", ("1,,2", ",1", "1,")),
                                     ("--size", "N,...", ("64,",)), ("--chunk", "N,...", (",1",))):
            for typed in lists:
                says = [f'{option}: "{typed}" has an empty entry; write {option} {value}\n']
                self.refused("race", option, typed, says=says)
                self.refused("race", f"{option}={typed}", says=says)
        for option, value in (("--schemes", "A,B,..."), ("--workers", "N,..."), ("--size", "N,..."),
                              ("--capacity", "N,...")):
            self.refused("race", option, ",", "--rounds", "3", says=[
                f'{option}: "," has an empty entry; write {option} {value}\n'])
            self.refused("race", f"{option}=,,", says=[
                f'{option}: ",," has an empty entry; write {option} {value}\n'])
        self.refused("race", "--command", "a=printf ,", "--rounds", "0", says=["--rounds: "])  # that is no list

    def test_help_that_cannot_be_written_is_no_success(self):
        for word in ("--help", "--version"):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([REGATTA, word], stdout=full, stderr=subprocess.PIPE,
                                        env=support.environment(), encoding="utf-8", timeout=100)
            self.assertEqual(result.returncode, 1, result)
            self.assertIn("cannot write to standard output", result.stderr)

    def test_names_that_no_terminal_shows_are_refused(self):
        for name in ("a\033[31mb", "a\nb", "a\udcff"):
            self.refused("race", "--schemes", f"{name}=serial", says=["cannot be shown"])
            self.refused("race", "--command", f"{name}=true", says=["--command: "])

    def test_errors_keep_control_characters_of_file_names_from_the_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a\033[31mb")
            os.symlink("/dev/full", path)
            result = run("race", "--schemes", "serial", *QUICK, "-q", "--json", path)
            self.assertEqual(result.returncode, 1, result)
            self.assertIn("a?[31mb: No space left", result.stderr)
            self.assertNotIn("\033", result.stderr)

    def test_the_list_is_ascii_without_utf8(self):
        result = run("race", "--list", env=support.environment(LC_ALL="C", LANG="C"))
        self.assertEqual([line for line in result.stdout.splitlines() if not line.isascii()], [])

    def test_the_list_leaves_a_csv_file_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("kept")
            self.refused("race", "--list", "--csv", path, says=["--csv is for a race", "--json"])
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "kept")

    def test_rounds_and_time_exclude_each_other(self):
        self.refused("race", "--rounds", "3", "--time", "1", says=["--rounds", "--time"])

    def test_one_scheme_twice_needs_two_names(self):
        self.refused("race", "--schemes", "serial,serial", says=["twice", "other=serial"])
        self.refused("race", "--schemes", "=serial", says=["NAME=SCHEME"])
        result = run("race", "--schemes", "a=serial,b=serial", *QUICK)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_baseline_must_be_in_the_race(self):
        self.refused("race", "--schemes", "serial", "--baseline", "tbb", says=["tbb"])
        self.refused("race", "--schemes", "a=serial,b=serial", "--baseline", "serial", says=["serial"])
        for schemes, typed, name in (("serial,balanced", "regatta", "balanced"),
                                     ("serial,regatta", "balanced", "regatta"),
                                     ("a=serial,b=std_thread", "serial", "a"),
                                     ("tbb=serial,b=std_thread", "tbb", "tbb")):
            result = run("race", "--schemes", schemes, "--baseline", typed, *QUICK, "--json", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout)["baseline"], name)

    def test_an_unwritable_file_is_known_before_the_race(self):
        self.refused("race", "--json", "/nowhere/result.json", "--time", "1000",
                     says=["/nowhere/result.json", "No such file"])
        self.refused("race", "--csv", "/", "--time", "1000", says=["cannot write /"])

    def test_a_file_is_not_left_behind_by_a_refused_race(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            self.refused("race", "--json", path, "--size", "1", says=["64"])
            self.assertFalse(os.path.exists(path))
            with open(path, "w", encoding="utf-8") as file:
                file.write("precious")
            self.refused("race", "--json", path, "--size", "1", says=["64"])
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "precious")

    def test_two_results_do_not_fit_into_one_standard_output(self):
        self.refused("race", "--json", "-", "--csv", "-", says=["--json and --csv", "standard output"])
        self.refused("scale", "--html", "-", "--csv", "-", says=["--csv and --html", "standard output"])

    def test_two_results_do_not_fit_into_one_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result")
            self.refused("race", "--json", path, "--csv", path, says=["--json", "--csv", path])
            self.assertFalse(os.path.exists(path))

    def test_two_results_do_not_fit_into_one_file_by_two_names(self):
        with tempfile.TemporaryDirectory() as folder:
            path, link = (os.path.join(folder, name) for name in ("result", "link"))
            os.symlink(path, link)
            for other in (os.path.join(folder, ".", "result"), link):
                self.refused("race", "--json", path, "--csv", other, *QUICK,
                             says=[f"--json {path} and --csv {other} are one file"])
                self.assertFalse(os.path.exists(path))  # it was made for nothing
            with open(path, "w", encoding="utf-8") as file:
                file.write("precious")
            os.link(path, os.path.join(folder, "hard"))
            for other in (link, os.path.join(folder, "hard")):
                self.refused("race", "--json", path, "--csv", other, *QUICK, says=["are one file"])
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "precious")

    def test_standard_output_is_no_way_into_the_file_of_a_result(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result")
            for words in (["--json", path], ["--csv", path], ["--json", path, "--csv", "-"],
                          ["--csv", path, "--json", "-"]):
                with open(path, "w", encoding="utf-8") as file:
                    result = subprocess.run([REGATTA, "race", *words, *QUICK], stdout=file,
                                            stderr=subprocess.PIPE, timeout=100, encoding="utf-8")
                self.assertEqual(result.returncode, 2, (words, result.stderr))
                self.assertIn("standard output", result.stderr)

    def test_a_pipe_takes_one_result(self):
        for words in (["--json", "/dev/stdout"], ["--csv", "/proc/self/fd/1"],
                      ["-q", "--json", "/dev/stdout", "--csv", "/proc/self/fd/1"],
                      ["-q", "--json", "/dev/stdout", "--csv", "-"]):
            self.refused("race", *words, *QUICK, says=["are one file; each needs its own"])
        self.refused("race", "--json", "/dev/stdout", *QUICK, says=[
            "--json /dev/stdout and standard output are one file; each needs its own (- is standard output"])
        self.refused("watch", "--once", "--json", "/dev/stdout", says=["(- is standard output"])
        # Without a report nothing else goes there.
        result = run("race", "-q", "--json", "/dev/stdout", "--schemes", "serial", *QUICK)
        self.assertEqual(result.returncode, 0, result.stderr)
        json.loads(result.stdout)

    def test_devices_take_everything(self):
        with open("/dev/null", "w", encoding="utf-8") as nowhere:
            result = subprocess.run([REGATTA, "race", "--schemes", "serial", *QUICK, "--json",
                                     "/dev/null", "--csv", "/dev/./null"], stdout=nowhere)
        self.assertEqual(result.returncode, 0)

    def test_a_file_has_a_name(self):
        self.refused("race", "--json", "", says=["--json"])
        self.refused("race", "--csv", "", says=["--csv"])


if __name__ == "__main__":
    support.main()
