# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""`regatta cpus run`, `status` and `release`: programs on CPUs that they own."""

import ctypes
import errno
import fcntl
import json
import os
import resource
import signal
import struct
import subprocess
import tempfile
import time
import unittest

import jsonschema

from support import (OnTerminal, REGATTA, ROOT, children_of, environment, is_gone, main, run,
                     wait_until)

# A program that a signal ends at any moment. Python would not do: where an interrupt comes just
# before it sleeps, it sleeps first.
SLEEPER = ("sh", "-c", "echo ready; exec sleep 100")
# A program that says where it may run.
WHERE = ["grep", "Cpus_allowed_list", "/proc/self/status"]
CPU = str(max(os.sched_getaffinity(0)))
SCHEMA = os.path.join(ROOT, "docs", "reference", "cpus_status.schema.json")


def leases():
    """What status says."""
    document = json.loads(run("cpus", "status", "--json", "-").stdout)
    with open(SCHEMA, encoding="utf-8") as file:
        jsonschema.validate(document, json.load(file))
    return document["leases"]


def leases_of(pid):
    return [lease for lease in leases() if lease["process"] == pid]


def as_user(number, *words, **options):
    """`regatta cpus words...` run by another user."""
    try:
        return run("cpus", *words, user=number, group=number, extra_groups=[], **options)
    except PermissionError as error:
        raise unittest.SkipTest("other users cannot run this build") from error


def forbid_pidfds():
    """Has the kernel refuse pidfd_open from here on, as those before 5.3 do."""
    number, refused, allowed = 434, 0x50000 | errno.ENOSYS, 0x7FFF0000
    load, equals, answer = 0x20, 0x15, 0x06
    code = struct.pack("HBBI" * 4, load, 0, 0, 0, equals, 0, 1, number, answer, 0, 0, refused,
                       answer, 0, 0, allowed)
    code = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", 4, ctypes.addressof(code))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    set_no_new_privileges, set_seccomp, filter_mode = 38, 22, 2
    if prctl(set_no_new_privileges, 1, 0, 0, 0) or prctl(set_seccomp, filter_mode, program):
        raise OSError(ctypes.get_errno(), "prctl")


