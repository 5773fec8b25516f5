"""Every table of an environment anonymised in one go, as the steps of a build do it one after the other."""

import polars as pl

from anonymize.prose.replacing import ReplacedProse, read_prose
from anonymize.pseudonyms import Pseudonyms
from anonymize.synthesis import Synthesis
from anonymize.tables import FIGURES, _coded_figures, anonymised_events, named_tables
from pipeline.keyed import Key
from pipeline.model import Environment, Frames


def anonymise_tables(
    environment: Environment,
    conformed: Frames,
    pseudonyms: Pseudonyms,
    key: Key,
    *,
    figures: pl.DataFrame,
    prose: ReplacedProse | None = None,
    sampled: Synthesis | None = None,
) -> dict[str, pl.DataFrame]:
    """Return every conformed table anonymised at once; the panel's tables become one, `FIGURES`.

    Args:
        conformed: Conformed tables by name; optional ones may be absent.
        key: Release key.
        figures: The panel with its figures protected (`anonymised_figures` or `sampled_figures`), under the original codes.
        prose: The texts of the conformed tables with pseudonyms in them; made here if None.
        sampled: What takes the place of the originals' rows about firms, under a policy that samples records.
    """
    prose = prose or read_prose(environment, conformed, pseudonyms, key)
    coded = _coded_figures(figures, pseudonyms.codes)
    instead = sampled.tables if sampled else anonymised_events(environment, conformed, key)
    panel = coded if sampled else None
    named = named_tables(environment, conformed, instead, pseudonyms, key, prose=prose, panel=panel)
    return {**dict(named), FIGURES: coded}
