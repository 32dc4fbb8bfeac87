# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""What an item of a workload is in Python. The numbers that each takes are those of the workload's
own `layout()`: sizes, and offsets of its data in the mapping."""

import math
import mmap

import job


class Computation:
    """An item is `store(item, calculate(*inputs(item)))`."""

    INTERPRETED = False  # True: it computes in Python itself, not in a library

    def run(self, item):
        self.store(item, self.calculate(*self.inputs(item)))


def array(dtype, offset, shape):
    """Data in the mapping of the workload."""
    import numpy

    return numpy.ndarray(shape, dtype, mmap.mmap(job.WORKLOAD, 0), offset)


def real(numbers):
    """The type of the elements of a workload that can have either."""
    import numpy

    return numpy.float64 if numbers["element_bytes"] == 8 else numpy.float32


class Matmul(Computation):
    """A block of A·B."""

    def __init__(self, numbers):
        import numpy

        self._numpy = numpy
        n = numbers["n"]
        self._block = numbers["block_rows"], numbers["block_columns"]
        self._across = -(-n // self._block[1])  # blocks side by side
        self._a, self._b, self._c = (array(real(numbers), numbers[name], (n, n)) for name in "abc")

    def warm_up(self):
        small = self._numpy.ones((64, 64), self._numpy.float32)
        self.calculate(small, small)

    def _slices(self, item):
        """The rows and the columns of an item."""
        firsts = (of * size for of, size in zip(divmod(item, self._across), self._block))
        return tuple(slice(first, first + size) for first, size in zip(firsts, self._block))

    def inputs(self, item):
        rows, columns = self._slices(item)
        return self._a[rows], self._b[:, columns]

    @staticmethod
    def calculate(rows, columns):
        return rows @ columns

    def store(self, item, result):
        self._c[self._slices(item)] = result


class Products(Computation):
    """A whole product A·B."""

    def __init__(self, numbers):
        import numpy

        n = numbers["n"]
        shape = (numbers["items"], n, n)
        self._numpy = numpy
        self._a, self._b, self._c = (array(real(numbers), numbers[name], shape) for name in "abc")

    def warm_up(self):
        small = self._numpy.ones((64, 64), self._a.dtype)
        self.calculate(small, small)

    def inputs(self, item):
        return self._a[item], self._b[item]

    @staticmethod
    def calculate(a, b):
        return a @ b

    def store(self, item, result):
        self._c[item] = result


class Inverse(Computation):
    """The inverse of M·Mᵀ, in double precision."""

    def __init__(self, numbers):
        import numpy

        n = numbers["n"]
        shape = (numbers["items"], n, n)
        self._numpy = numpy
        self._matrices = array(numpy.float64, numbers["matrices"], shape)
        self._outputs = array(numpy.float64, numbers["outputs"], shape)

    def warm_up(self):
        self.calculate(self._numpy.eye(64))

    def inputs(self, item):
        return (self._matrices[item],)

    def calculate(self, m):
        return self._numpy.linalg.inv(m @ m.T)

    def store(self, item, result):
        self._outputs[item] = result


class Primes(Computation):
    """How many primes there are from 3 on and below a number, by trial division."""

    INTERPRETED = True

    def __init__(self, numbers):
        self._bound = numbers["max_prime"]
        self._counts = memoryview(mmap.mmap(job.WORKLOAD, 0))
        self._offset = numbers["counts"]

    def warm_up(self):
        self.calculate(100)

    def inputs(self, item):
        return (self._bound,)

    @staticmethod
    def calculate(bound):
        found = 0
        for number in range(3, bound):
            root = math.sqrt(number)
            divisor = 2
            while divisor <= root and number % divisor:
                divisor += 1
            found += divisor > root
        return found

    def store(self, item, result):
        at = self._offset + 8 * item
        self._counts[at : at + 8] = result.to_bytes(8, "little")


OF_WORKLOAD = {"inverse": Inverse, "matmul": Matmul, "primes": Primes, "products": Products}


def of(workload, numbers):
    return OF_WORKLOAD[workload](numbers)