class Background:
    """`regatta cpus run` with a program that sleeps, until the end of the scope."""

    def __init__(self, *words, program=SLEEPER, **options):
        self.process = subprocess.Popen(
            [REGATTA, "cpus", "run", CPU, *words, "--", *program],
            env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.process.stdout.readline()
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=60)

    def program(self):
        """The pid of the program; the other child undoes what a killed regatta leaves."""
        for pid in children_of(self.pid):
            try:
                with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                    if not file.read().startswith("regatta"):
                        return pid
            except OSError:
                pass  # it has just ended
        return None


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two CPUs")
class CpusRun(unittest.TestCase):
    def test_the_program_runs_on_the_cpus(self):
        result = run("cpus", "run", CPU, "--", *WHERE)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.split(), ["Cpus_allowed_list:", CPU])
        self.assertIn(f"CPUs {CPU}: ", result.stderr)

    def test_a_program_that_pins_its_threads_itself_runs_there(self):
        result = run("cpus", "run", "--unbalanced", CPU, "--", *WHERE)
        self.assertEqual((result.returncode, result.stdout.split()), (0, ["Cpus_allowed_list:", CPU]), result.stderr)

    def test_a_number_of_cpus_will_do(self):
        result = run("cpus", "run", "--count", "1", "--", *WHERE)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(result.stdout.split()[1].isdigit(), result.stdout)

    def test_a_program_may_have_a_number_for_a_name(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, CPU), "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\necho named\n")
            os.chmod(file.name, 0o755)
            path = environment(PATH=folder + ":" + os.environ["PATH"])
            result = run("cpus", "run", "--count", "1", "--", CPU, env=path)
            self.assertEqual((result.returncode, result.stdout), (0, "named\n"), result.stderr)

    def test_words_in_brackets_reach_the_program_as_they_were_typed(self):
        words = ["printf", "%s|", "[a,b]", "[]", "[x]"]
        for typed in ([CPU, "--", *words], [CPU, *words], ["--count", "1", "--", *words]):
            result = run("cpus", "run", *typed)
            self.assertEqual((result.returncode, result.stdout), (0, "[a,b]|[]|[x]|"), result.stderr)

    def test_soft_is_called_soft_and_why(self):
        result = run("cpus", "run", "--explain", CPU, "--", "true")
        if "soft" in result.stderr:
            self.assertIn("No task is kept out", result.stderr)
            self.assertIn("is not available", result.stderr)

    def test_quiet_says_nothing(self):
        self.assertEqual(run("cpus", "run", "--quiet", CPU, "--", "true").stderr, "")

    def test_the_programs_status_is_passed_on(self):
        self.assertEqual(run("cpus", "run", CPU, "--", "sh", "-c", "exit 42").returncode, 42)
        self.assertEqual(run("cpus", "run", CPU, "--", "sh", "-c", "kill -9 $$").returncode, 137)
        self.assertEqual(run("cpus", "run", CPU, "--", "/no/such/program").returncode, 127)
        self.assertEqual(run("cpus", "run", CPU, "--", "/etc/passwd").returncode, 126)

    def test_bad_lists_are_refused(self):
        online = len(os.sched_getaffinity(0))
        for words, status, text in (
                (["0-N", "--", "true"], 2, "at least one must be left"),
                (["9999", "--", "true"], 2, "are not online"),
                (["1-0", "--", "true"], 2, "a range must rise"),
                (["--count", str(online + 1), "--", "true"], 2, "can be granted"),
                (["--", "true"], 2, "say which CPUs"),
                (["--", "true", "-x"], 2, "say which CPUs"),
                (["true"], 2, "say which CPUs"),
                ([], 2, "say which CPUs, as a list or with --count N, then -- and the program"),
                ([CPU], 2, "which program"),
                (["--count", "1"], 2, "which program"),
                (["--count", "1", "--"], 2, "which program"),
                ([CPU, "--count", "1", "--", "true"], 2, "as a list or with --count, not both"),
                ([CPU, "--count", "1", "true"], 2, "as a list or with --count, not both"),
                (["--count", "0", "--", "true"], 2, '--count: "0" is not'),
                (["--quiet", "--explain", CPU, "--", "true"], 2, "--explain"),
                (["--at-least", "solid", CPU, "--", "true"], 2, "isolated-partition")):
            with self.subTest(words=words):
                result = run("cpus", "run", *words)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertIn(text, result.stderr)
        self.assertEqual([one for one in leases() if one["process"] == os.getpid()], [])

    def test_less_than_asked_for_is_not_run(self):
        # Nobody has CPUs that were isolated at boot and are in use by everybody.
        with open("/sys/devices/system/cpu/isolated", encoding="utf-8") as file:
            if file.read().strip():
                self.skipTest("this machine has CPUs that were isolated at boot")
        result = run("cpus", "run", "--at-least", "isolated-at-boot", CPU, "--", "echo", "ran")
        self.assertEqual(result.returncode, 1)
        self.assertNotIn("ran", result.stdout)
        self.assertIn("no CPUs were isolated at boot", result.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_the_lease_is_shown_and_its_cpus_are_taken(self):
        with Background() as running:
            lease, = leases_of(running.pid)
            self.assertEqual(lease["cpus"], CPU)
            self.assertFalse(lease["stale"])
            self.assertIn(f"held by process {running.pid}", run("cpus", "status").stdout)
            second = run("cpus", "run", CPU, "--", "true")
            self.assertEqual(second.returncode, 1)
            self.assertIn(f"CPUs {CPU} belong to a lease of process {running.pid}", second.stderr)
        self.assertEqual(leases_of(running.pid), [])

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_signals_end_the_program_and_the_lease(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number), Background() as running:
                running.process.send_signal(number)
                self.assertEqual(running.process.wait(timeout=60), 128 + number)
                self.assertEqual(leases_of(running.pid), [])

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_a_kill_ends_the_program_and_the_lease(self):
        with Background() as running:
            program = running.program()
            running.process.kill()
            running.process.wait(timeout=60)
            wait_until(lambda: not leases_of(running.pid), "the lease is undone")
            wait_until(lambda: is_gone(program), "the program has ended")

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_what_is_left_behind_is_released(self):
        with Background() as running:
            # Neither regatta nor its watcher can undo anything now.
            for pid in [*children_of(running.pid), running.pid]:
                if pid != running.program():
                    os.kill(pid, signal.SIGKILL)
            running.process.wait(timeout=60)
            lease, = leases_of(running.pid)
            self.assertTrue(lease["stale"])
            self.assertIn("release --stale", run("cpus", "status").stdout)
            result = run("cpus", "release", "--stale")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"undone what process {running.pid} had left", result.stdout)
            self.assertEqual(leases_of(running.pid), [])

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_a_kill_ends_a_program_of_another_user_as_well(self):
        # The kernel forgets whom to kill with whom when a program changes its user.
        with Background(program=("setpriv", "--reuid=65534", "--clear-groups", "sh", "-c",
                                 "echo ready; exec sleep 100")) as running:
            program = running.program()
            running.process.kill()
            running.process.wait(timeout=60)
            wait_until(lambda: not leases_of(running.pid), "the lease is undone")
            wait_until(lambda: is_gone(program), "the program has ended")

    def test_signals_of_the_first_moment_are_not_lost(self):
        for moment in range(20):
            with self.subTest(milliseconds=moment):
                process = subprocess.Popen(
                    [REGATTA, "cpus", "run", "--quiet", CPU, "--", "sleep", "1000"],
                    env=environment(), stderr=subprocess.PIPE)
                time.sleep(moment / 1000)  # Anywhere in its start: there is nothing to wait for.
                process.terminate()
                _, text = process.communicate(timeout=60)
                self.assertIn(process.returncode, (-signal.SIGTERM, 128 + signal.SIGTERM), text)

    def test_an_interrupt_for_regatta_alone_is_passed_on(self):
        with Background() as running:
            running.process.send_signal(signal.SIGINT)
            self.assertEqual(running.process.wait(timeout=60), 130)

    def test_ignored_signals_stay_ignored(self):
        result = run("cpus", "run", "--quiet", CPU, "--", "sh", "-c", "kill -HUP $PPID $$; echo on",
                     preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.assertEqual((result.returncode, result.stdout), (0, "on\n"), result.stderr)
        # Also those for which regatta itself has another use.
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
            result = run("cpus", "run", "--quiet", CPU, "--", "grep", "SigIgn", "/proc/self/status",
                         preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotEqual(int(result.stdout.split()[1], 16) & 1 << (number - 1), 0, (number, result))

    def test_a_program_may_be_called_anything(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(os.fsencode(folder), b"\xff")
            with open(program, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nexec '{REGATTA}' cpus status --json -\n")
            os.chmod(program, 0o755)
            result = run("cpus", "run", "--quiet", CPU, "--", program, errors="replace")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIsInstance(json.loads(result.stdout)["leases"], list)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_names_give_no_commands_to_the_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "\x1b[31mred\x9b2J")
            with open(program, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\necho ready\nexec sleep 100\n")
            os.chmod(program, 0o755)
            with Background(program=(program,)):
                for words in (("status", "--effects"), ("plan", CPU), ("run", CPU, "--", "true"),
                              ("check", CPU, "--for", "100ms")):
                    result = run("cpus", *words)
                    self.assertIn("?[31mred?2J", result.stdout + result.stderr, words)
                    for character in "\x1b\x9b":
                        self.assertNotIn(character, result.stdout + result.stderr, words)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_what_may_not_be_read_is_said(self):
        old = os.umask(0o077)
        try:
            with Background() as running:
                os.umask(old)
                seen = as_user(65534, "status")
                self.assertIn(f"held by process {running.pid}", seen.stdout)
                self.assertEqual(seen.returncode, 0)
                os.chmod("/run/regatta", 0o700)
                hidden = as_user(65534, "status")
                self.assertIn("/run/regatta cannot be read", hidden.stdout)
                self.assertNotIn("No CPUs are owned", hidden.stdout)
                self.assertEqual(hidden.returncode, 1)
                for words in ((), ("plan", CPU), ("run", CPU, "--", "true"),
                              ("check", CPU, "--for", "100ms")):
                    said = as_user(65534, *words)
                    said = " ".join((said.stdout + said.stderr).split())
                    self.assertIn("leases of CPUs are not known", said, words)
        finally:
            os.umask(old)
            os.chmod("/run/regatta", 0o755)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_a_locked_journal_is_told_and_waited_for(self):
        with Background() as running:
            with open("/run/regatta/lock", "w", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                os.kill(running.program(), signal.SIGTERM)
                self.assertEqual(running.process.wait(timeout=60), 128 + signal.SIGTERM)
                lease, = leases_of(running.pid)
                self.assertTrue(lease["stale"])
                self.assertIn("could not undo all of it", run("cpus", "status").stdout)
            wait_until(lambda: not leases_of(running.pid), "the lease is undone")
            self.assertIn(b"another program holds it", running.process.communicate()[1])

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_a_lock_that_root_has_left_is_nothing_left_behind(self):
        self.assertEqual(run("cpus", "run", CPU, "--quiet", "--", "true").returncode, 0)
        if "No CPUs are owned" not in run("cpus", "status").stdout:
            self.skipTest("others own CPUs")
        result = as_user(31337, "release", "--stale")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("Nothing was left behind", result.stdout)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_a_kill_ends_the_lease_where_the_kernel_has_no_pidfd(self):
        with Background(preexec_fn=forbid_pidfds) as running:
            running.process.kill()
            running.process.wait(timeout=60)
            wait_until(lambda: not leases_of(running.pid), "the lease is undone")

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    @unittest.skipIf(os.environ.get("REGATTA_SANITIZE"), "sanitizers start threads of their own")
    def test_a_watcher_that_cannot_be_had_is_said(self):
        # The command and the program are all the processes that this user may have.
        result = as_user(31337, "run", CPU, "--", "true",
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (2, 2)))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no process could be started that gives back the CPUs", result.stderr)

    def test_ctrl_c_reaches_the_program(self):
        terminal = OnTerminal("cpus", "run", CPU, "--", *SLEEPER)
        terminal.read_until(b"ready")
        terminal.press_ctrl_c()
        self.assertEqual(terminal.status(), 130)
        self.assertEqual(leases_of(terminal.pid), [])

    def test_a_result_that_cannot_be_written_is_no_success(self):
        # A file that cannot be opened is known before any work, as for every command.
        missing = run("cpus", "status", "--json", "/nonexistent/x")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("cannot write /nonexistent/x: No such file or directory", missing.stderr)
        self.assertEqual(missing.stdout, "")
        for words in (("status",), ("plan", CPU), ("check", CPU, "--for", "10ms"), ()):
            self.assertEqual(run("cpus", *words, "--json", "/nonexistent/x").returncode, 2, words)
            full = run("cpus", *words, "--json", "/dev/full")
            self.assertEqual(full.returncode, 1, words)
            self.assertIn("cannot write /dev/full: No space left", full.stderr)

    def test_release_needs_a_word(self):
        self.assertEqual(run("cpus", "release").returncode, 2)

    @unittest.skipUnless(os.geteuid() == 0, "needs a PID namespace, which only root may make")
    def test_release_fails_where_no_owner_can_be_told(self):
        # A journal of its own, with the file of a lease that was never taken.
        done = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "sh", "-c",
             "mount -t tmpfs none /run && mkdir /run/regatta && : > /run/regatta/lease.1.1 && "
             'exec "$1" cpus release --stale', "sh", REGATTA],
            capture_output=True, text=True, timeout=60, env=environment())
        if "unshare" in done.stderr or "mount" in done.stderr:
            self.skipTest("this machine allows no PID namespace")
        self.assertIn("no lease was undone", done.stderr)
        self.assertNotIn("Nothing was left behind", done.stdout)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    main()
