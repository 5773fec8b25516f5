"""What answers a finding, for the curator: an exemption to declare, if it names no company, or another declaration.

Belongs here: words, and what is proposed. Which exemptions are accepted is decided in `exemptions.py`.
"""

from collections.abc import Iterator, Mapping

import polars as pl

from pipeline.model import Environment, Exemption
from pipeline.render import path_of, published_files
from validation.escapes.before_noise import BEFORE_NOISE

_OTHERWISE = "declare {} so that it is replaced (role=Role.TEXT) or left out (role=Role.IGNORED)"


def declared_otherwise(column: str) -> str:
    """Return what to do where a column that is published as it is identifies somebody."""
    return _OTHERWISE.format(column)


_CAN_BE_EXEMPTED = (pl.col("objection") == "").all().over("token")
"""Whether a finding's token can be exempted: an objection to one finding of it is one to all."""

ANSWER = (
    pl.when(pl.col("column") == "", pl.col("cause").is_not_null())
    .then(pl.format("follows from {}; mend that", "cause"))
    .when(_CAN_BE_EXEMPTED)
    .then(pl.lit("add its line of exemptions.py to the declaration"))
    .when(pl.col("column") != "")
    .then(pl.format(_OTHERWISE, "column"))
    .otherwise(pl.format("if it names nobody there: Exemption(token='{}', is_word=True, reason='...')", "token"))
)
"""The one line that answers a finding; a report or page that repeats a cell is answered by the cell's."""


def proposed_word(token: str) -> Exemption:
    """Return the exemption of a word of the tables."""
    return Exemption(token=token, reason="a word of tables or reports", is_word=True)


def proposed(
    environment: Environment, headers: Mapping[str, Mapping[str, str]], left: pl.DataFrame
) -> Iterator[Exemption]:
    """Yield an exemption for each token and column, if there is nowhere an objection to the token.

    None is for reports and pages that repeat a cell.
    """
    names = {path_of(published): published.name for published in published_files(environment)}
    names |= {path + BEFORE_NOISE: name for path, name in names.items()}
    columns = {path: {now: column for column, now in of_path.items()} for path, of_path in headers.items()}
    is_alone = (pl.col("column") == "").all().over("token")
    could = left.filter(_CAN_BE_EXEMPTED, (pl.col("column") != "") | is_alone)
    of_place = could.group_by("file", "column", "token", maintain_order=True).agg(
        pl.concat_str("before", "written", "after").first().alias("as in")
    )
    for file, column, token, text in of_place.iter_rows():
        table = names.get(file, "")
        reason = f"ordinary words, as in: {text}"
        yield Exemption(token=token, reason=reason, table=table, column=columns.get(file, {}).get(column, ""))
