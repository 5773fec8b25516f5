"""What a user would write instead of Silt does the same job: as many rows, similar figures, nothing of the originals."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.originals import facts
from benchmarks.peers.anonymising import (
    CODE,
    YEAR,
    Facts,
    Tables,
    all_codes,
    anonymised,
    new_names,
    panel_of,
    perturbed,
    pseudonyms,
    with_identities,
    year_before,
)
from benchmarks.peers.judging import codes_left, expectations, ks_tests, leaked, read_again
from benchmarks.peers.publishing import published, write
from silt.environments.dataclaw_18 import DATACLAW_18

SCALE = 0.005


@dataclass(frozen=True)
class Job:
    """The peers' job, noise left out: what it was given, made and wrote."""

    raw: Path
    folder: Path
    facts: Facts
    codes: dict[str, str]
    names: dict[str, str]
    before: pd.DataFrame
    after: pd.DataFrame
    profile: pd.DataFrame
    written: dict[str, int]

    @property
    def read(self) -> Tables:
        """Return the written tables."""
        return read_again(self.folder)


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """Do the job at a tiny scale."""
    raw, folder = tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("peers")
    assert DATACLAW_18.corpus is not None
    DATACLAW_18.corpus.generate(raw, SCALE)
    known = json.loads(json.dumps(facts()))
    random = np.random.default_rng(1)
    frames = {file.stem: pd.read_parquet(file) for file in sorted(raw.glob("*.parquet"))}
    english = json.loads((raw / "company_translation_english_chinese.json").read_text(encoding="utf-8"))
    codes, names = pseudonyms(all_codes(frames), b"secret"), new_names(frames, english)
    before = panel_of(frames, known)
    after = with_identities(perturbed(before, known, random), known)
    tables = published(anonymised(frames, codes, names, random), after.assign(**{CODE: after[CODE].map(codes)}), known)
    written = write(tables, {}, folder)
    return Job(raw, folder, known, codes, names, before, after, frames["company_profile"], written)


def test_nothing_of_the_originals_is_left(job: Job) -> None:
    """No original code or name stands in a written file, and one that is put there is found."""
    assert leaked(job.read, job.codes, job.names) == set()
    planted = dict(job.read)
    name, code = next(iter(job.names)), next(iter(job.codes))
    profile = planted["enterprise/company_profile.csv"]
    planted["enterprise/company_profile.csv"] = profile.assign(city=f"near {name}", area=code)
    assert leaked(planted, job.codes, job.names) == {name, code}
    assert codes_left({"table": profile.assign(**{CODE: code})}, job.codes) == len(profile)


def test_pseudonyms_and_names_are_new_and_distinct(job: Job) -> None:
    """No two originals have one pseudonym, and no pseudonym was an original."""
    for given in (job.codes, job.names):
        assert len(set(given.values())) == len(given)
        assert not set(given.values()) & set(given)
    assert all(len(code) == 6 for code in job.codes.values())


def test_figures_keep_three_digits(job: Job) -> None:
    """Figures that no identity gives keep their leading digits, zeros and gaps, and most lose the others."""
    old, new = job.before["总资产"], job.after["总资产"]
    assert (old.isna() == new.isna()).all()
    assert (new / old - 1).abs().max() < 0.01
    assert (new != old).mean() > 0.9
    few = job.before["国家技术发明奖"]
    assert few.equals(job.after["国家技术发明奖"])


def test_identities_hold(job: Job) -> None:
    """Ratios and growth follow from the new figures."""
    new, before = job.after, year_before(job.after, job.facts)
    ratio = (100 * new["总负债"] / new["总资产"]).round(2)
    known = new["资产负债率"].notna()
    assert (new["资产负债率"] - ratio)[known].abs().max() < 0.011
    growth = 100 * (new["雇员总数"] - before["雇员总数"]) / before["雇员总数"].abs()
    known = new["雇员同比增减幅"].notna() & np.isfinite(growth)
    assert (new["雇员同比增减幅"] - growth)[known].abs().max() < 0.011


def test_what_it_wrote_passes_its_tests(job: Job) -> None:
    """Distributions are those of the originals, expectations are met; both notice what is wrong."""
    firms = job.profile.assign(industry="all", secondIndustry="all")
    assert min(ks_tests(job.before, job.after, firms, job.facts)) > 0.05
    shifted = job.after.assign(总资产=job.after["总资产"] * 1e6)
    assert min(ks_tests(job.before, shifted, firms, job.facts)) < 0.05
    path = "enterprise/company_operation_status.csv"
    frame = job.read[path].head(100)
    assert all(expectations({path: frame}, job.facts))
    assert not all(expectations({path: frame.assign(**{YEAR: None})}, job.facts))
