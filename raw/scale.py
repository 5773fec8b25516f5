"""Which scales a generated corpus can have; whoever asks has loaded nothing that takes long to import."""

from math import inf

from pipeline.errors import InputError


def refuse_bad_scale(scale: float, *, raw: str = "") -> None:
    """Raise `InputError` if a corpus cannot have that scale, or if tables are given, which have their own."""
    if raw and scale != 1:
        raise InputError(f"--scale (SCALE) is the size of generated tables; those in {raw} have theirs: leave it out")
    if not 0 < scale < inf:
        raise InputError(
            f"found {scale:g} for --scale (SCALE); give a number above 0: 1 is the size of the paper, 0.01 a hundredth of it"
        )
