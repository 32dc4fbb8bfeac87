# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""A terminal for the regatta command, and what that terminal shows."""

import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import time

import pyte

from support import REGATTA, environment

ENTERS_SCREEN = b"\x1b[?1049h"
LEAVES_SCREEN = b"\x1b[?1049l"


class Terminal:
    """`program words...` on a terminal of its own, and what that terminal shows."""

    def __init__(self, case, *words, program=REGATTA, rows=24, columns=80, env=None, **streams):
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
            [program, *words], env=env or environment(), start_new_session=True,
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

    def wait_for_match(self, pattern, row=None):
        """Reads until a line of the screen, or that one, matches: what comes may be cut anywhere."""
        def found():
            lines = self.screen.display if row is None else [self.screen.display[row]]
            return any(re.search(pattern, line) for line in lines)
        self.read_until(found, f"{pattern} in row {row}")

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
