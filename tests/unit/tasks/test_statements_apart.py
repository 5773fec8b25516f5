"""A statement of a stranger's gives an answer or nothing: it reaches no file, changes no table, and is bounded."""

from pathlib import Path

import pytest

from pipeline.tasks.running.apart import StatementAnswer, TableFile, run_apart

ATTACKS = {
    "SELECT content FROM read_text('{file}')": "Permission Error",
    "SELECT * FROM read_csv('{file}')": "Permission Error",
    "SELECT * FROM '{file}'": "Permission Error",
    "SELECT file FROM glob('{folder}/*')": "Permission Error",
    "SELECT * FROM sniff_csv('{file}')": "Permission Error",
    "SELECT * FROM enable_logging(storage = 'file', storage_config = {{'path': '{folder}'}})": "locked",
    "SELECT * FROM tables": "Catalog Error",
    "SELECT * FROM query('DELETE FROM t')": "Parser Error",
    "WITH gone AS (DELETE FROM t RETURNING *) SELECT count(*) FROM gone": "read-only",
    "COPY t TO '{folder}/out.csv'": "not one SELECT",
    "ATTACH '{folder}/out.db' AS other": "not one SELECT",
    "INSTALL httpfs": "not one SELECT",
    "LOAD httpfs": "not one SELECT",
    "SET enable_external_access = true": "not one SELECT",
    "PRAGMA database_list": "not one SELECT",
    "SELECT 1; DROP TABLE t": "not one SELECT",
    "": "not one SELECT",
    "SELECT length(repeat('x', 3000000000))": "Out of Memory",
    "SELECT range(100000)": "more than an answer",
    "SELECT CAST('inf' AS DOUBLE)": "inf",
    "SELECT {deep}": "depth",
}
"""Statement -> what it is refused with."""


@pytest.fixture
def table(tmp_path: Path) -> TableFile:
    (tmp_path / "t.csv").write_text("a,b\n1,-\n2,y\n")
    return TableFile("t", tmp_path / "t.csv", "-")


def test_no_attack_comes_through_and_the_next_statement_is_answered(table: TableFile) -> None:
    """All in one process: what one leaves behind would show in the answers between."""
    places = {"file": table.file, "folder": table.file.parent, "deep": "(" * 10_000 + "1" + ")" * 10_000}
    asked = [each for attack in ATTACKS for each in (attack.format(**places), "SELECT count(*), count(b) FROM t")]
    found = list(run_apart([table], asked))
    refused = dict(zip(ATTACKS, found[::2], strict=True))
    assert {attack: said for attack, said in ATTACKS.items() if said not in refused[attack].refusal} == {}
    assert found[1::2] == [StatementAnswer([2, 1], "")] * len(ATTACKS)
    assert [file.name for file in table.file.parent.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("endless", ["SELECT count(*) FROM range(1000000000000)", "SELECT sleep_ms(100000000)"])
def test_what_takes_too_long_is_ended_and_nothing_runs_after_it(table: TableFile, endless: str) -> None:
    """Whether it computes or sleeps."""
    first, second = run_apart([table], ["SELECT a FROM t", endless, "SELECT 1"], seconds=1)
    assert first == StatementAnswer("1", "")
    assert "no more were run" in second.refusal
