"""Lands the generated corpus at a scale, and writes beside a build what users of other tools know of their own tables.

    python -m benchmarks.originals SCALE FACTS

prints the folder of the tables. What `peer_pipeline.py` has to know stands in the file FACTS: names, units and codes of the
indicators, which figures follow from others, industries and provinces. Silt has them in its declaration; a user of pandas would
type them into a script.
"""

import json
import sys
from pathlib import Path

from anonymize.keys.release_key import DEMONSTRATION_KEY
from pipeline.model import Difference, Growth, Ratio
from pipeline.places import landing
from raw.landing import land
from raw.vocabulary.geography import STATISTICS_PROVINCES
from raw.vocabulary.indicators import (
    COUNT_INDICATORS,
    IDENTITIES,
    INDICATOR_ALIASES,
    INDICATORS,
    MONEY_UNITS,
    TARGET_CODES,
)
from raw.vocabulary.industries import INDUSTRIES, TOTAL_INDUSTRY
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.dataclaw_18.enterprise import COUNTRIES_OF_FILE
from silt.environments.dataclaw_18.fields import LATEST_YEAR
from silt.environments.dataclaw_18.industry import SUFFIXES


def facts() -> dict[str, object]:
    """Return what is known of the tables, as JSON holds it."""
    names = [measure.name for measure in INDICATORS]
    return {
        "measures": names,
        "units": {measure.name: measure.unit for measure in INDICATORS},
        "decimals": {measure.name: measure.decimals for measure in INDICATORS},
        "additive": [measure.name for measure in INDICATORS if measure.additive],
        "zero_if_unknown": list(COUNT_INDICATORS),
        "codes": TARGET_CODES,
        "aliases": {name: list(others) for name, others in INDICATOR_ALIASES.items()},
        "money_units": MONEY_UNITS,
        "ratios": [(i.output, i.numerator[0], i.denominator) for i in IDENTITIES if isinstance(i, Ratio)],
        "growths": [(i.output, i.base) for i in IDENTITIES if isinstance(i, Growth)],
        "differences": [(i.output, i.base) for i in IDENTITIES if isinstance(i, Difference)],
        "suffixes": SUFFIXES,
        "industries": {industry.name: str(industry.id) for industry in INDUSTRIES},
        "total": TOTAL_INDUSTRY,
        "provinces": list(STATISTICS_PROVINCES),
        "overseas": {file: list(countries) for file, countries in COUNTRIES_OF_FILE.items()},
        "year": LATEST_YEAR,
        "secret": DEMONSTRATION_KEY.derive("peer").secret.hex(),
    }


def main() -> None:
    """Write the facts, and print where the corpus is."""
    corpus, (scale, path) = DATACLAW_18.corpus, sys.argv[1:]
    Path(path).write_text(json.dumps(facts(), ensure_ascii=False), encoding="utf-8")
    if corpus is not None:
        print(land(corpus, landing(DATACLAW_18.name).resolve(), float(scale)))


if __name__ == "__main__":
    main()
