"""What a build leaves that a check refused: its reports as files in the curator's area, for whoever must find out why.

Belongs here: writing them. What a report says, and which build was refused, is decided upstream; a variant that the search for
escapes refused is kept whole by `publish`.

    <environment>/curator/refused/reports/<report>.json          what each report says
    <environment>/curator/refused/reports/<report>/<path>        of a report that is a table of files, these
    <environment>/curator/refused/reports/report.html            the page of them all
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from pipeline.private import private_file, private_folder
from pipeline.publish.disk import reporting_disk
from pipeline.publish.publication import REFUSED
from pipeline.variant import REPORT

REPORTS = "reports"
"""Name of the folder of a refused build's reports, beside those of refused variants."""


def keep_reports(curator: Path, reports: Mapping[str, pl.DataFrame | str | None], *, page: bytes) -> Path:
    """Write the reports of a refused build in the place of those of an earlier one, for the owner's eyes alone.

    Args:
        curator: The curator's folder of the environment.
        reports: By name: JSON as text, or a table of files with the columns `path` and `content`; None is left out.
        page: `report.html`, the page of them all.

    Returns:
        The folder.

    Raises:
        InputError: It cannot be written.
    """
    files = {f"{name}.json": text for name, text in reports.items() if isinstance(text, str)} | {
        f"{name}/{path}": content
        for name, report in reports.items()
        if isinstance(report, pl.DataFrame)
        for path, content in report.select("path", "content").iter_rows()
    }
    with reporting_disk(curator.parent):
        forget_reports(curator)
        folder = private_folder(curator, REFUSED, REPORTS)
        for path, text in files.items():
            inner, _, name = path.rpartition("/")
            private_file(private_folder(folder, *inner.split("/")) / name).write_bytes(text.encode())
        private_file(folder / REPORT).write_bytes(page)
    return folder


def forget_reports(curator: Path) -> None:
    """Remove the reports of an earlier refused build.

    Raises:
        InputError: They cannot be removed.
    """
    with reporting_disk(curator.parent):
        if (curator / REFUSED / REPORTS).exists():
            shutil.rmtree(curator / REFUSED / REPORTS)
