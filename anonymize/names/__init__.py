"""Invented company names: brands by keyed permutation, words of the trade by our own Faker providers.

`firms.py` names firms, `aliases.py` their subsidiaries and products, `providers.py` and `vocabulary/` hold the words,
`permutation.py` makes brands unique, `avoidance.py` keeps them apart from raw names. Replacing names in tables and
prose does not belong here.
"""

from anonymize.names.aliases import ALIAS_KINDS, pseudonymous_alias
from anonymize.names.firms import pseudonymous_names
from anonymize.names.providers import PseudonymousName

__all__ = ["ALIAS_KINDS", "PseudonymousName", "pseudonymous_alias", "pseudonymous_names"]
