"""The predicate on de-identification: everything that reports tell of protection, nothing of noise that is not disclosed."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pipeline.errors import InputError
from pipeline.release.provenance.statement import read_statement, statement
from tests.schemas import schema
from tests.unit.release.published import build
from tests.unit.report import findings
from validation.release.deidentification import (
    DEIDENTIFICATION,
    Deidentification,
    deidentification,
    disagreeing,
    published,
)
from validation.report.sections.promises import promises_of

TRIED = findings.an_attack(attack="another attack", records=0, successes=0, passed=None)


def said(folder: Path, *, discloses_noise: bool = False, **changes: Any) -> Deidentification:
    variants = [published(each) for each in build(folder, **changes)]
    return deidentification(variants, discloses_noise=discloses_noise)


def test_every_attack_is_told_with_n_rate_and_bound(tmp_path: Path) -> None:
    """The figures are those of `privacy.json`, attack by attack."""
    attacks = findings.privacy()["attacks"]
    told = said(tmp_path).attacks
    assert len(told) == len(attacks) > 0
    for one, attack in zip(told, attacks, strict=True):
        assert one.n == attack["records"]
        for name in ("attack", "family", "knowledge", "successes", "rate", "upper_95", "chance", "limit", "passed"):
            assert getattr(one, name) == attack[name]


def test_mechanisms_promises_and_what_is_not_promised_are_told(tmp_path: Path) -> None:
    """Mechanisms are what the manifest says became of columns; promises are the policy's."""
    told = said(tmp_path)
    assert told.mechanisms == {
        "perturbed": {"shops": ("sales",)},
        "pseudonym": {"shops": ("code", "name"), "plants": ("code",)},
    }
    assert [told.promised, told.not_promised] == [
        " ".join(each) for each in promises_of("lsd", {"shops": {"perturbed": ["sales"]}})
    ]
    assert told.not_promised.startswith(
        "The leading digits of figures are real, short figures to the last digit: whoever has"
    )
    assert (told.policy, told.samples_records, told.is_key_public) == ("lsd", False, True)


def test_what_an_earlier_version_published_gives_the_same(tmp_path: Path) -> None:
    """It called treatments fates, and said otherwise that an attack has no limit: its releases are verified nonetheless."""
    folders = build(tmp_path)
    present = deidentification([published(each) for each in folders], discloses_noise=True)
    for folder in folders:
        for file, word, earlier in (
            ("manifest.json", '"column_treatments"', '"fates"'),
            ("reports/privacy.json", '"reported only"', '"told only"'),
        ):
            text = (folder / file).read_text(encoding="utf-8")
            assert word in text
            (folder / file).write_text(text.replace(word, earlier), encoding="utf-8")
    found = deidentification([published(each) for each in folders], discloses_noise=True)
    stated = present.model_dump_json().replace('"reported only"', '"told only"')
    assert list(disagreeing(Deidentification.model_validate_json(stated), found)) == []


def test_gates_are_told_without_what_noise_did(tmp_path: Path) -> None:
    """Each variant's gates are there; how much noise did is told only by a release that discloses it."""
    clean, noisy = said(tmp_path / "a").variants
    assert (clean.variant, noisy.variant) == ("clean", "noisy")
    hidden = [gate.asks for gate in noisy.gates if gate.figure is None]
    assert {"Noise keeps the rates of its specification", "Every table meets its expectations"} <= set(hidden)
    assert all(gate.figure is not None for gate in clean.gates)
    for variant in said(tmp_path / "b", discloses_noise=True).variants:
        assert all(gate.figure is not None for gate in variant.gates)


def test_nothing_of_the_specification_is_told(tmp_path: Path) -> None:
    """No rule and no kind of noise stands in the predicate."""
    text = said(tmp_path).model_dump_json()
    rules = findings.noise()["rules"]
    assert rules
    for rule in rules:
        assert f'"{rule["rule"]}"' not in text
        assert rule["kind"] not in text


def test_a_failed_attack_is_told(tmp_path: Path) -> None:
    """What the policy does not allow stays visible."""
    failed = findings.an_attack(passed=False)
    variants = [published(each) for each in build(tmp_path, attacks=[failed, TRIED])]
    told = deidentification(variants[1:], discloses_noise=False)
    assert [one.passed for one in told.attacks] == [False, None]
    assert [gate.passed for gate in told.variants[0].gates if "outsider" in gate.asks] == [False]


def test_variants_of_different_builds_are_refused(tmp_path: Path) -> None:
    """Attacks of one build say nothing of another's files; what was found in the files may differ."""
    with pytest.raises(InputError, match=r"clean, noisy are of different builds.*silt build clean, noisy"):
        said(tmp_path / "a", summary="another")
    assert said(tmp_path / "c", searched={"files": 3, "bytes": 9}).variants[1].escapes is not None
    assert said(tmp_path / "b", escapes=[]).variants[1].escapes == 0


def test_it_is_what_the_schema_says_within_a_statement(tmp_path: Path) -> None:
    """What stands in the statement meets the published schema, is read back as it was, and has the same bytes each time."""
    told = said(tmp_path)
    payload = statement({"release.json": "ab" * 32}, DEIDENTIFICATION, told)
    assert payload == statement({"release.json": "ab" * 32}, DEIDENTIFICATION, told)
    predicate = read_statement(payload).predicate
    assert list(Draft202012Validator(json.loads(schema("deidentification"))).iter_errors(predicate)) == []
    assert Deidentification.model_validate_json(json.dumps(predicate)) == told


def test_missing_and_broken_reports_are_refused(tmp_path: Path) -> None:
    """The message names the variant, or the field."""
    clean, noisy = build(tmp_path)
    (clean / "reports/privacy.json").unlink()
    with pytest.raises(InputError, match=r"variant 'clean' has no reports/privacy.json"):
        deidentification([published(clean)], discloses_noise=False)
    (noisy / "reports/ks.json").write_text('{"tests": 1}')
    with pytest.raises(InputError, match=r"not the reports of 'noisy', at 'ks.alpha'"):
        published(noisy)
    (noisy / "manifest.json").unlink()
    with pytest.raises(InputError, match=r"cannot read .*noisy/manifest.json.*build again"):
        published(noisy)


def test_what_disagrees_with_public_reports_is_named(tmp_path: Path) -> None:
    """A field, a variant's escapes, or a gate; gates of reports that are not public are not asked for."""
    told = said(tmp_path / "a")
    clean, noisy = build(tmp_path / "b")
    (noisy / "reports/noise.json").unlink()
    found = deidentification([published(noisy), published(clean)], discloses_noise=False)
    assert list(disagreeing(told, found)) == []
    attacks = (told.attacks[0].model_copy(update={"successes": 99}), *told.attacks[1:])
    first, second = told.variants
    gate = first.gates[0].model_copy(update={"passed": not first.gates[0].passed})
    for change, named in (
        ({"attacks": attacks}, "attacks"),
        ({"not_promised": "nothing"}, "not_promised"),
        ({"variants": (first,)}, "variants.noisy"),
        ({"variants": (first.model_copy(update={"escapes": 7}), second)}, "variants.clean"),
        ({"variants": (first.model_copy(update={"exempted": 7}), second)}, "variants.clean"),
        (
            {"variants": (first.model_copy(update={"gates": (gate, *first.gates[1:])}), second)},
            f"variants.clean.gates: {gate.asks}",
        ),
    ):
        assert list(disagreeing(told.model_copy(update=change), found)) == [named]
