# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""Python, the main of which is not ours, with an extension module that uses a process pool.

Arguments: the folder of the module, the program of the workers, the plug-in."""

import os
import sys

folder, worker, plug_in = sys.argv[1:]
sys.path.insert(0, folder)
import rows  # noqa: E402

print(rows.roots([1.0, 4.0, 9.0, 16.0], worker, plug_in), "and", rows.deaths(), "worker died")
assert rows.roots([1.0, 4.0], worker, plug_in) == [1.0, 2.0]
assert rows.deaths() == 1
try:
    rows.roots([-1.0], worker, plug_in)
    raise SystemExit("nothing was raised")
except RuntimeError as error:
    assert "std::domain_error: no root of a negative number" in str(error), error
try:
    rows.roots([1.0], "/no/such/worker", plug_in)
    raise SystemExit("nothing was raised")
except RuntimeError as error:
    assert "/no/such/worker" in str(error), error
try:
    os.waitpid(-1, os.WNOHANG)
    raise SystemExit("a worker is left")
except ChildProcessError:
    pass
