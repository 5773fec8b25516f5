"""A refusal of the escape scan is answered: findings for the curator, exemptions to declare, and none for a name."""

import json
import re
import shlex
import stat
from pathlib import Path

import polars as pl
import pytest

from silt.cli import main
from tests.integration.refusals import DAGSTERS_OWN_WARNING, Ended, ended
from tests.pages import dead_links, text_of

pytestmark = pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)

ORDINARY, NAMED = "sold in Urdania, its harbour", "a gift of Haiweilao Kettles"
MOTTOES = [ORDINARY, *(f"shop {number}, its owners too" for number in range(6))]
NAMES = [
    "Urdania ITS",
    "Haiweilao Kettles",
    *(f"Urdania Zumbra {word}" for word in ("Nolk", "Prunt", "Sneld", "Tarvik", "Lomb")),
]


@pytest.fixture
def mottoes(shops: Path) -> Path:
    """Give each of seven shops a motto, which is published as it is; return the environment's folder."""
    declaration = Path("shops.py").read_text(encoding="utf-8")
    declaration = declaration.replace('Column(name="town"),', 'Column(name="town"), Column(name="motto"),')
    declaration = declaration.replace('"opened", "about")', '"opened", "about", "motto")')
    declaration = declaration.replace("    Column,\n", "    Column,\n    Exemption,\n")
    Path("shops.py").write_text(declaration, encoding="utf-8")
    write_mottoes(MOTTOES)
    return shops


@pytest.fixture
def command(example: list[str]) -> list[str]:
    """Return the example's command."""
    return example


def write_mottoes(mottoes: list[str]) -> None:
    codes = ["A1", "A2", "B1", "B2", "B3", "B4", "B5"]
    table = pl.DataFrame({"shop": codes, "name": NAMES, "trade": "Bakery", "town": "Ulm", "opened": "3/4/1998"})
    about = pl.lit(None, dtype=pl.String)
    table.with_columns(about=about, motto=pl.Series(mottoes)).write_csv("shops/shops.csv")


def exempt(lines: str) -> None:
    """Put exemptions into the declaration, as its author would."""
    content = Path("shops.py").read_text(encoding="utf-8")
    Path("shops.py").write_text(re.sub(r"\n\)\s*$", f"\n{lines}\n)\n", content), encoding="utf-8")


def refused(command: list[str], capsys: pytest.CaptureFixture[str], status: int) -> Ended:
    said = ended(command, capsys, status=status)
    assert said.names_nobody("Urdania", "Haiweilao", "Zumbra")
    return said


