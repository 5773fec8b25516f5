"""Whether a row that somebody shows is among those of the raw tables that a release committed to."""

from collections.abc import Iterator

from pipeline.errors import InputError, Problem
from pipeline.release.layout import PROVENANCE
from pipeline.release.provenance.envelope import unpack
from pipeline.release.provenance.proofs import Proof, holds
from pipeline.release.provenance.statement import read_statement
from validation.release.opened import Release


def row_went_in(proof: Proof, release: Release) -> Iterator[Problem]:
    """Find a proof that does not lead to what the release's statement of provenance says of the table.

    Raises:
        InputError: The release has no such statement, or says nothing of the table.
    """
    content = release.statement(PROVENANCE)
    if content is None:
        raise InputError(f"no {PROVENANCE} is there, which tells of raw tables")
    stated = read_statement(unpack(content).payload).provenance()
    if not holds(proof, stated.commitments()):
        expected = (
            f"expected one that {PROVENANCE} committed to, with its salt and path: row, salt or path is another's"
        )
        yield Problem(f"raw table {proof.table}", proof.row, "", "", expected)
