"""The size of blocks and shares is nobody's business: what a build publishes and finds is the same for any."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from assets.every_step import declared_steps, ordered
from assets.evidence.noise_report import _whole
from assets.making.keys import Stage
from assets.making.scheduler import Scheduler
from assets.making.step import Run, Step
from assets.making.store import Store
from assets.wiring.resources import Workspace
from pipeline.places import CURATOR, STORE
from pipeline.render import rendered
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.integration.conftest import SCALE, Build
from tests.integration.refusals import DAGSTERS_OWN_WARNING
from tests.stages import named
from validation.noise.findings import Rows

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)]

LONG, MANY = "company_operation_status", 1_300
"""A table of 7,208 records, and the most that a block has: the next shorter table of many, of 1,376, is in blocks, too."""

LONGEST = "regional_industry_status"
"""A table of 165,283 records at any scale: in any build it is in blocks, and to make it again would take most of the time."""

IN_BLOCKS = (Stage.RENDERED, Stage.NOISY, Stage.FILES)
"""Stages that make tables block by block."""


def in_blocks(step: Step) -> bool:
    """Say whether a step makes or looks at tables in blocks or shares, the longest table left out."""
    return any(
        (stage in IN_BLOCKS and LONGEST not in name) or (stage, name) == (Stage.REPORTS, "noise")
        for stage, name in step.makes
    )


def noting(names: list[str]) -> Callable[[Run, str, Sequence[str], Sequence[str]], Iterator[Rows]]:
    """Return what reads a whole table, and notes of which that is asked."""

    def read(run: Run, name: str, beside: Sequence[str], noisy: Sequence[str]) -> Iterator[Rows]:
        names.append(name)
        return _whole(run, name, beside, noisy)

    return read


def test_small_blocks_and_shares_change_nothing(
    corpus: Path, small: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files, ledgers and the noise report are those of the small build, byte for byte, from 1,300 records at a time."""
    store = tmp_path / STORE
    shutil.copytree(small.folder / CURATOR / STORE, store)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(corpus)
        request = replace(Workspace(scale=SCALE, store=str(store)).request(DATACLAW_18), out=tmp_path, raw=small.raw)
    monkeypatch.setattr("assets.rendered.rendered", partial(rendered, records=MANY))
    monkeypatch.setattr("validation.noise.cleaner.shares._MANY", 7_000)
    monkeypatch.setattr("validation.escapes.files.BLOCK_BYTES", 200_000)
    monkeypatch.setattr("validation.escapes.documents.BLOCK_BYTES", 200_000)
    whole_tables = list[str]()
    monkeypatch.setattr("assets.evidence.noise_report._whole", noting(whole_tables))
    # A step of another name is made again.
    steps = [
        replace(step, name=f"{step.name}_in_blocks") if in_blocks(step) else step
        for step in ordered(declared_steps(DATACLAW_18))
    ]
    scheduler = Scheduler(request, steps, Store(store))
    made = {place: name for step in steps if in_blocks(step) for place, name in scheduler.outcome(step).made.items()}
    before = named(small.folder)
    compared = {f"{stage}/{name}": kept for (stage, name), kept in made.items() if stage in {Stage.LEDGER, Stage.FILES}}
    compared |= {"reports/noise": made[Stage.REPORTS, "noise"]}
    assert compared == {place: before.get(place) for place in compared}
    assert LONG not in whole_tables
    whole, blocks = (Store(store).blocks(name or "") for name in (before[f"noisy/{LONG}"], made[Stage.NOISY, LONG]))
    assert len(whole.sizes) < len(blocks.sizes)
    assert max(blocks.sizes) <= MANY