def test_a_false_alarm_is_answered_by_what_is_proposed(
    mottoes: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The refusal counts rows and names two files; the second, put into the declaration with reasons, lets the build pass.

    An exemption beside it that excuses nothing is of no use, and stays so until somebody takes it out.
    """
    said = refused(command, capsys, 1)
    assert re.search(
        r"\d+ rows? of the noisy variant in 1 column would identify a company, so nothing is published: "
        "database/shops.csv column 'motto': a name",
        said.printed,
    )
    findings, proposal = mottoes / "curator/refused/findings.csv", mottoes / "curator/refused/exemptions.py"
    assert all(f"curator/refused/{file.name}" in said.printed for file in (findings, proposal))
    assert [stat.S_IMODE(file.stat().st_mode) for file in (findings, proposal)] == [0o600, 0o600]
    found = pl.read_csv(findings).row(0, named=True)
    assert (found["column"], found["token"], found["before"], found["written"], found["after"]) == (
        *("motto", "Urdania ITS", "sold in ", "Urdania, its", " harbour"),
    )
    assert (found["raw_file"], found["raw_row"], found["raw_column"]) == ("shops.csv", 2, "motto")
    page = mottoes / "curator/refused/noisy/would_be_published/reports/report.html"
    told = text_of(page.read_bytes())
    pair = (
        f"shops.csv, row 2, column motto: published in database/shops.csv, row {found['row']}, column motto (listed in"
    )
    assert (
        f"each with its published row ( findings.csv has the words; the header is row 1): {pair} shops.csv, row 2, column name)"
        in told
    )
    assert "If it names nobody where it was found: put what exemptions.py beside the findings proposes into" in told
    assert (found["listed_in"], found["why_not_exempted"]) == ("shops.csv, row 2, column name", "")
    pages = pl.read_csv(findings).filter(pl.col("file").str.starts_with("reports/"))
    assert "reports/report.html" in pages.filter(pl.col("row").is_null())["file"]
    for at in pages.drop_nulls("row").iter_rows(named=True):
        assert at["written"] in (page.parents[1] / at["file"]).read_text(encoding="utf-8").splitlines()[at["row"] - 1]
    assert dead_links(page.parent) == []
    useless = '    Exemption(token="Haiweilao Kettles", reason="a kettle"),'
    exempt(proposal.read_text(encoding="utf-8").replace("exemptions=(", f"exemptions=(\n{useless}", 1))
    assert "no reason" in refused(command, capsys, 2).printed
    declaration = Path("shops.py").read_text(encoding="utf-8")
    Path("shops.py").write_text(declaration.replace("reason=''", "reason='an island'"), encoding="utf-8")
    assert main(command) == 0
    said_of_both = "".join(capsys.readouterr())
    assert "name exempted" in said_of_both
    assert "noisy: exemption 1 of the declaration excuses nothing here" in said_of_both
    assert not findings.exists()
    assert not proposal.exists()
    for variant in ("noisy", "clean"):
        privacy = json.loads((mottoes / variant / "reports/privacy.json").read_bytes())
        told = privacy["exemptions"]
        assert (privacy["passed"], privacy["escapes"], told["places"]["name"] > 0) == (True, [], True)
        assert told["declared"] - told["unused"] == 1
        assert "exempted" in (mottoes / variant / "reports/report.html").read_text(encoding="utf-8")


def test_a_name_cannot_be_exempted(mottoes: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """An exemption that would excuse a distinctive name ends the build, says why, and names no name."""
    write_mottoes([NAMED, *MOTTOES[1:]])
    exempt('exemptions=(Exemption(token="Haiweilao Kettles", reason="a kettle"),),')
    said = refused(command, capsys, 2)
    assert "refused: 1 exemption of the declaration may name a company after all" in said.printed
    assert re.search(
        r"exemption 1: in \d+ of the places it has words that stand in small letters in fewer", said.printed
    )
    assert not (mottoes / "curator/refused/exemptions.py").exists()
    page = mottoes / "curator/refused/noisy/would_be_published/reports/report.html"
    assert not page.exists() or "exemptions.py" not in text_of(page.read_bytes())
    assert "Haiweilao Kettles" in pl.read_csv(mottoes / "curator/refused/findings.csv")["token"].to_list()


def test_a_copied_column_is_named_and_searched(
    mottoes: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Where attacks refuse a column, it and the raw one are named; the tables are searched, too, and `silt check` is next."""
    write_mottoes([*NAMES[1:], NAMES[0]])
    said = refused([*command, "--json"], capsys, 1)
    outcome = json.loads(re.search(r"(?ms)^{$.*^}$", said.printed).group())  # type: ignore[union-attr]
    assert outcome["failing"].keys() == {"attacks_stay_within_limits", "nothing_identifies_a_company"}
    of_sets = next(line for line in outcome["over"] if "as sets of values" in line)
    assert re.search(
        r"pairs of columns \(\S+%\): shops\.motto has 7 of 7 in common with the raw shops\.name; allowed", of_sets
    )
    assert of_sets in said.printed
    assert [(each["file"], each["column"], each["rows"]) for each in outcome["escapes"]] == [
        ("database/shops.csv", "motto", 7)
    ]
    findings = pl.read_csv(mottoes / "curator/refused/findings.csv").filter(pl.col("column") == "motto").sort("raw_row")
    assert findings["raw_row"].to_list() == list(range(2, 9))
    assert [row.partition(" (")[0] for row in outcome["raw_rows"]] == [
        f"shops.csv, row {row}, column motto: published in database/shops.csv, row {published}, column motto"
        for row, published in findings.select("raw_row", "row").iter_rows()
    ]
    assert outcome["next"] == "silt check --environment shops.py:SHOPS --raw shops --noise shops.yaml"
    assert outcome["first"].startswith("mend the cause, and see whether that is enough")
    page = mottoes / "curator/refused/reports/report.html"
    told = text_of(page.read_bytes()).partition("Of what is refused")[0]
    assert "shops.motto has 7 of 7 in common with the raw shops.name" in told
    assert f"{outcome['raw_rows'][0]} " in told
    assert not any(name in told for name in NAMES)
    assert f"Mend the cause, and see whether that is enough: {outcome['next']}" in told
    assert dead_links(page.parent) == []
    assert main(shlex.split(outcome["next"])[1:]) == 1
    assert "column 'motto' is published as it is, and a build would refuse it: 7 raw cells" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("place", "says"),
    [
        (
            'table="shop"',
            r"unknown published table or document of an exemption 'shop'; known: accounts, deliveries, shops",
        ),
        (
            'table="shops", column="moto"',
            r"unknown column of an exemption in table 'shops' 'moto'; known: about, motto, name",
        ),
        ('column="motto"', r"an exemption names the column 'motto' and no table"),
    ],
)
def test_a_misplaced_exemption_is_refused(
    mottoes: Path, command: list[str], capsys: pytest.CaptureFixture[str], place: str, says: str
) -> None:
    """A table or column that is not published is told, with those that are."""
    assert mottoes.is_dir()
    exempt(f'exemptions=(Exemption(token="Urdania ITS", reason="an island", {place}),),')
    assert re.search(says, refused(command, capsys, 2).printed)
