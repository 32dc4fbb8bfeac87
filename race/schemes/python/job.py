# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""What the workers of one run share."""

import mmap
import os
import struct
import threading
import time

WORKLOAD, LOG, RECORDS = 3, 4, 5  # inherited descriptors


class Job:
    """The items of a run, and what became of them: runs, worker, process, begin and end, each of 64
    bits, written by whoever ran the item. Nobody else runs it."""

    RECORD = struct.Struct("=5q")

    def __init__(self, items, workers, numbers):
        self.items = items
        self.workers = workers
        self.computation = None
        self.sent_bytes = 0  # between processes, there and back
        self.interpreted_ns = 0  # CPU time of this process's threads that hold its lock
        self._log = mmap.mmap(LOG, 0)
        self._stop = numbers["stop"]
        self._records = mmap.mmap(RECORDS, 0)
        self._first_record = numbers["records"]
        self._lock = threading.Lock()

    def stop_requested(self):
        return self._log[self._stop : self._stop + 4] != b"\0\0\0\0"

    def run(self, worker, item):
        """Computes an item where its data are."""
        self.timed(worker, item, lambda: self.computation.run(item))

    def timed(self, worker, item, compute):
        """Computes an item and records it. Returns what `compute` does."""
        begin = time.monotonic_ns()
        result = compute()
        self._record(item, worker, begin, time.monotonic_ns())
        return result

    def _record(self, item, worker, begin, end):
        at = self._first_record + item * self.RECORD.size
        runs = self.RECORD.unpack_from(self._records, at)[0]
        self.RECORD.pack_into(self._records, at, runs + 1, worker, os.getpid(), begin, end)

    def work(self, worker, items):
        """What a worker in this process does: computes the items and adds up how long it held the
        interpreter's lock. Libraries let go of the lock while they compute."""
        begin = time.thread_time_ns()
        without_lock = 0
        for item in items:
            if self.stop_requested():
                break
            before = time.thread_time_ns()
            self.run(worker, item)
            if not self.computation.INTERPRETED:
                without_lock += time.thread_time_ns() - before
        held = time.thread_time_ns() - begin - without_lock
        with self._lock:
            self.interpreted_ns += held
