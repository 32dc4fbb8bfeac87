# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""What `regatta watch` shows on a terminal and writes for scripts, and what it leaves behind."""

import fcntl
import json
import os
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

import jsonschema
import pyte

import support
from support import REGATTA, environment, run, wait_until

SCHEMA = os.path.join(support.ROOT, "docs", "reference", "watch.schema.json")
LEAVES_SCREEN = b"\x1b[?1049l"
FAST = ["--interval", "100ms"]
# A program that says one line and then waits.
SPEAKS = ["sh", "-c", "echo some words; exec sleep 1000"]


class Terminal:
    """`regatta words...` on a terminal of its own, and what that terminal shows."""

    def __init__(self, case, *words, rows=24, columns=80, env=None, **streams):
        self.master, self.slave = os.openpty()
        self.set_size(rows, columns)
        self.before = termios.tcgetattr(self.slave)
        self.output = b""
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)

        def take_terminal():
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)

        slaves = {"stdin": self.slave, "stdout": self.slave, "stderr": self.slave}
        self.process = subprocess.Popen(
            [REGATTA, *words], env=env or environment(), start_new_session=True,
            preexec_fn=take_terminal, **(slaves | streams))
        case.addCleanup(self.close)

    def set_size(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows, columns):
        """As a window does: the kernel tells the process."""
        self.screen.resize(rows, columns)
        self.screen.reset()
        self.set_size(rows, columns)

    def read(self, seconds):
        """Takes in what comes within the time; says whether something came."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            more = os.read(self.master, 65536)
        except OSError:
            return False
        self.output += more
        self.stream.feed(more)
        return True

    def read_until(self, condition, what, seconds=60):
        """Reads until the condition holds of the screen, and returns its value."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            self.read(0.05)
        raise AssertionError(f"never happened: {what}\n" + "\n".join(self.screen.display))

    def wait_for(self, text):
        """Reads until a line of the screen has the text, and returns the line."""
        return self.read_until(
            lambda: next((line for line in self.screen.display if text in line), None), text)

    def press(self, keys):
        os.write(self.master, keys)

    def status(self):
        """Waits for its end, reading what it writes until then."""
        self.read_until(lambda: self.process.poll() is not None, "the end")
        while self.read(0):
            pass
        return self.process.returncode

    def after_view(self):
        """The text that was written after the view had given the screen back."""
        text = self.output.rpartition(LEAVES_SCREEN)[2].decode()
        return re.sub("\x1b\\[[0-9;?]*[a-zA-Z]|\x1b[=>]", "", text).lstrip("\r")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for descriptor in (self.master, self.slave):
            if descriptor is not None:
                os.close(descriptor)
        self.master = self.slave = None


def sleepers(parent):
    """The processes below regatta that are called sleep."""
    return [pid for pid in support.children_of(parent)
            if open(f"/proc/{pid}/comm", encoding="utf-8").read().strip() == "sleep"]


