# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""The ways in which Python programs run independent items, each as such programs are written."""

import ctypes
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading

# Children that begin as a copy of this process, with everything imported. Newer versions of Python
# have another default, where each child imports all anew.
context = multiprocessing.get_context("fork")


def serial(job):
    """A plain loop."""
    job.work(0, range(job.items))


def threads(job):
    """Threads that claim items from one counter."""
    errors = []
    numbers = iter(range(job.items))
    lock = threading.Lock()

    def claimed():
        while True:
            with lock:
                item = next(numbers, None)
            if item is None:
                return
            yield item

    def work(worker):
        try:
            job.work(worker, claimed())
        except BaseException as error:
            errors.append(error)

    team = [threading.Thread(target=work, args=(worker,)) for worker in range(job.workers)]
    for one in team:
        one.start()
    for one in team:
        one.join()
    for error in errors:
        raise error


def processes(job):
    """Processes that share the data and claim items from one counter."""
    next_item = context.Value("Q", 0)

    def claimed():
        while True:
            with next_item.get_lock():
                item = next_item.value
                next_item.value += 1
            if item >= job.items:
                return
            yield item

    def work(worker):
        become_child()
        job.work(worker, claimed())

    team = [context.Process(target=work, args=(worker,)) for worker in range(job.workers)]
    for one in team:
        one.start()
    running = {one.sentinel: one for one in team}
    while running:
        for sentinel in multiprocessing.connection.wait(list(running)):
            one = running.pop(sentinel)
            one.join()
            if one.exitcode != 0:
                fail_with(one)


def pool_map(job):
    """A pool of processes and its `map`, which sends the data there and the results back."""
    tasks = [(item, job.computation.inputs(item)) for item in range(job.items)]
    PoolProcess.wanted = job.workers
    with PoolContext().Pool(job.workers, PoolProcess.begin, (job,)) as pool:
        results = pool.map(PoolProcess.compute, tasks, chunksize=1)
        pool.close()
        pool.join()
    for item, result in enumerate(results):
        if result is not None:
            job.computation.store(item, result)
            job.sent_bytes += size_of(tasks[item][1]) + size_of(result)


class PoolProcess(context.Process):
    """A process of the pool. A pool replaces one that died, and would then wait for its result for
    ever; so a further start ends the run."""

    wanted = 0
    team = []
    job = None

    def start(self):
        if len(self.team) == self.wanted:
            fail_with(next(one for one in self.team if one.exitcode is not None))
        self.number = len(self.team)
        self.team.append(self)
        super().start()

    @classmethod
    def begin(cls, job):
        become_child()
        cls.job = job

    @classmethod
    def compute(cls, task):
        item, inputs = task
        if cls.job.stop_requested():
            return None
        number = multiprocessing.current_process().number
        return cls.job.timed(number, item, lambda: cls.job.computation.calculate(*inputs))


class PoolContext(type(context)):
    Process = PoolProcess


def size_of(data):
    """Bytes of the numbers in it; what pickling adds is next to nothing."""
    if isinstance(data, tuple):
        return sum(size_of(one) for one in data)
    return getattr(data, "nbytes", 8)


def become_child():
    """Has this process die with the one that forked it."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != multiprocessing.parent_process().pid:
        os._exit(1)


def fail_with(process):
    """Ends this process because a worker of it ended."""
    status = process.exitcode
    if status < 0:
        how = f"was killed by signal {-status} ({signal.Signals(-status).name})"
    else:
        how = f"exited with status {status}"
    if status != 1:  # with an exception, of which the worker has told
        print(f"a worker (process {process.pid}) {how}", file=sys.stderr, flush=True)
    os._exit(1)


ALL = {"serial": serial, "threads": threads, "processes": processes, "pool_map": pool_map}
