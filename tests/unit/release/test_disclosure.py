"""What gives noise away is found in any text of a release's public half, and nothing else is."""

from pathlib import Path

import pytest

from pipeline.noise.kinds import KINDS
from pipeline.noise.spec import load_spec
from pipeline.places import default_specification
from pipeline.release.disclosure import NoiseWords, giving_away, is_noisy_page, is_of_noise
from pipeline.release.layout import STATEMENTS
from pipeline.release.provenance.envelope import STATEMENT_TYPE, pack
from silt.environments.dataclaw_18 import DATACLAW_18

SPEC = load_spec(default_specification(DATACLAW_18.name), DATACLAW_18)
WORDS = NoiseWords.of(SPEC)


def found(folder: Path, path: str, text: str) -> list[tuple[str, int, str]]:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text, encoding="utf-8")
    return [(each.file, each.row, each.value) for each in giving_away(folder, [path], WORDS)]


@pytest.mark.parametrize("rule", [rule.name for rule in SPEC.rules][:5])
@pytest.mark.parametrize("path", ["README.md", "clean/reports/report.html", "noisy/reports/privacy.json"])
def test_the_name_of_a_rule_is_found(path: str, rule: str, tmp_path: Path) -> None:
    """In whatever file it stands, with its line."""
    assert found(tmp_path, path, f"one\ntwo, {rule}.\n") == [(path, 2, rule)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_found(kind: str, tmp_path: Path) -> None:
    """As it stands in a report; not as a part of another word."""
    assert found(tmp_path, "clean/reports/x.json", f'{{"kind": "{kind}"}}') == [("clean/reports/x.json", 1, kind)]
    assert found(tmp_path, "clean/reports/y.json", f"un{kind}ed") == []


@pytest.mark.parametrize("path", STATEMENTS)
def test_a_name_is_found_in_an_envelope(path: str, tmp_path: Path) -> None:
    """What a statement says is in base64."""
    (tmp_path / path).write_bytes(pack(b'{"rule": "gaps"}', STATEMENT_TYPE, None))
    words = NoiseWords(rules=frozenset({"gaps"}))
    assert [each.value for each in giving_away(tmp_path, [path], words)] == ["gaps"]


def test_a_name_is_found_behind_html(tmp_path: Path) -> None:
    """Pages write some characters otherwise."""
    words = NoiseWords(rules=frozenset({'gaps & "holes"'}))
    (tmp_path / "x.html").write_text("<td>gaps &amp; &quot;holes&quot;</td>", encoding="utf-8")
    assert [each.value for each in giving_away(tmp_path, ["x.html"], words)] == ['gaps & "holes"']


@pytest.mark.parametrize("text", ["0.002", "0.2%", "0.2 %", "a rate of 0.002."])
def test_a_rate_is_found_where_a_release_describes_itself(text: str, tmp_path: Path) -> None:
    """Reports are full of other numbers."""
    assert 0.002 in WORDS.rates
    assert len(found(tmp_path, "README.md", text)) == 1
    assert found(tmp_path, "clean/reports/privacy.json", text) == []


@pytest.mark.parametrize("text", ["10.002", "0.0021", "0.002.1", "v0.002", "1.0", "0", "100 %"])
def test_another_number_is_no_rate(text: str, tmp_path: Path) -> None:
    """Versions, longer numbers, and the rates that everything or nothing has."""
    assert found(tmp_path, "README.md", text) == []


def test_data_are_no_statement_about_noise(tmp_path: Path) -> None:
    """A cell may hold any word."""
    kind = next(iter(KINDS))
    for path in (
        "noisy/database/a/x.csv",
        "clean/ideal/x.csv",
        "clean/reports/tables/x.js",
        "noisy/parquet/database/x.parquet",
    ):
        assert found(tmp_path, path, kind) == []


def test_reports_on_noise_are_the_noisy_variants() -> None:
    """The clean variant's say nothing of noise; pages lead to each other, so that none is taken alone."""
    told, pages = (
        ["noise.json", "expectations.json", "profile.json"],
        ["report.html", "data_docs/x.html", "tables/x.js"],
    )
    assert all(is_of_noise("noisy", f"reports/{name}") for name in told)
    assert all(is_noisy_page("noisy", f"reports/{name}") for name in pages)
    assert not any(is_of_noise("clean", f"reports/{name}") for name in told)
    assert not any(is_noisy_page("clean", f"reports/{name}") for name in pages)
    others = ("reports/ks.json", "reports/privacy.json", "reports/consistency.json", "database/x.csv", "manifest.json")
    assert not any(is_of_noise("noisy", path) or is_noisy_page("noisy", path) for path in others)
