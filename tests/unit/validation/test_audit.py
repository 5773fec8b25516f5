"""The audit: it pairs originals and release by the truth alone, whatever the order, and finds what is planted."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from anonymize.codes import code_space, pseudonymous_codes
from anonymize.keys.release_key import of_policy
from anonymize.policy import GUARDED, LSD, Policy
from anonymize.pseudonyms import pseudonyms
from anonymize.tables import FIGURES, NAMES, anonymised_figures
from pipeline.keyed import Key
from pipeline.model import PERIOD, Column, PublishedTable, RawTable, Role, Truth
from pipeline.report_json import report_json
from tests.anonymised import anonymise_tables
from tests.unit.validation.mills import MILLS, conformed_mills
from validation.attacks import Attack
from validation.attacks import limits as families
from validation.attacks.adaptive.populations import AttackedRelease, Make, Population
from validation.attacks.adaptive.suite import Effort
from validation.attacks.identifiers.guessed_keys import guessable_keys
from validation.attacks.limits import ADAPTIVE, CODES, EXACT, FILTERS, LINKAGE, ORDER, PROSE, REGISTER, is_over, judged
from validation.attacks.records.linkage import GAPS, OWNER, WHOLE_PANEL
from validation.attacks.suite import Sides, audit
from validation.report.sections.promises import FAMILIES

KEY = Key(b"k" * 32)
FIRMS = 60
SHORT = Effort(shadows=1, controls=2, firms=FIRMS, is_second=False)


@cache
def release() -> Sides:
    """Return an honest release of the mills under the paper's policy, and their originals."""
    conformed = conformed_mills(FIRMS)
    map_ = pseudonyms(MILLS, conformed, KEY)
    figures = anonymised_figures(MILLS, conformed, KEY).figures
    tables = anonymise_tables(MILLS, conformed, map_, KEY, figures=figures)
    truth = Truth(tables=tables, order=KEY.derive("order"))
    return Sides(
        environment=MILLS,
        conformed=conformed,
        raw={name: frame.lazy().cast(pl.String) for name, frame in conformed.items()},
        entities=tables["mills"],
        figures=tables[FIGURES],
        names=tables[NAMES],
        published={table.name: table.render(truth).lazy() for table in MILLS.tables},
        codes=map_.codes,
        policy=LSD,
    )


def attacked(sides: Sides) -> dict[str, list[Attack]]:
    return audit(sides, KEY, effort=SHORT)


@cache
def honest() -> dict[str, list[Attack]]:
    return attacked(release())


def is_within(family: str, attacks: list[Attack], policy: Policy) -> bool:
    return not any(map(is_over, judged({family: attacks}, policy)))


