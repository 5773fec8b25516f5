"""Environments without figures, without names, with further kinds of entities: the pages in `docs/`, followed to the letter."""

import csv
import io
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from tests.integration.checks import cells, escapes, report, rows_of
from tests.integration.conftest import run_silt, write_key
from tests.integration.readme import ROOT, example_commands, write_example

pytestmark = pytest.mark.slow

DOCS = ROOT / "docs"


@dataclass(frozen=True)
class Followed:
    """A page that was followed."""

    folder: Path
    name: str
    declaration: str
    audit: str
    """What the audit printed."""

    def variant(self, variant: str) -> Path:
        return self.folder / "environments" / self.name / variant

    def rows(self, table: str, variant: str = "clean") -> list[dict[str, str]]:
        return rows_of(self.variant(variant) / "database" / f"{table}.csv")

    def raw(self, table: str) -> list[dict[str, str]]:
        return rows_of(self.folder / self.name / f"{table}.csv")

    @cached_property
    def revealed(self) -> list[tuple[str, str, str]]:
        """Return kind, original and pseudonym of the identity map, as the curator prints it."""
        done = run_silt("reveal", *self._settings(), cwd=self.folder)
        assert done.returncode == 0, done.stderr
        return [tuple(row) for row in list(csv.reader(io.StringIO(done.stdout)))[1:]]

    def guarded(self, out: str) -> Path:
        """Build the clean variant under the other policy; return its folder."""
        key = self.folder / "guarded.key"
        key.write_text("9a" * 32)
        key.chmod(0o600)
        files = ["--raw", self.name, "--noise", f"{self.name}.yaml", "--out", out, "--key-file", key]
        declared = ["--environment", self.declaration, "--policy", "guarded"]
        done = run_silt("build", "clean", *declared, *files, cwd=self.folder)
        assert done.returncode == 0, done.stderr
        return self.folder / out / self.name / "clean"

    def _settings(self) -> list[object]:
        return ["--environment", self.declaration, "--key-file", self.folder / "release.key"]


def follow(page: str, folder: Path) -> Followed:
    """Write a page's files and run its commands, with a key that is the same each time."""
    write_example(folder, DOCS / page)
    key = write_key(folder)
    commands = ([*command, *(["--all"] if command[0] == "audit" else [])] for command in example_commands(DOCS / page))
    build, audit = (run_silt(*command, "--key-file", key, cwd=folder) for command in commands)
    assert build.returncode == 0, build.stderr
    assert audit.returncode == 0, audit.stderr + audit.stdout
    declaration = next(folder.glob("*.py"))
    return Followed(folder, declaration.stem, f"{declaration.name}:{declaration.stem.upper()}", audit.stdout)