class Screen(unittest.TestCase):
    def assert_restored(self, terminal):
        self.assertEqual(termios.tcgetattr(terminal.slave), terminal.before)
        self.assertEqual(terminal.output.count(LEAVES_SCREEN), 1)
        self.assertFalse(terminal.screen.cursor.hidden)

    def test_shows_each_cpu_and_quits_with_q(self):
        terminal = Terminal(self, "watch", *FAST)
        terminal.wait_for("iowait")
        terminal.wait_for("waiting for a device")
        lines = terminal.screen.display
        self.assertRegex(lines[0], r"^regatta watch  \d\d:\d\d:\d\d  \d+ CPUs?  every 100ms +q quits$")
        self.assertRegex(lines[1], r"^load \d.* runnable \d+ of \d+   blocked \d+ ")
        self.assertTrue(lines[2].startswith("pressure"), lines[2])
        self.assertRegex(lines[3], r"CPU +user +sys +irq +steal +iowait +idle +MHz")
        self.assertRegex(lines[4], r"^  all( +(\d+|-)){6}")
        self.assertIn("user", lines[23])
        self.assertTrue(terminal.screen.cursor.hidden)
        terminal.press(b"q")
        self.assertEqual(terminal.status(), 0)
        self.assert_restored(terminal)
        self.assertEqual(terminal.after_view(), "")

    def test_is_refreshed(self):
        terminal = Terminal(self, "watch", *FAST, "--count", "3")
        self.assertEqual(terminal.status(), 0)
        self.assert_restored(terminal)

    def test_follows_the_size_of_its_window(self):
        terminal = Terminal(self, "watch", "--interval", "1h")  # nothing but the size makes it draw
        for rows, columns in ((30, 100), (8, 40), (3, 12), (1, 1), (24, 80)):
            terminal.resize(rows, columns)
            if columns >= 40:
                foot = "█ user"
                terminal.read_until(lambda: terminal.screen.display[rows - 1].startswith(foot),
                                    f"a view of {rows} x {columns}")
                self.assertTrue(terminal.screen.display[0].startswith("regatta watch"))
        self.assertEqual(terminal.screen.display[0][-7:], "q quits")
        terminal.press(b"q")
        self.assertEqual(terminal.status(), 0)

    def test_shows_where_the_threads_of_a_process_run(self):
        child = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        cpu = min(os.sched_getaffinity(0))
        os.sched_setaffinity(child.pid, {cpu})
        terminal = Terminal(self, "watch", *FAST, "--pid", str(child.pid))
        line = terminal.wait_for(f"{child.pid} sleep  ")
        self.assertRegex(line, rf"^ +{child.pid} sleep +S +\d+ +0 +[-0] ")
        if len(os.sched_getaffinity(0)) > 1:
            self.assertRegex(line, rf" {cpu} *$")
        terminal.wait_for(f"{child.pid} sleep 1000")
        child.kill()
        self.assertEqual(terminal.status(), 0)
        self.assert_restored(terminal)
        self.assertIn(f"process {child.pid} has ended", terminal.after_view())

    def test_signals_end_it_and_the_terminal_is_as_before(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
            terminal = Terminal(self, "watch", *FAST)
            terminal.wait_for("iowait")
            terminal.process.send_signal(number)
            self.assertEqual(terminal.status(), 128 + number)
            self.assert_restored(terminal)

    def test_ctrl_c_ends_it(self):
        terminal = Terminal(self, "watch", *FAST)
        terminal.wait_for("iowait")
        terminal.press(b"\x03")
        self.assertEqual(terminal.status(), 130)
        self.assert_restored(terminal)

    def test_ctrl_s_does_not_stop_it(self):
        terminal = Terminal(self, "watch", *FAST)
        terminal.wait_for("iowait")
        terminal.press(b"\x13q")
        self.assertEqual(terminal.status(), 0)

    def test_ends_with_its_terminal(self):
        terminal = Terminal(self, "watch", *FAST, "--", *SPEAKS)
        terminal.wait_for("some words")
        child, = sleepers(terminal.process.pid)
        os.close(terminal.slave)
        os.close(terminal.master)
        terminal.master = terminal.slave = None
        terminal.process.wait(60)
        self.assertEqual(terminal.process.returncode, 129)
        self.assertFalse(os.path.exists(f"/proc/{child}"))

    def test_without_a_keyboard_signals_end_it(self):
        terminal = Terminal(self, "watch", *FAST, stdin=subprocess.DEVNULL)
        terminal.wait_for("iowait")
        terminal.process.terminate()
        self.assertEqual(terminal.status(), 143)
        self.assert_restored(terminal)

    def test_a_locale_without_utf8_gets_ascii(self):
        terminal = Terminal(self, "watch", *FAST, env=environment(LC_ALL="C"))
        terminal.wait_for("# user")
        terminal.press(b"q")
        self.assertEqual(terminal.status(), 0)
        self.assertTrue(terminal.output.isascii())

    def test_no_color_is_respected(self):
        terminal = Terminal(self, "watch", *FAST, env=environment(NO_COLOR="1"))
        terminal.wait_for("█ user")
        terminal.press(b"q")
        self.assertEqual(terminal.status(), 0)
        self.assertNotRegex(terminal.output, rb"\x1b\[([0-9]+;)*[34][0-7](;[0-9]+)*m")

    def test_an_unknown_terminal_is_said(self):
        terminal = Terminal(self, "watch", env=environment(TERM="no-such-terminal"))
        self.assertEqual(terminal.status(), 1)
        self.assertIn(b'terminals of the type "no-such-terminal" (TERM)', terminal.output)

    def test_a_dumb_terminal_gets_text(self):
        terminal = Terminal(self, "watch", *FAST, "--count", "2", env=environment(TERM="dumb"))
        self.assertEqual(terminal.status(), 0)
        self.assertEqual(terminal.output.count(b"regatta watch"), 2)
        self.assertNotIn(b"\x1b", terminal.output)


class Program(unittest.TestCase):
    def test_its_output_comes_after_the_view_and_its_status_is_passed_on(self):
        script = "echo out; echo err >&2; exit 3"
        terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c", script)
        self.assertEqual(terminal.status(), 3)
        self.assertIn("out\r\nerr\r\nregatta: sh: exited with status 3 after ",
                      terminal.after_view())
        self.assertEqual(termios.tcgetattr(terminal.slave), terminal.before)

    def test_a_signal_that_ends_it_is_passed_on(self):
        terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c", "kill -SEGV $$")
        self.assertEqual(terminal.status(), 139)
        self.assertIn("killed by signal 11 (SIGSEGV)", terminal.after_view())

    def test_its_last_line_is_in_the_view(self):
        terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c",
                            r"printf 'first\n\033[31mwords\r\n'; exec sleep 1000")
        self.assertEqual(terminal.wait_for("output  ?[31m").rstrip(), "output  ?[31mwords")
        terminal.wait_for("sleep  ")
        terminal.process.terminate()
        self.assertEqual(terminal.status(), 143)
        self.assertIn("first\r\n", terminal.after_view())

    def test_q_leaves_it_running_in_the_foreground(self):
        terminal = Terminal(self, "watch", *FAST, "--", *SPEAKS)
        terminal.wait_for("some words")
        terminal.press(b"q")
        terminal.wait_for("goes on as process")
        self.assertIn("some words\r\n", terminal.after_view())
        self.assertEqual(termios.tcgetattr(terminal.slave), terminal.before)
        child, = sleepers(terminal.process.pid)
        terminal.press(b"\x03")
        self.assertEqual(terminal.status(), 130)
        self.assertFalse(os.path.exists(f"/proc/{child}"))

    def test_after_q_its_output_comes_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            fifo = os.path.join(folder, "fifo")
            os.mkfifo(fifo)
            terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c",
                                f"echo one; read word <{fifo}; echo $word; exit 4")
            terminal.wait_for("one")
            terminal.press(b"q")
            terminal.wait_for("goes on as process")
            with open(fifo, "w", encoding="utf-8") as file:
                file.write("two\n")
            self.assertEqual(terminal.status(), 4)
            self.assertIn("two\r\n", terminal.after_view())

    def test_streams_that_are_no_terminal_are_left_alone(self):
        with tempfile.TemporaryFile() as file:
            terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c", "echo out; echo err >&2",
                                stderr=file)
            self.assertEqual(terminal.status(), 0)
            self.assertIn("out\r\n", terminal.after_view())
            self.assertNotIn(b"err\r\n", terminal.output)
            file.seek(0)
            self.assertTrue(file.read().startswith(b"err\n"))

    def test_it_is_killed_with_the_view(self):
        terminal = Terminal(self, "watch", *FAST, "--", *SPEAKS)
        terminal.wait_for("some words")
        child, = sleepers(terminal.process.pid)
        terminal.process.kill()
        terminal.process.wait()
        wait_until(lambda: not os.path.exists(f"/proc/{child}"), "the end of the program")

    def test_its_children_are_watched_too(self):
        terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c", "sleep 1000 & sleep 1000; wait")
        line = terminal.wait_for("in 3 processes")
        self.assertIn("sh -c sleep 1000", line)
        terminal.wait_for("process name")
        rows = [row for row in terminal.screen.display if " sleep " in row and " S " in row]
        self.assertEqual(len(rows), 2)
        terminal.process.terminate()  # goes to all of the group
        self.assertEqual(terminal.status(), 143)

    def test_a_long_list_of_threads_can_be_scrolled(self):
        terminal = Terminal(self, "watch", *FAST, "--", "sh", "-c",
                            "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1000 & done; wait",
                            rows=16)
        terminal.wait_for("in 11 processes")
        line = terminal.wait_for("more: arrow keys")
        self.assertRegex(line, r"^\d+ more")
        terminal.press(b"\x1b[F\x1bOF")  # End, as either kind of terminal sends it
        terminal.read_until(lambda: not any("more: arrow" in row for row in terminal.screen.display),
                            "the end of the list")
        terminal.press(b"k")
        terminal.wait_for("more: arrow keys")
        terminal.process.terminate()
        self.assertEqual(terminal.status(), 143)

    def test_one_that_cannot_be_run_is_said_before_anything_is_drawn(self):
        for program, status, message in (
                ("/nonexistent/program", 127, "cannot run /nonexistent/program: No such file"),
                ("no-such-program", 127, "cannot run no-such-program: No such file"),
                ("/etc/passwd", 126, "cannot run /etc/passwd: Permission denied"),
                ("/", 126, "cannot run /: ")):
            terminal = Terminal(self, "watch", "--", program)
            self.assertEqual(terminal.status(), status)
            self.assertIn(message, terminal.output.decode())
            self.assertNotIn(b"\x1b", terminal.output)


