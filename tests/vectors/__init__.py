"""Golden vectors: what follows from a release key, and the limits, written down where a change of them is seen.

`vectors.json` is written by `python -m tests.vectors`; `tests/unit/test_vectors.py` compares. Bytes of whole builds are pinned
in `tests/integration/published_bytes.json`, what standards say of their own examples in `tests/unit/keyed/test_standards.py`.
"""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from anonymize.codes import code_space, pseudonymous_codes
from anonymize.dates import redraw_dates
from anonymize.figures.lsd import perturb_low_digits
from anonymize.keys.identity_map import seal
from anonymize.keys.release_key import DEMONSTRATION_KEY, of_policy
from anonymize.policy import GUARDED, LSD, Policy
from anonymize.pseudonyms import pseudonyms
from pipeline.keyed import BlockKey, Key
from pipeline.model import CodesLike, Measure
from pipeline.noise.kinds.interface import Draws
from tests.unit.kinds.harbours import HARBOURS, conformed
from validation.attacks import Attack, limits
from validation.attacks.adaptive.values import MAXIMA

VECTORS = Path(__file__).with_name("vectors.json")

KEY = Key(bytes(range(32)))

ROWS = (0, 1, 65_535, 65_536, 70_000, 131_072)
"""Rows of which draws are written down; AES encrypts 65,536 blocks at a time."""

_ROOT = Path(__file__).parents[2]


def vectors() -> dict[str, Any]:
    """Return all vectors, as they are now."""
    known = pseudonyms(HARBOURS, conformed(), KEY).frame()
    return {
        "keys": {name: key.fingerprint() for name, key in _keys().items()},
        "pseudonyms": [f"{kind}: {original} -> {pseudonym}" for kind, original, pseudonym in known.rows()],
        "sealed identity map": seal(known, KEY).hex(),
        "codes": {str(shape): _codes(shape) for shape in ("six digits", "five letters", CodesLike("A-12"))},
        "digits": {str(decimals): _digits(decimals) for decimals in (0, 2)},
        "dates": _dates(),
        "draws": _draws(),
        "limits of attacks": {policy.name: _limits(policy) for policy in (LSD, GUARDED)},
        "thresholds": _thresholds(),
    }


def written() -> dict[str, Any]:
    """Return what was written down."""
    found: dict[str, Any] = json.loads(VECTORS.read_text(encoding="utf-8"))
    return found


def as_json(found: dict[str, Any]) -> str:
    """Return vectors as they are written."""
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def _keys() -> dict[str, Key]:
    return {
        "demonstration": DEMONSTRATION_KEY,
        "release": KEY,
        **{policy.name: of_policy(KEY, policy.name) for policy in (LSD, GUARDED)},
        "of a purpose": KEY.derive("order"),
        "of a purpose in two parts": KEY.derive("uses", "originals"),
    }


def _codes(shape: Any) -> dict[str, str]:
    raw = ["000001.SZ", "600519.SH", "BRK.B", "AAPL"]
    return pseudonymous_codes(raw, KEY.derive("codes"), avoid=raw, space=code_space(shape))


def _digits(decimals: int) -> list[int | None]:
    values = [None, 0, 7, 1_234, -98_765, 1_250, 4_000_000, 123_456_789_012]
    frame = pl.DataFrame({"code": [f"c{place}" for place in range(len(values))], "year": 2022, "m": values})
    measure = Measure(name="m", unit="USD", decimals=decimals, significant_digits=2)
    return (
        frame.select(perturb_low_digits(measure, of=("code", "year"), key=KEY.derive("perturb"))).to_series().to_list()
    )


def _dates() -> list[str]:
    days = [date(2020, 2, 29), date(2021, 1, 4), date(2021, 12, 31)]
    frame = pl.DataFrame({"code": ["a", "b", "c"], "founded": days, "listed": days[::-1]})
    redrawn = redraw_dates(
        frame, columns=["founded", "listed"], entity="code", key=KEY.derive("dates"), trading_days=["listed"]
    )
    return [day.isoformat() for row in redrawn.select("founded", "listed").rows() for day in row]


def _draws() -> dict[str, Any]:
    rows = pl.DataFrame({"row": pl.int_range(max(ROWS) + 1, eager=True).cast(pl.String)}).with_columns(
        text=pl.format("r{}", "row")
    )
    draws = Draws(rule=KEY.derive("noise", "gaps"), table=HARBOURS.tables[0])
    drawn = rows.select(
        block=BlockKey(KEY.secret).uniform("row"),
        two_parts=BlockKey(KEY.secret).uniform("text", "row"),
        rule=draws.of("rig", "whether").uniform("row"),
        shared=draws.shared("whether").uniform("row"),
        hmac=KEY.uniform("row"),
        number=KEY.draw("row", "text"),
    )[list(ROWS)]
    stream = KEY.stream("firm", "words")
    return {
        "rows": list(ROWS),
        **drawn.to_dict(as_series=False),
        "uniforms": list(KEY.uniforms(5, "firm")),
        "stream": [*(stream.getrandbits(bits) for bits in (1, 256, 300)), stream.random(), stream.sample(range(50), 3)],
    }


def _limits(policy: Policy) -> dict[str, dict[str, str]]:
    """Return, by family, what every attack may find, and those that may find something else, by name."""
    tables = (limits._GUARDED, limits._LSD, limits._OF_EVENTS, limits._OF_SAMPLED_EVENTS, (MAXIMA,))
    names = sorted({name for table in tables for name in table})
    found = {family: {"": _told(family, "", policy)} for family in limits.FAMILIES}
    # What holds by an attack's name holds in all families but the last two.
    for family in (limits.CODES, limits.OPINION, limits.EVENTS, limits.ADAPTIVE):
        told = {name: _told(family, name, policy) for name in names}
        found[family] |= {name: limit for name, limit in told.items() if limit != found[family][""]}
    return found


def _told(family: str, name: str, policy: Policy) -> str:
    """Return a limit in words, and how many successes in 10,000 tries it bears where guessing has 100."""

    def attack(successes: int) -> Attack:
        return Attack(attack=name, knowledge="", records=10_000, successes=successes, chance=0.01)

    limit = limits.limit_of(family, attack(0), policy)
    if limit is None:
        return limits.REPORTED_ONLY
    return f"{limit}: {next(tried for tried in range(10_000) if not limit.is_kept(attack(tried + 1)))}"


def _thresholds() -> dict[str, str]:
    """Return every number with a public name that decides what passes, or what is published."""
    found = {}
    for folder in ("anonymize", *(f"validation/{each}" for each in _DECIDING)):
        for file in sorted((_ROOT / folder).rglob("*.py")):
            for name, number in re.findall(
                r"^([A-Z]\w*) = (-?\d.*|\([-\d., ]+\))$", file.read_text(encoding="utf-8"), re.MULTILINE
            ):
                found[f"{file.relative_to(_ROOT).as_posix()}: {name}"] = number
    return found


_DECIDING = ("attacks", "consistency", "distributions", "escapes", "expectations", "fidelity", "noise")
