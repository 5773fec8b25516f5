"""What a user would write instead of Silt: pandas, hmac, faker, scipy, tab_err and Great Expectations.

Run by the interpreter of the peers' own environment, which has these and not Silt (`.venv-peers`, requirements-peers.txt):

    .venv-peers/bin/python -m benchmarks.peer_pipeline RAW FACTS OUT

RAW and FACTS are what `originals.py` gives. It writes `clean/` and `noisy/` as `silt build` does, and prints as JSON what it
found and the seconds of each step, which stand in `peers/`. Whole columns are worked on at once where pandas lets them be, and
nothing is done twice. It does less than Silt: no ledger, no dates drawn anew, no attack, no test of aggregates and identities,
no cleaner, no pages, and no noise that stays as it is when a row is added.
"""

import json
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.peers.anonymising import (
    CODE,
    Facts,
    Tables,
    all_codes,
    anonymised,
    new_names,
    panel_of,
    perturbed,
    pseudonyms,
    with_identities,
)
from benchmarks.peers.judging import codes_left, expectations, ks_tests, leaked, read_again
from benchmarks.peers.publishing import published, write

_ALPHA = 0.05


def main() -> None:
    """Build both variants, test them, and say what came out."""
    raw_folder, facts_file, out = (Path(argument) for argument in sys.argv[1:])
    facts, step = json.loads(facts_file.read_text(encoding="utf-8")), Steps()
    random = np.random.default_rng(facts["year"])
    with step("read"):
        raw = {file.stem: pd.read_parquet(file) for file in sorted(raw_folder.glob("*.parquet"))}
        english, titles = (_translations(raw_folder, of) for of in ("company", "policy"))
    with step("codes, names, prose"):
        codes, names = pseudonyms(all_codes(raw), bytes.fromhex(facts["secret"])), new_names(raw, english)
        tables = anonymised(raw, codes, names, random)
    with step("figures"):
        before = panel_of(raw, facts)
        after = with_identities(perturbed(before, facts, random), facts)
    with step("KS tests"):
        p_values = ks_tests(before, after, raw["company_profile"], facts)
    with step("tables and aggregates"):
        clean = published(tables, after.assign(**{CODE: after[CODE].map(codes)}), facts)
        items = {"company_items": {names[old]: names[new] for old, new in english.items()}, "policy_items": titles}
    del raw, tables, before, after
    found = _written(clean, items, out, facts, step)
    del clean
    found |= {"ks_tests": len(p_values), "ks_rejected": sum(p <= _ALPHA for p in p_values)}
    found |= _judged(out, facts, codes, names, step)
    print(json.dumps(found | {"seconds": step.seconds}))


class Steps:
    """The seconds of each step; one that is taken twice has the sum."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Time what is done within."""
        started = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started


def _translations(folder: Path, of: str) -> dict[str, str]:
    text = (folder / f"{of}_translation_english_chinese.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def _written(clean: Tables, items: Mapping[str, Any], out: Path, facts: Facts, step: Steps) -> dict[str, Any]:
    """Write both variants."""
    with step("write"):
        rows = write(clean, items, out / "clean")
    with step("noise"):
        from benchmarks.peers.dirtying import with_noise  # noqa: PLC0415  (tab_err is in the peers' environment alone)

        noisy, changed = with_noise(clean, facts)
    with step("write"):
        write(noisy, items, out / "noisy")
    return {"rows": rows, "changed": changed}


def _judged(out: Path, facts: Facts, codes: Mapping[str, str], names: Mapping[str, str], step: Steps) -> dict[str, int]:
    """Hold both variants, as they were written, against what is expected of them and what must not stand in them."""
    met, left, leaks = [], 0, set()
    for variant in ("clean", "noisy"):
        with step("read again"):
            written = read_again(out / variant)
        with step("expectations"):
            met += expectations(written, facts)
        with step("search"):
            left, leaks = left + codes_left(written, codes), leaks | leaked(written, codes, names)
    return {"expectations": len(met), "unmet": met.count(False), "codes_left": left, "leaks": len(leaks)}


if __name__ == "__main__":
    main()
