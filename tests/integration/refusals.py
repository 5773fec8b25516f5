"""How a command that ends without a build is looked at: what it printed, what Dagster keeps of it, what it left alone."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from silt.cli import main
from tests.integration.checks import published_bytes
from tests.integration.event_log import kept_by_dagster

DAGSTERS_OWN_WARNING = "ignore:InitResourceContext.dagster_run is deprecated:DeprecationWarning"
"""Dagster 1.13 warns of itself where it runs in this process."""

SHOP_NAMES = ("Miller & Daughter", "The Corner Loaf", "Wheel and Chain", "Loafers")
SHOP_CODE = re.compile(r"\b(A1|A2|B1)\b")
"""What identifies in the tutorial's example."""


@dataclass(frozen=True)
class Ended:
    """What a command printed, and the text of everything that Dagster keeps."""

    printed: str
    kept: str

    def names_nobody(self, *others: str) -> bool:
        """Say whether no name or code of the example, nor any of the others, stands in it."""
        texts, names = (self.printed, self.kept), (*SHOP_NAMES, *others)
        return not any(SHOP_CODE.search(text) or any(name in text for name in names) for text in texts)


def ended(arguments: Sequence[object], capsys: pytest.CaptureFixture[str], *, status: int = 2) -> Ended:
    """Run `silt` in the working folder; it must end with the status, say so, and show no stack trace."""
    assert main([*map(str, arguments)]) == status
    printed = "".join(capsys.readouterr())
    assert "silt: " in printed
    assert "Traceback" not in printed
    return Ended(printed, kept_by_dagster(Path()))


def last_build(environment: Path) -> dict[str, bytes]:
    """Return all bytes of the last build: both variants, the curator's ledger and identity map."""
    variants = {variant: published_bytes(environment / variant) for variant in ("noisy", "clean")}
    curator = {
        name: (environment / "curator" / name).read_bytes() for name in ("noise_ledger.parquet", "identity_map.enc")
    }
    return curator | {f"{variant}/{path}": data for variant, files in variants.items() for path, data in files.items()}
