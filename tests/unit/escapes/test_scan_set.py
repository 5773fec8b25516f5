"""Variants that are searched together: what stands beside them is found, too."""

import polars as pl
import pytest

from tests.unit.escapes.test_escapes import IDENTITIES
from validation.escapes import merged
from validation.escapes.documents import TextDocument
from validation.escapes.exemptions import LEFT
from validation.escapes.files import File, SearchTerms
from validation.escapes.scan import Scanned
from validation.escapes.scan_set import _with_beside

FILES = ("index.json", "noisy/notes.txt")


@pytest.mark.parametrize("of_variants", [True, False])
def test_what_stands_beside_variants_is_told_once(of_variants: bool) -> None:  # noqa: FBT001
    """Also if there are findings in a variant, which has been judged by itself."""
    found = merged([File(TextDocument(name, "by AAPL.")) for name in FILES], SearchTerms.of(IDENTITIES))
    judged = tuple(escape for escape in found.escapes() if escape.file == FILES[1])
    findings = found.findings().with_columns(objection=pl.lit("")).filter(pl.col("file") == FILES[1])
    scanned = Scanned(declared=0, escapes=judged, findings=findings) if of_variants else Scanned(declared=0)
    told = _with_beside(scanned, found, ["noisy"])
    assert sorted(escape.file for escape in told.escapes) == sorted(told.findings["file"]) == list(FILES)
    assert told.findings.columns == LEFT.names()
