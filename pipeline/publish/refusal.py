"""The files that a refused build leaves in the curator's folder, for whoever must find out why it was refused.

Belongs here: writing them. The content of reports, and the refusal itself, are decided upstream. A variant in which something
escaped is kept whole by `publication.py`.

    <environment>/curator/refused/reports/<report>.json          what each report says
    <environment>/curator/refused/reports/report.html            the page of them all, and the pages that it leads to
    <environment>/curator/refused/reports/<variant>/<path>       the same of the other variant
    <environment>/curator/refused/reports/<report>/<path>        where there is no page: of a table of files, these files
    <environment>/curator/refused/problems.csv                   every problem of the raw tables; the error shows only the first
    <environment>/curator/refused/findings.csv                   what escaped, where, with the words around
    <environment>/curator/refused/exemptions.py                  exemptions that could be declared, so that findings go away
"""

import dataclasses
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipeline.disk import reporting_disk
from pipeline.errors import Problem
from pipeline.model import Exemption
from pipeline.private import private_file, private_folder
from pipeline.publish.publication import REFUSED

REPORT = "report.html"
"""The page with all reports."""

REPORTS = "reports"
"""Folder of a refused build's reports, beside the refused variants."""


def keep_reports(
    curator: Path, reports: Mapping[str, pl.DataFrame | str | None], *, pages: Mapping[str, bytes]
) -> Path:
    """Write the reports of a refused build, readable by the owner alone; those of an earlier build are replaced.

    Args:
        reports: By name: JSON as text, or a table of files with the columns `path` and `content`; None is left out.
        pages: By path: `report.html`, the page with all of them, and what it leads to; empty if they could not be made.

    Returns:
        `report.html`, or the folder if there is no page.

    Raises:
        InputError: It cannot be written.
    """
    texts = {f"{name}.json": text.encode() for name, text in reports.items() if isinstance(text, str)}
    files = {**texts, **(pages or _tables_of_files(reports))}
    with reporting_disk(curator.parent):
        forget_reports(curator)
        folder = private_folder(curator, REFUSED, REPORTS)
        for path, content in files.items():
            inner, _, name = path.rpartition("/")
            private_file(private_folder(folder, *inner.split("/")) / name).write_bytes(content)
    return folder / REPORT if REPORT in files else folder


def _tables_of_files(reports: Mapping[str, pl.DataFrame | str | None]) -> dict[str, bytes]:
    return {
        f"{name}/{path}": content.encode()
        for name, report in reports.items()
        if isinstance(report, pl.DataFrame)
        for path, content in report.select("path", "content").iter_rows()
    }


PROBLEMS, PROBLEMS_IN_WORDS, CRASH = "problems.csv", "problems.txt", "crash.txt"


def keep_problems(curator: Path, problems: Iterable[Problem]) -> Path:
    """Write every problem of the raw tables, instead of an earlier build's, and return the file; or raise `InputError`."""
    rows = [dataclasses.astuple(problem) for problem in problems]
    names = [field.name for field in dataclasses.fields(Problem)]
    with reporting_disk(curator.parent):
        file = private_file(private_folder(curator, REFUSED) / PROBLEMS)
        file.write_bytes(pl.DataFrame(rows, schema=names, orient="row").write_csv().encode())
    return file


def kept_problems(curator: Path) -> tuple[Problem, ...]:
    """Return the problems that were kept last."""
    rows = pl.read_csv(curator / REFUSED / PROBLEMS, infer_schema=False).fill_null("")
    return tuple(Problem(**row | {"row": int(row["row"])}) for row in rows.iter_rows(named=True))


FINDINGS, EXEMPTIONS = "findings.csv", "exemptions.py"

FINDINGS_OF_A_RULE = 1_000
"""Rows of a rule in the file of findings. The first places of each token come before the further places of any token."""


@dataclass(frozen=True, kw_only=True)
class KeptFindings:
    """Where the curator reads the findings."""

    findings: Path
    left_out: int
    """Findings that are not in the file."""
    exemptions: Path | None
    """The file of exemptions that could be declared; None if there are none."""


