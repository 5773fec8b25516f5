"""What is sampled does not depend on the number of threads: linear algebra has one, whatever starts Silt."""

import os
import subprocess
import sys

WATCHED = """
import os, sys

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            print(os.environ.get("OPENBLAS_NUM_THREADS"))
            sys.exit()

sys.meta_path.insert(0, Watch())
import silt.definitions
import numpy
"""


def test_linear_algebra_has_one_thread_before_it_is_loaded() -> None:
    """The variable is set when numpy is first looked for; later would be too late."""
    variables = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", WATCHED], env=variables, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "1"
