"""Where the columns of the published tables of `us-listed` come from; the renderings in `./` are the truth of it."""

from collections.abc import Mapping, Sequence

from pipeline.model.claims.lineage import TableLineage, made, origins, taken

_SECURITIES, _FIGURES = "securities", "figures"


def lineage_of(
    measures: Sequence[str], *, code: str, year: str, profile: Mapping[str, str], groups: Mapping[str, tuple[str, str]]
) -> dict[str, TableLineage]:
    """Return the lineage of every published table.

    Args:
        measures: The columns of the panel that are figures.
        code: Its column of codes.
        year: Its column of years.
        profile: Published column of the companies -> column of theirs.
        groups: Table of aggregates -> its column of groups, and that as it is published.
    """
    panel = origins(_FIGURES, (code, year, *measures))
    figures = {"code": ((_FIGURES, code),), "value": origins(_FIGURES, measures)} | taken(_FIGURES, [year])
    return {
        "company_profile": TableLineage(
            columns=made(["id"]) | {column: ((_SECURITIES, raw),) for column, raw in profile.items()}
        ),
        # Each figure that is reported is a row, so that every column of the panel decides which rows there are.
        "company_figures": TableLineage(columns=made(["id", "measure", "unit"]) | figures, rows=panel),
        **{table: _of_aggregate(table, by, group, year) for table, (by, group) in groups.items()},
        "metric_definitions": TableLineage(columns=made(["id", "definition"])),
    }


def _of_aggregate(table: str, by: str, group: str, year: str) -> TableLineage:
    columns = {group: ((table, by),), "unit": ((table, "measure"),), "value": origins(table, ("mantissa", "scale"))}
    return TableLineage(
        columns=made(["id"]) | taken(table, (year, "measure", "statistic")) | columns, rows=((table, "mantissa"),)
    )
