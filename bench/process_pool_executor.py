# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""The peer of the bench process_pool: rows of a product of matrices by ProcessPoolExecutor.map over
multiprocessing.shared_memory. Says its best chunk size, then for each line that it reads the
nanoseconds of a product."""

import concurrent.futures
import multiprocessing.shared_memory
import sys
import time

import numpy

N = 512
arrays = None


def attach(name):
    global memory, arrays
    memory = multiprocessing.shared_memory.SharedMemory(name)
    arrays = views(memory)


def views(of):
    return numpy.ndarray((3, N, N), numpy.float32, of.buf)


def row(i):
    a, b, c = arrays
    numpy.matmul(a[i : i + 1], b, out=c[i : i + 1])


def product(executor, chunk):
    begin = time.perf_counter_ns()
    for _ in executor.map(row, range(N), chunksize=chunk):
        pass
    return time.perf_counter_ns() - begin


def main():
    mine = multiprocessing.shared_memory.SharedMemory(create=True, size=3 * N * N * 4)
    try:
        a, b, c = views(mine)
        a[:] = numpy.arange(N * N).reshape(N, N) % 7
        b[:] = numpy.arange(N * N).reshape(N, N) % 5
        with concurrent.futures.ProcessPoolExecutor(int(sys.argv[1]), initializer=attach,
                                                    initargs=(mine.name,)) as executor:
            product(executor, 1)  # starts the workers
            if not numpy.array_equal(c, a @ b):
                raise SystemExit("the product is wrong")
            best = min((1, 4, 16, 64, 128, 256),
                       key=lambda chunk: min(product(executor, chunk) for _ in range(7)))
            print(best, flush=True)
            for _ in sys.stdin:
                print(product(executor, best), flush=True)
        del a, b, c
    finally:
        mine.close()
        mine.unlink()


main()
