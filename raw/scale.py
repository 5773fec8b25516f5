"""Which scales a generated corpus can have; whoever asks has loaded nothing that takes long to import."""

from math import inf

from pipeline.errors import InputError


def refuse_bad_scale(scale: float) -> None:
    """Raise `InputError` if a corpus cannot have that scale."""
    if not 0 < scale < inf:
        raise InputError(
            f"scale {scale:g} is not a number above 0; 1 is the size of the paper, 0.01 a hundredth of it (--scale, SCALE)"
        )