def keep_findings(
    curator: Path,
    findings: pl.DataFrame,
    proposed: Sequence[Exemption],
    *,
    of: str = f"{REFUSED}/",
    rewritten: Collection[str] = (),
) -> KeptFindings:
    """Write the findings of a search, readable by the owner alone; those of an earlier search are replaced.

    Args:
        of: The folder of the searched files, which their paths start with.
        findings: File, row, column and kind of each, its token, how it is written, and the rule that found it.
        proposed: The exemptions that could be declared.
        rewritten: Files that were written anew since: no line is named of what stood in them.

    Raises:
        InputError: It cannot be written.
    """
    rows = pl.col("row").n_unique().over("file", "column", "token")
    can_be_exempted = pl.col("token").is_in([each.token for each in proposed])
    why = pl.when(can_be_exempted).then(pl.lit("")).otherwise("objection")
    shown = findings.with_columns(rows=rows, why_not_exempted=why).pipe(_first_of_each_rule)
    shown = shown.with_columns(row=pl.when(~pl.col("file").is_in(rewritten)).then("row"))
    shown = shown.select(name for name in _COLUMNS if name in shown.columns)
    with reporting_disk(curator.parent):
        forget_findings(curator, of=of)
        private_folder(curator, *of.split("/")[:-1])
        file, exemptions = (curator / f"{of}{name}" for name in (FINDINGS, EXEMPTIONS))
        private_file(file).write_bytes(shown.write_csv().encode())
        if proposed:
            private_file(exemptions).write_text(_declaration(proposed), encoding="utf-8")
    left_out = findings.height - shown.height
    return KeptFindings(findings=file, left_out=left_out, exemptions=exemptions if proposed else None)


def forget_findings(curator: Path, *, of: str = f"{REFUSED}/") -> None:
    """Remove the findings of an earlier search. The caller reports failures of the disk."""
    for name in (FINDINGS, EXEMPTIONS):
        (curator / f"{of}{name}").unlink(missing_ok=True)


def _first_of_each_rule(findings: pl.DataFrame) -> pl.DataFrame:
    place = ["file", "row", "column", "written"]
    ordinal = pl.int_range(pl.len()).over("file", "column", "token", "rule", order_by=place)
    among = pl.int_range(pl.len()).over("rule", order_by=["ordinal", "token", *place])
    first = findings.with_columns(ordinal=ordinal).filter(among < FINDINGS_OF_A_RULE)
    # By the alphabet what stands as it is listed comes before what has only its normal form: it says whose it is.
    return first.sort("file", "row", "column", "rule", "token")


_EXPLAINED = ("whose", "learnt", "answer")
"""Whose a name is, by original code; where it was learnt; what answers the finding. An audit knows none of it."""

_COLUMNS = (
    "file",
    "row",
    "column",
    "before",
    "written",
    "after",
    "token",
    "kind",
    "rule",
    "rows",
    "why_not_exempted",
    *_EXPLAINED,
)
"""Columns of the file of findings. `rows`: rows of the column with the token."""


def _declaration(proposed: Sequence[Exemption]) -> str:
    """Return the lines to add to an environment's declaration."""
    lines = [
        "# False alarms that can be declared. Look at each in findings.csv: what does name a company must not be here.",
        "# Write `from silt import Exemption`, put these into the declaration, Environment(...), and fill in each reason:",
        "exemptions=(",
        *(f"    Exemption({', '.join(_arguments(one))}),  # {one.reason}" for one in proposed),
        "),",
    ]
    return "\n".join(lines) + "\n"


def _arguments(exemption: Exemption) -> list[str]:
    """Return the arguments; the reason is left to whoever declares it, and an empty one is refused."""
    given = dataclasses.asdict(exemption) | {"reason": ""}
    return [f"{name}={value!r}" for name, value in given.items() if value or name == "reason"]


def forget_reports(curator: Path) -> None:
    """Remove the reports and problems of an earlier refused build, or raise `InputError`."""
    with reporting_disk(curator.parent):
        if (curator / REFUSED / REPORTS).exists():
            shutil.rmtree(curator / REFUSED / REPORTS)
        (curator / REFUSED / PROBLEMS).unlink(missing_ok=True)


def forget_failure(curator: Path) -> None:
    """Remove all that an earlier build left that failed, but for findings, or raise `InputError`."""
    forget_reports(curator)
    with reporting_disk(curator.parent):
        for name in (PROBLEMS_IN_WORDS, CRASH):
            (curator / name).unlink(missing_ok=True)
