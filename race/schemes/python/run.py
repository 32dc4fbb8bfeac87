# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""Runs the items of a workload in one of the ways of ways.py. A race starts it, for one run:

    run.py WAY WORKERS WORKLOAD ITEMS NAME=NUMBER...

It inherits descriptor 3, the mapping of the workload, of which the numbers say where the data are;
4, the mapping of the log, of which `stop` is one; 5, a record for each item (job.py); and 6, a
socket. There it says "ready", is told "go" and says "done" when all is done, the first and the last
with figures: NAME=NUMBER... It ends when the socket does. An error ends it with status 1 and its
reason as the last line on standard error.
"""

import os
import resource
import signal
import socket
import sys
import time

import computations
import job
import ways


def serve(words):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the race's to answer
    race = socket.socket(fileno=6).makefile("rw", encoding="ascii", newline="\n")

    def say(line):
        race.write(line + "\n")
        race.flush()

    way, workers, workload, items = words[0], int(words[1]), words[2], int(words[3])
    numbers = {name: int(value) for name, value in (word.split("=") for word in words[4:])}
    work = job.Job(items, workers, numbers)
    work.computation = computations.of(workload, numbers)
    work.computation.warm_up()
    # Every thread but this one is of the library with which numpy computes.
    threads = len(os.listdir("/proc/self/task"))
    say(f"ready cpu_ns={time.process_time_ns()} threads={threads}")
    if race.readline() != "go\n":
        return
    ways.ALL[way](work)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended_ns = round((ended.ru_utime + ended.ru_stime) * 1e9)
    cpu_ns = time.process_time_ns() + ended_ns
    say(f"done cpu_ns={cpu_ns} ended_ns={ended_ns} interpreted_ns={work.interpreted_ns} sent_bytes={work.sent_bytes}")
    race.readline()


if __name__ == "__main__":
    serve(sys.argv[1:])
    os._exit(0)  # there is nothing to tidy up
