"""What a finished release says at its end: where it is, how large it is, what to do next."""

from collections.abc import Sequence
from pathlib import Path

from pipeline.release.layout import archive_of
from pipeline.release.metadata.mounting import try_mount


def told(folder: Path, variants: Sequence[str]) -> str:
    """Return the lines for whoever releases."""
    archives = [folder / archive_of(folder.name, variant) for variant in variants]
    lines = [
        ("released", str(folder)),
        *(("archive", f"{archive}, {archive.stat().st_size / 1e6:.1f} MB") for archive in archives),
        ("mounting", try_mount(folder / variants[0] / "database").told),
        ("next", f"silt verify {folder}"),
    ]
    return "\n".join(f"  {name:<10} {text}" for name, text in lines)
