# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""Whether `regatta cpus check` finds who runs where.

The machine's other tenants are unknown: each test plants an intruder of its own and looks for that.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import jsonschema

import support
from support import REGATTA, OnTerminal, environment, run

SCHEMA = os.path.join(support.ROOT, "docs", "reference", "cpus_check.schema.json")
CPU = max(os.sched_getaffinity(0))
NOBODY = 65534
TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")

INTRUDER = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)  # dies with the test
os.sched_setaffinity(0, {int(sys.argv[1])})
with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[2])
print("ready", flush=True)
while True:
    if len(sys.argv) > 3:
        os.waitpid(os.spawnv(os.P_NOWAIT, sys.argv[3], sys.argv[3:4]), 0)
"""


class Intruder:
    """A process with a name of its own that runs on one CPU."""

    def __init__(self, name, *program):
        self.name = name
        self.process = subprocess.Popen([sys.executable, "-c", INTRUDER, str(CPU), name, *program],
                                        stdout=subprocess.PIPE)
        self.ready = self.process.stdout.readline() == b"ready\n"
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def in_place(self):
        """False where another program has taken the CPU meanwhile."""
        return self.ready and os.sched_getaffinity(self.pid) == {CPU}

    def cpu_time(self):
        """Its CPU time, and that of its children that have ended, in ns."""
        with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return [(int(fields[i]) + int(fields[i + 1])) * TICK for i in (11, 13)]


def session_of(pid):
    """The session that a process belongs to; none once it has ended."""
    with contextlib.suppress(ProcessLookupError):
        return os.getsid(pid)
    return None


def intruders(document):
    return [task for cpu in document["cpus"] for task in cpu["tasks"] if task["role"] == "intruder"]


class Check(unittest.TestCase):
    def check(self, *words, env=None, **options):
        """`regatta cpus check CPU --json - words...`: its exit status, and the valid document."""
        result = run("cpus", "check", str(CPU), "--json", "-", *words, env=env, **options)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        document = json.loads(result.stdout)
        with open(SCHEMA, encoding="utf-8") as file:
            jsonschema.Draft202012Validator(json.load(file)).validate(document)
        self.assertEqual(result.returncode, 0 if document["exclusive"] else 1)
        self.assertIn(f"CPU {CPU}  ", result.stderr)  # the report gives way
        return document, result.stderr

    def check_beside(self, intruder, *words, named=None, check=None):
        """The same until it names that task, or has not although the intruder's own time, or that of
        its children, shows that they ran meanwhile: on a busy machine that may take several."""
        child = named is not None
        named = named or intruder.name
        for _ in range(50):
            ran, began = intruder.cpu_time()[child], time.monotonic_ns()
            document, text = (check or self.check)(*words)
            ran, whole = intruder.cpu_time()[child] - ran, time.monotonic_ns() - began
            if not intruder.in_place():
                self.skipTest("another program has taken the CPU meanwhile")
            cpu = document["cpus"][0]
            # What does not fit before and after the look, it ran during the look.
            if (named in {task["name"] for task in cpu["tasks"]}
                    or ran - TICK > whole - cpu["elapsed_ns"]):
                return document, text
        self.fail("the intruder never ran")

    def test_the_intruder_is_named_each_time(self):
        for i in range(20):
            with Intruder(f"planted {i}") as intruder:
                document, text = self.check_beside(intruder, "--for", "200ms")
                names = {task["name"]: task for task in intruders(document)}
                self.assertIn(intruder.name, names, text)
                self.assertEqual(names[intruder.name]["pid"], intruder.pid)
                self.assertGreater(names[intruder.name]["time_ns"], 0)
                self.assertFalse(document["exclusive"])
                self.assertIn("NOT EXCLUSIVE", text)
                self.assertIn(intruder.name, text)

    def test_without_privilege_somebody_is_known_to_run(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become somebody without privilege")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            # Where it was built nobody else may look.
            program = shutil.copy(REGATTA, os.path.join(folder, "regatta"))
            os.chmod(program, 0o755)
            def check_as_nobody(*words):
                result = subprocess.run([program, "cpus", "check", str(CPU), "--json", "-", *words],
                                        user=NOBODY, group=NOBODY, extra_groups=[], cwd="/",
                                        env=environment(), stdin=subprocess.DEVNULL,
                                        capture_output=True, timeout=100, check=False)
                document = json.loads(result.stdout)
                self.assertEqual(result.returncode, 0 if document["exclusive"] else 1)
                return document, result.stderr

            for i in range(5):
                with Intruder(f"planted {i}") as intruder:
                    document, _ = self.check_beside(intruder, "--for", "300ms",
                                                    check=check_as_nobody)
                    self.assertFalse(document["exclusive"])
                    self.assertTrue(intruders(document))
                    with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as file:
                        paranoid = int(file.read()) > 0
                    if paranoid:
                        self.assertFalse(document["certain"])
                        self.assertIn("CAP_PERFMON", " ".join(document["notes"]))
                    # And all the rest is there.
                    cpu = document["cpus"][0]
                    self.assertGreater(cpu["gaps"]["all"]["count"], 0)
                    self.assertTrue(cpu["interrupts"])
                    self.assertGreater(cpu["switches"], 0)

    def test_processes_that_live_for_a_moment_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            program = shutil.copy(shutil.which("true"), os.path.join(folder, "brief_task"))
            with Intruder("planted", program) as intruder:
                document, text = self.check_beside(intruder, "--look-on", "--for", "500ms",
                                                   named="brief_task")
                if not document["certain"]:
                    self.skipTest("the kernel does not tell this process of switches")
                self.assertIn("brief_task", {task["name"] for task in intruders(document)}, text)

    def test_an_owner_is_no_intruder_and_neither_are_its_children(self):
        with tempfile.TemporaryDirectory() as folder:
            program = shutil.copy(shutil.which("true"), os.path.join(folder, "brief_child"))
            with Intruder("planted", program) as intruder:
                document, text = self.check_beside(intruder, "--owner", str(intruder.pid), "--for",
                                                   "500ms")
                roles = {task["name"]: task["role"] for task in document["cpus"][0]["tasks"]}
                self.assertEqual(roles["planted"], "owner")
                self.assertEqual(roles.get("brief_child", "owner"), "owner")
                self.assertIn("planted (owner)", text)
                self.assertIsNone(document["cpus"][0]["gaps"])

    def check_until_seen(self, task):
        """Checks until a check sees that task. @returns its document, its text, and the task's role there."""
        for _ in range(50):
            document, text = self.check("--for", "200ms")
            for seen in document["cpus"][0]["tasks"]:
                if seen["name"] == task:
                    return document, text, seen["role"]
        self.fail(f"no check saw {task}: {text}")

    def test_the_holder_of_a_lease_is_its_owner(self):
        words = [REGATTA, "cpus", "run", str(CPU), "--", sys.executable, "-c", INTRUDER, str(CPU),
                 "leased"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run_:
            try:
                if run_.stdout.readline() != b"ready\n":
                    run_.kill()
                    self.skipTest(f"the CPU cannot be leased: {run_.communicate()[1].decode()}")
                document, text, role = self.check_until_seen("leased")
                self.assertEqual(role, "owner", text)
                self.assertIn(f"leased to process {run_.pid}", " ".join(document["notes"]))
                self.assertIsNone(document["cpus"][0]["gaps"])
            finally:
                run_.terminate()
                run_.communicate(timeout=60)

    @unittest.skipUnless(os.geteuid() == 0, "needs a PID namespace, which only root may make")
    def test_the_holder_in_another_container_is_no_process_of_this_one(self):
        words = ["unshare", "--pid", "--fork", "--mount-proc", REGATTA, "cpus", "run", str(CPU), "--",
                 sys.executable, "-c", INTRUDER, str(CPU), "leased"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              start_new_session=True) as run_:
            try:
                if run_.stdout.readline() != b"ready\n":
                    run_.kill()
                    self.skipTest(f"no container, or no lease: {run_.communicate()[1].decode()}")
                document, text, role = self.check_until_seen("leased")
                notes = " ".join(document["notes"])
                self.assertIn("cannot be seen from here: its tasks count as intruders", notes)
                self.assertEqual(role, "intruder", text)
                self.assertIsNone(document["cpus"][0]["gaps"])
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(run_.pid, signal.SIGTERM)
                run_.communicate(timeout=60)
                run("cpus", "release", "--stale")

    # Without a trace and a loop only /proc tells; in a container without privilege that is not all.
    @unittest.skipUnless(os.geteuid() == 0, "needs a PID namespace, which only root may make")
    def test_who_can_see_nothing_is_not_told_that_the_cpu_is_exclusive(self):
        with Intruder("unseen one"):
            done = subprocess.run(
                ["unshare", "--pid", "--fork", "--mount-proc", "setpriv", f"--reuid={NOBODY}",
                 f"--regid={NOBODY}", "--clear-groups", REGATTA, "cpus", "check", str(CPU),
                 "--look-on", "--for", "200ms", "--json", "-"],
                capture_output=True, text=True, timeout=60, env=environment())
        if "unshare" in done.stderr or "setpriv" in done.stderr:
            self.skipTest("this machine allows no PID namespace")
        document = json.loads(done.stdout)
        jsonschema.validate(document, json.load(open(SCHEMA, encoding="utf-8")))
        if any(cpu["traced"] for cpu in document["cpus"]):
            self.skipTest("everybody may trace here")
        self.assertFalse(document["conclusive"], done.stdout)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("could not be found out", done.stderr)
        self.assertNotIn("gap loop notices", done.stderr)

    # "Where CPUs are leased, the command takes the holder for the owner": with --look-on, too.
    def test_who_looks_on_knows_the_holder_of_a_lease(self):
        with subprocess.Popen([REGATTA, "cpus", "run", str(CPU), "--", "sh", "-c", "echo ready; while :; do :; done"],
                              env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, start_new_session=True) as run_:
            try:
                if run_.stdout.readline() != b"ready\n":
                    run_.kill()
                    self.skipTest(f"no lease: {run_.communicate()[1].decode()}")
                result = run("cpus", "check", str(CPU), "--for", "300ms", "--look-on", "--json", "-")
                document = json.loads(result.stdout)
                # Others may have used more of the CPU in these 300 ms: only the holder's session counts.
                roles = {t["role"] for t in document["cpus"][0]["tasks"] if session_of(t["pid"]) == run_.pid}
                self.assertEqual(roles, {"owner"}, document)
                self.assertIn("it counts as their owner.", " ".join(document["notes"]))
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(run_.pid, signal.SIGTERM)
                run_.communicate(timeout=60)

    def test_it_does_not_take_itself_for_an_intruder(self):
        everywhere = ",".join(map(str, sorted(os.sched_getaffinity(0))))
        for words in ([], ["--look-on"]):
            with subprocess.Popen([REGATTA, "cpus", "check", everywhere, "--for", "300ms", "--json", "-",
                                   *words], env=environment(), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, text=True) as check:
                document = json.load(check.stdout)
            self.assertIn(check.returncode, (0, 1))
            self.assertEqual(len(document["cpus"]), len(os.sched_getaffinity(0)))
            for task in intruders(document):
                self.assertNotEqual(task["pid"], check.pid, task)
            if not words:
                checkers = [t for cpu in document["cpus"] for t in cpu["tasks"]
                            if t["role"] == "checker"]
                self.assertTrue(checkers)

    def test_the_figures_fit_together(self):
        document, _ = self.check("--for", "500ms", "--threshold", "2us")
        cpu = document["cpus"][0]
        gaps = cpu["gaps"]
        self.assertEqual(gaps["threshold_ns"], 2000)
        self.assertEqual(set(gaps["by_cause"]), set(
            "task kernel_thread checker held_back tick device interprocessor steal "
            "unexplained".split()))
        for key in ("count", "total_ns"):
            self.assertEqual(sum(cause[key] for cause in gaps["by_cause"].values()),
                             gaps["all"][key])
        self.assertEqual(sum(one["count"] for one in gaps["all"]["bins"]), gaps["all"]["count"])
        self.assertLessEqual(gaps["all"]["total_ns"], cpu["elapsed_ns"])
        self.assertGreaterEqual(gaps["all"]["bins"][0]["from_ns"], 2000)
        if cpu["traced"]:
            self.assertLessEqual(sum(task["time_ns"] for task in cpu["tasks"]), cpu["elapsed_ns"])

    def test_the_report_keeps_to_the_width(self):
        for columns in (40, 60, 80):
            result = run("cpus", "check", str(CPU), "--for", "200ms",
                         env=environment(COLUMNS=str(columns)))
            self.assertIn(result.returncode, (0, 1), result.stderr)
            for line in result.stdout.splitlines():
                self.assertLessEqual(len(line), columns, line)
        plain = run("cpus", "check", str(CPU), "--for", "100ms", env=environment(LC_ALL="C"))
        self.assertTrue(plain.stdout.isascii(), plain.stdout)

    def test_ctrl_c_ends_it_with_what_was_found(self):
        terminal = OnTerminal("cpus", "check", str(CPU), "--for", "1h")
        terminal.read_until(b"looking at CPUs")
        terminal.press_ctrl_c()
        self.assertEqual(terminal.status(), 128 + signal.SIGINT)
        self.assertIn(b"was interrupted", terminal.output)
        self.assertIn(f"CPU {CPU}".encode(), terminal.output)

    def test_a_terminal_that_goes_away_does_not_cost_the_result(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "check.json")
            terminal = OnTerminal("cpus", "check", str(CPU), "--for", "1h", "--json", path)
            terminal.read_until(b"looking at CPUs")
            os.close(terminal.master)
            _, status = support.wait_until(
                lambda: next((end for end in [os.waitpid(terminal.pid, os.WNOHANG)] if end[0]), None), "its end")
            self.assertEqual(os.waitstatus_to_exitcode(status), 128 + signal.SIGHUP)
            with open(path, encoding="utf-8") as file:
                self.assertEqual([cpu["cpu"] for cpu in json.load(file)["cpus"]], [CPU])

    def test_wrong_words_are_refused(self):
        for words, says in (
                (["1000000"], "are off or do not exist"),
                (["0-"], "expected"),
                ([","], "the list is empty"),
                ([], "required"),
                ([str(CPU), "--for", "0"], "no length of time"),
                ([str(CPU), "--for", "10 parsecs"], "no length of time"),
                ([str(CPU), "--threshold", "1ns"], "from 100ns to 30d"),
                ([str(CPU), "--threshold", "2us", "--look-on"], "--threshold is for the loop"),
                ([str(CPU), "--threshold", "2us", "--owner", str(os.getpid())], "--threshold is for the loop"),
                ([str(CPU), "--owner", "0"], "--owner"),
                ([str(CPU), "--owner", "4194304"], "no process 4194304"),
                ([str(CPU), "--json", ""], "empty"),
                ([str(CPU), "--json", "/nonexistent/x"], "cannot write"),
                ([str(CPU), "--frob"], "--frob")):
            result = run("cpus", "check", *words)
            self.assertEqual(result.returncode, 2, (words, result))
            self.assertEqual(result.stdout, "")
            self.assertIn(says, result.stderr)

    def test_help_has_examples(self):
        result = run("cpus", "check", "--help")
        self.assertEqual(result.returncode, 0)
        for text in ("Examples:", "--owner", "Exit status"):
            self.assertIn(text, result.stdout)


if __name__ == "__main__":
    support.main()
