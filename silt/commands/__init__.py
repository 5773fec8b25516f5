"""The commands of `silt`, one module or package each: `add_to` declares its options, `run` does it and returns the exit status.

What takes long to import (dagster, scipy) is imported when a command runs, so that help does not wait for it.
"""