def shuffled(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.sample(fraction=1, shuffle=True, seed=1)


def written(found: dict[str, list[Attack]]) -> bytes:
    """Return what a report would hold: without the last bits of sums, which threads may add up in any order."""
    return report_json({family: [attack.published() for attack in attacks] for family, attacks in found.items()})


def owners(found: dict[str, list[Attack]]) -> list[Attack]:
    return [attack for attack in found[LINKAGE] if attack.attack == OWNER]


def test_an_honest_release_is_within_all_that_is_promised() -> None:
    """Under the paper's policy nothing that it promises is broken, and every family of attacks is there with its words."""
    assert set(honest()) <= set(FAMILIES)
    for family, attacks in honest().items():
        assert is_within(family, attacks, LSD), family
    assert {family for family, attacks in honest().items() if not attacks} == {FILTERS, PROSE}


def test_kept_digits_name_every_company() -> None:
    """The truth pairs records rightly: with three digits kept, the nearest original is the own one for nearly all."""
    assert [attack.records for attack in owners(honest())] == [FIRMS, FIRMS]
    assert all(attack.rate > 0.9 for attack in owners(honest()))


@pytest.mark.parametrize("part", ["entities", "figures", "names"])
def test_the_order_of_published_rows_is_of_no_consequence(part: str) -> None:
    """Rows of the release in any order give the same counts in every attack."""
    sides = release()
    other = replace(sides, **{part: shuffled(getattr(sides, part))})
    assert written(attacked(other)) == written(honest())


def test_the_order_of_original_rows_is_of_no_consequence() -> None:
    """Nor does it matter in which order the typed originals come; the order of the raw files has a field of its own."""
    sides = release()
    other = replace(sides, conformed={name: shuffled(frame) for name, frame in sides.conformed.items()})
    assert written(attacked(other)) == written(honest())


@pytest.mark.parametrize("kept", [1, 20, 45])
def test_records_that_were_dropped_are_not_attacked(kept: int) -> None:
    """With figures and rows of some companies left out, those that are left are attacked, and found as before."""
    sides = release()
    codes = sides.entities["mill"].sort().head(kept).implode()
    fewer = replace(
        sides,
        entities=sides.entities.filter(pl.col("mill").is_in(codes)),
        figures=sides.figures.filter(pl.col("mill").is_in(codes)),
    )
    found = attacked(fewer)
    assert [attack.records for attack in owners(found)] == [kept, kept]
    assert all(attack.rate > 0.9 for attack in owners(found))
    assert found[REGISTER][0].records == kept


def test_a_year_that_was_dropped_is_not_compared_with_another() -> None:
    """Where the release lacks the first year, the others are paired year by year: nobody is found less."""
    sides = release()
    fewer = replace(sides, figures=sides.figures.filter(pl.col(PERIOD) > sides.figures[PERIOD].min()))
    assert [attack.rate for attack in owners(attacked(fewer))] == [attack.rate for attack in owners(honest())]


def test_another_truth_finds_nobody() -> None:
    """Counted by a map in which each code has the next one's pseudonym, hardly a link is right: the truth decides."""
    sides = release()
    codes = list(sides.codes)
    wrong = dict(zip(codes, [sides.codes[code] for code in (*codes[2:], *codes[:2])], strict=True))
    assert all(attack.rate < 0.2 for attack in owners(attacked(replace(sides, codes=wrong))))


def test_original_figures_are_found_as_they_stand() -> None:
    """Figures published unchanged are over the limit of exact search under every policy."""
    sides = release()
    unchanged = sides.conformed["accounts"].with_columns(pl.col("mill").replace_strict(sides.codes))
    found = attacked(replace(sides, figures=unchanged))
    assert all(attack.rate == 1.0 for attack in found[EXACT])
    assert not is_within(EXACT, found[EXACT], LSD)


def test_the_raw_order_is_found() -> None:
    """Rows published in the order of the raw table are over the limit of orders."""
    sides = release()
    order = {code: place for place, code in enumerate(sides.codes[raw] for raw in sides.conformed["mills"]["mill"])}
    sorted_rows = sides.published["mills"].sort(pl.col("mill").replace_strict(order))
    found = attacked(replace(sides, published={**sides.published, "mills": sorted_rows}))
    assert not is_within(ORDER, found[ORDER], LSD)


def test_names_that_were_kept_are_found() -> None:
    """Names published as they are lead to their companies."""
    sides = release()
    kept = sides.conformed["mills"].select(
        code=pl.col("mill").replace_strict(sides.codes), legal="name", short="name", english="name"
    )
    found = attacked(replace(sides, names=kept))
    assert not is_within(families.NAMES, found[families.NAMES], LSD)


def recoded(codes: dict[str, str], policy: Policy) -> Sides:
    """Return the release under other codes, and another policy."""
    sides = release()
    again = {sides.codes[raw]: code for raw, code in codes.items()}
    mill = pl.col("mill").replace_strict(again)
    return replace(
        sides,
        codes=codes,
        policy=policy,
        entities=sides.entities.with_columns(mill),
        figures=sides.figures.with_columns(mill),
        names=sides.names.with_columns(pl.col("code").replace_strict(again)),
        published={name: frame.with_columns(mill) for name, frame in sides.published.items()},
    )


@pytest.mark.parametrize("policy", [LSD, GUARDED], ids=lambda policy: policy.name)
def test_guessable_keys_are_tried_as_the_policy_derives_from_them(policy: Policy) -> None:
    """Codes made with a guessable key under the release's policy are found to the last, though that hides the key itself."""
    plain = replace(policy, samples_records=False)  # what figures are made of does not matter here
    raw, space = list(release().codes), code_space(MILLS.entities.code_shape)
    key = of_policy(guessable_keys()["bytes that count up"], policy.name).derive("codes")
    guessed = pseudonymous_codes(raw, key, avoid=raw, space=space)
    found = attacked(recoded(dict(guessed), plain))[CODES]
    assert max(attack.rate for attack in found) == 1.0
    assert not is_within(CODES, found, policy)


def with_other_years(frame: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Leave out rows at random, at least one of each mill kept: no figure is zero or missing."""
    kept = pl.Series(np.random.default_rng(seed).random(frame.height)) < 0.5
    return frame.filter(kept | (pl.int_range(pl.len()).over("mill") == seed % 3))


def test_which_years_an_owner_shares_is_no_help() -> None:
    """Where years are drawn anew, zeros and gaps name nobody; with both sides cut to the years that both have, they would."""
    sides = release()
    accounts = with_other_years(sides.conformed["accounts"], 1)
    drawn = replace(
        sides,
        conformed={**sides.conformed, "accounts": accounts},
        figures=with_other_years(sides.figures.sort("mill", PERIOD), 2),
    )
    mill = pl.col("mill").replace_strict({code: raw for raw, code in sides.codes.items()})
    owned = drawn.figures.with_columns(mill)
    cut = replace(
        drawn,
        conformed={**sides.conformed, "accounts": accounts.join(owned, on=["mill", PERIOD], how="semi")},
        figures=owned.join(accounts, on=["mill", PERIOD], how="semi").with_columns(
            pl.col("mill").replace_strict(sides.codes)
        ),
    )
    blind, helped = (next(a for a in attacked(each)[LINKAGE] if a.attack == GAPS) for each in (drawn, cut))
    assert blind.records == FIRMS
    assert not blind.beats_chance(0.01)
    assert helped.beats_chance(1e-4)


def test_years_of_one_side_are_attacked_too() -> None:
    """A company whose years are all others is a record like the rest, with nothing that would single it out."""
    sides = release()
    first = pl.col("mill") == sides.codes["M100"]
    years = sorted(sides.figures[PERIOD].unique())
    moved = sides.figures.filter(~first | (pl.col(PERIOD) == years[0]))
    originals = sides.conformed["accounts"].filter((pl.col("mill") != "M100") | (pl.col(PERIOD) == years[1]))
    found = attacked(replace(sides, figures=moved, conformed={**sides.conformed, "accounts": originals}))
    assert next(a.records for a in found[LINKAGE] if a.attack == WHOLE_PANEL) == FIRMS


def test_attackers_who_know_the_code_are_asked_where_records_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Digit noise promises nothing to them; under `guarded` they get all but the key: firms, figures, truth and effort."""
    asked: list[tuple[Population, AttackedRelease]] = []

    def adaptive(originals: Population, published: AttackedRelease, make: Make, **settings: Any) -> list[Attack]:
        assert callable(make)
        assert (settings["known"], settings["effort"], settings["group"]) == (("sales", "assets"), SHORT, "")
        asked.append((originals, published))
        return []

    monkeypatch.setattr("validation.attacks.suite.adaptive_attacks", adaptive)
    assert ADAPTIVE not in honest()
    assert attacked(replace(release(), policy=GUARDED))[ADAPTIVE] == []
    ((originals, published),) = asked
    assert originals.entities.height == published.population.entities.height == FIRMS
    assert published.truth == release().codes


def test_prose_that_was_kept_is_found() -> None:
    """Sentences that stand as they stood lead to their company: told under the paper's policy, refused under `guarded`."""
    code, note = Column(name="mill", role=Role.CODE), Column(name="note", role=Role.TEXT)
    raw = RawTable(name="notes", key=("mill",), columns=(code, note))
    told = PublishedTable(
        path="notes.csv", columns=("mill", "note"), needs=(), row_key="", render=lambda truth: truth.tables["none"]
    )
    sides = release()
    notes = pl.DataFrame({"mill": list(sides.codes)}).with_columns(
        note=pl.format("Our mill grinds for {} villages along the river and for nobody else", pl.col("mill").hash())
    )
    kept = replace(
        sides,
        environment=replace(MILLS, raw_tables=(*MILLS.raw_tables, raw), tables=(*MILLS.tables, told)),
        raw={**sides.raw, "notes": notes.lazy()},
        published={**sides.published, "notes": notes.lazy().with_columns(pl.col("mill").replace_strict(sides.codes))},
    )
    found = attacked(kept)[PROSE]
    assert {(attack.records, attack.successes) for attack in found} == {(FIRMS, FIRMS)}
    assert is_within(PROSE, found, LSD)
    assert not is_within(PROSE, found, GUARDED)