class Script(unittest.TestCase):
    def validated(self, text):
        """The documents in it."""
        with open(SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        found = [json.loads(line) for line in text.splitlines()]
        for document in found:
            jsonschema.Draft202012Validator(schema).validate(document)
        return found

    def documents(self, *words):
        result = run("watch", "--json", "-", *words)
        return self.validated(result.stdout), result

    def test_once_gives_one_document(self):
        (document,), result = self.documents("--once", *FAST)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIsNone(document["process"])
        self.assertGreaterEqual(document["elapsed_ns"], 100_000_000)
        with open("/proc/stat", encoding="utf-8") as file:
            cpus = [int(line.split()[0][3:]) for line in file
                    if line.startswith("cpu") and line[3].isdigit()]
        self.assertEqual([cpu["cpu"] for cpu in document["cpus"]], cpus)

    def test_count_gives_as_many_lines(self):
        documents, result = self.documents("--count", "3", *FAST)
        self.assertEqual((len(documents), result.returncode), (3, 0))

    def test_a_busy_thread_is_seen_where_it_runs(self):
        cpu = max(os.sched_getaffinity(0))
        spinner = subprocess.Popen(["sh", "-c", "while :; do :; done"],
                                   preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        self.addCleanup(spinner.wait)
        self.addCleanup(spinner.kill)
        (document,), _ = self.documents("--once", *FAST, "--pid", str(spinner.pid))
        process = document["process"]
        self.assertEqual((process["process"], process["alive"]), (spinner.pid, True))
        thread, = process["threads"]
        self.assertEqual(thread["thread"], spinner.pid)
        self.assertEqual((thread["cpu"], thread["state"]), (cpu, "R"))
        self.assertEqual(thread["allowed"], str(cpu))
        self.assertEqual(thread["migrations"] or 0, 0)

    def test_the_end_of_a_program_is_the_last_document(self):
        documents, result = self.documents(*FAST, "--", "sh", "-c", "echo out; exit 5")
        self.assertEqual(result.returncode, 5)
        self.assertFalse(documents[-1]["process"]["alive"])
        self.assertEqual(documents[-1]["process"]["title"], "sh -c echo out; exit 5")
        self.assertEqual(result.stderr, "out\n")  # its output, apart from the documents

    def test_a_program_may_live_longer_than_the_look_at_it(self):
        process = subprocess.Popen(
            [REGATTA, "watch", "--once", *FAST, "--json", "-", "--", "sh", "-c", "read x; exit 6"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        document, = self.validated(process.stdout.readline())
        self.assertTrue(document["process"]["alive"])
        process.communicate(b"x\n")
        self.assertEqual(process.returncode, 6)

    def test_names_cannot_write_on_the_terminal(self):
        child = subprocess.Popen(["sh", "-c", r"printf '\033[2Jx' >/proc/$$/comm; echo; read x"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(child.communicate)
        child.stdout.readline()
        result = run("watch", "--once", *FAST, "--pid", str(child.pid))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(" ?[2Jx ", result.stdout)
        self.assertNotIn("\x1b", result.stdout)
        (document,), _ = self.documents("--once", *FAST, "--pid", str(child.pid))
        self.assertEqual(document["process"]["threads"][0]["name"], "\x1b[2Jx")

    def test_documents_go_to_a_file_beside_the_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f")
            with open(path, "w", encoding="utf-8") as file:
                file.write("what was there before, longer than nothing\n" * 1000)
            result = run("watch", "--count", "2", *FAST, "--json", path)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout.count("regatta watch"), 2)
            with open(path, encoding="utf-8") as file:
                lines = file.readlines()
            self.assertEqual([json.loads(line)["schema"] for line in lines],
                             ["regatta-watch/1"] * 2)

    def test_text_keeps_to_the_width(self):
        for columns in (40, 80):
            result = run("watch", "--once", *FAST, "--pid", str(os.getpid()),
                         env=environment(COLUMNS=str(columns)))
            for line in result.stdout.splitlines():
                self.assertLessEqual(len(line), columns, line)

    def test_a_reader_that_goes_ends_it(self):
        process = subprocess.Popen([REGATTA, "watch", *FAST, "--json", "-"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        json.loads(process.stdout.readline())
        process.stdout.close()
        self.assertIn(b"cannot write to standard output: Broken pipe", process.stderr.read())
        process.stderr.close()
        self.assertEqual(process.wait(60), 1)

    def test_a_signal_ends_it(self):
        process = subprocess.Popen([REGATTA, "watch", *FAST], stdout=subprocess.PIPE)
        process.stdout.readline()
        process.terminate()
        process.communicate()
        self.assertEqual(process.returncode, 143)

    def test_what_cannot_be_is_refused(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        for words, message in (
                (("--pid", str(ended.pid)), f"--pid: there is no process {ended.pid}"),
                (("--pid", "0"), "--pid"),
                (("--pid", "some"), "--pid"),
                (("--pid", "1", "--", "true"), "--pid or start a program after --, not both"),
                (("--interval", "soon"), '--interval: "soon" is no time from 100ms to 1h'),
                (("--interval", "1ms"), "from 100ms to 1h"),
                (("--count", "0"), "--count"),
                (("--once", "--count", "2"), "--count"),
                (("--json", ""), "the name of the file is empty"),
                (("--json", "/nonexistent/f"), "cannot write /nonexistent/f"),
                (("--", ""), "the name of the program is empty")):
            result = run("watch", *words)
            self.assertEqual(result.returncode, 2, (words, result.stderr))
            self.assertIn(message, result.stderr)
            self.assertEqual(result.stdout, "")

    def test_a_thread_is_no_process(self):
        for task in os.listdir("/proc"):
            if not task.isdigit():
                continue
            try:
                threads = sorted(map(int, os.listdir(f"/proc/{task}/task")))
            except OSError:
                continue
            if len(threads) > 1:
                result = run("watch", "--pid", str(threads[-1]))
                if result.returncode == 2 and "is a thread of process" in result.stderr:
                    return
        self.skipTest("no process here has several threads")


if __name__ == "__main__":
    support.main()
