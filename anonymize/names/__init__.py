"""Invented names of companies (by keyed permutation) and people (by keyed hash), made by our own Faker providers.

`firms.py` names firms, `persons.py` people, `aliases.py` their aliases. `providers.py` and `vocabulary/` hold the words,
`permutation.py` makes brands unique, `avoidance.py` detects collisions with raw names. Replacing names in tables and prose does
not belong here.
"""

from anonymize.names.aliases import ALIAS_KINDS, FORMER, pseudonymous_alias
from anonymize.names.firms import pseudonymous_names
from anonymize.names.persons import pseudonymous_persons
from anonymize.names.providers import PseudonymousName

__all__ = [
    "ALIAS_KINDS",
    "FORMER",
    "PseudonymousName",
    "pseudonymous_alias",
    "pseudonymous_names",
    "pseudonymous_persons",
]