@pytest.fixture(scope="module")
def museums(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    return follow("without-figures.md", tmp_path_factory.mktemp("museums"))


@pytest.fixture(scope="module")
def wells(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    return follow("without-names.md", tmp_path_factory.mktemp("wells"))


@pytest.fixture(scope="module")
def carriers(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    return follow("further-entities.md", tmp_path_factory.mktemp("carriers"))


@pytest.mark.parametrize("variant", ["noisy", "clean"])
def test_without_figures_every_report_says_so(museums: Followed, variant: str) -> None:
    """No report on distributions, no gate that has passed on nothing, and the summary speaks of the register."""
    reports = museums.variant(variant) / "reports"
    assert not {"ks.json", "distributions.json", "ks.html"} & {path.name for path in reports.iterdir()}
    page = (reports / "report.html").read_text(encoding="utf-8")
    too_little = {"noisy": 3, "clean": 2}[variant]  # few records: most attacks, and what noise may change, show nothing
    assert f"{too_little} had too little to compare" in page
    assert "No figures are declared, so there is nothing to compare." in page
    assert "0 of 0" not in page
    privacy = report(museums.variant(variant), "privacy.json")
    assert " Someone who knows a register with field, town, opened" in privacy["summary"]
    assert " No figures are declared. " in privacy["summary"]
    assert {entry["family"] for entry in privacy["attacks"]} == {
        "codes",
        "copies",
        "register",
        "names",
        "order",
        "prose",
    }


def test_without_figures_names_are_replaced_in_tables_and_prose(museums: Followed) -> None:
    """No name, now or former, stands anywhere; the texts speak of who they spoke of."""
    hidden = [row["name"] for row in museums.raw("museums")] + [row["called"] for row in museums.raw("former")]
    assert all(escapes(museums.variant(variant), hidden) == [] for variant in ("noisy", "clean"))
    by_code = {row["museum"]: row for row in museums.rows("museums")}
    codes = {original: pseudonym for kind, original, pseudonym in museums.revealed if kind == "code"}
    assert codes["M04"] in by_code[codes["M02"]]["about"]
    assert by_code[codes["M01"]]["name"] in by_code[codes["M06"]]["about"]


def test_a_former_name_does_not_lead_to_the_present_one(museums: Followed) -> None:
    """The pseudonym of a former name shares no word that says anything with the present pseudonym, and stands in the text."""
    pairs = {original: pseudonym for kind, original, pseudonym in museums.revealed if kind in {"alias", "name"}}
    present, former = pairs["Kessler Collection"], pairs["Kessler Cabinet"]
    assert present.split()[0] not in former
    assert former.split()[0] not in present
    [text] = [row["about"] for row in museums.rows("museums") if row["name"] == present]
    assert text == f"Formerly the {former}."


def test_without_names_codes_alone_are_replaced(wells: Followed) -> None:
    """Codes have the shape of the example; none of the raw ones is left, in prose neither; no names are attacked."""
    assert {kind for kind, _, _ in wells.revealed} == {"code"}
    published = cells(wells.variant("clean"), {"well"})
    assert len(published) == 4
    assert all(re.fullmatch(r"[B-DF-HJ-NP-TV-Z]-\d{4}", code) for code in published)
    raw = [row["well"] for row in wells.raw("wells")]
    assert all(escapes(wells.variant(variant), raw) == [] for variant in ("noisy", "clean"))
    codes = {original: pseudonym for _, original, pseudonym in wells.revealed}
    remarks = {row["well"]: row["remark"] for row in wells.rows("wells")}
    assert remarks[codes["W-0388"]] == f"Feeds {codes['W-0401']} in summer."
    families = {entry["family"] for entry in report(wells.variant("clean"), "privacy.json")["attacks"]}
    assert "linkage" in families
    assert "names" not in families
    assert "all entities" not in wells.audit


def test_kinds_have_pseudonyms_of_their_own(carriers: Followed) -> None:
    """The map lists each kind; one text that is a code of two kinds has two pseudonyms, each in its own column."""
    map_ = {(kind, original): pseudonym for kind, original, pseudonym in carriers.revealed}
    kinds = {kind for kind, _ in map_}
    of_codes = {"name of code", "person name of code"}
    assert kinds - of_codes == {"code", "name", "aircraft code", "person code", "person name", "person alias"}
    carrier, aircraft = map_["code", "KX"], map_["aircraft code", "KX"]
    assert carrier != aircraft
    rows = carriers.rows("aircraft")
    assert [row["carrier"] for row in rows if row["tail"] == aircraft] == [carrier]
    assert all(re.fullmatch(r"[A-Z]\d{3}[A-Z]{2}", row["tail"]) for row in rows)
    assert cells(carriers.variant("clean"), {"tail"}) == {map_[key] for key in map_ if key[0] == "aircraft code"}


def test_prose_names_every_kind_by_its_pseudonym(carriers: Followed) -> None:
    """People, aircraft and carriers stand in the texts as in the tables, and no original of any kind anywhere."""
    map_ = {(kind, original): pseudonym for kind, original, pseudonym in carriers.revealed}
    [text] = [row["text"] for row in carriers.rows("reports") if "looked at" in row["text"]]
    author, flown = map_["person name", "Ada Quill"], map_["person name", "Osei Mbeki"]
    tail, carrier = map_["aircraft code", "N407BW"], map_["name", "Blue Wing Air Lines"]
    assert text == f"{author} looked at {tail} of {carrier}; {flown} had flown it."
    hidden = [original for _, original in map_ if len(original) > 3]
    assert all(escapes(carriers.variant(variant), hidden) == [] for variant in ("noisy", "clean"))


def test_attributes_of_kinds_are_reported_and_attacked(carriers: Followed) -> None:
    """Class sizes of each kind stand in the report, and a register of each is looked up, in the build and in the audit."""
    privacy = report(carriers.variant("clean"), "privacy.json")
    assert {kind: found["records"] for kind, found in privacy["further_kinds"].items()} == {"aircraft": 5, "person": 3}
    looked_up = {entry["attack"]: entry for entry in privacy["attacks"] if entry["family"] == "register"}
    assert looked_up["quasi-identifier linkage, aircraft"]["successes"] == 2  # the two of a model and year of their own
    for kind in ("aircraft", "person"):
        assert f"quasi-identifier linkage, {kind}" in carriers.audit
        assert f"dictionary, guessed keys, {kind}" in carriers.audit
    assert "is first of its group, person" in carriers.audit


def test_under_guarded_nothing_of_an_entity_is_its_own(carriers: Followed, museums: Followed) -> None:
    """Of five aircraft no attribute and no row can be told from noise: all are left out; no text about an entity is quoted."""
    of_carriers, of_museums = carriers.guarded("guarded"), museums.guarded("guarded")
    assert cells(of_carriers, {"model", "seats", "built", "post", "region", "text"}) == {""}
    assert cells(of_museums, {"town", "about"}) == {""}
    assert not rows_of(of_carriers / "database/reports.csv")
    assert "panel" not in report(of_museums, "model.json")
    limits = {
        entry["limit"] for entry in report(of_carriers, "privacy.json")["attacks"] if entry["family"] == "register"
    }
    assert limits == {"no better than guessing"}
