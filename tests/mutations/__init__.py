"""Mutation testing: one line of a critical module is made wrong, and the module's own unit tests must notice.

`modules.yaml` names the modules and the tests of each. `mutants` are builds with one thing wrong and belong to `tests/mutants`;
here the code is wrong. Mutations come from two places: `by_hand.yaml` holds mistakes that somebody thought of, and `made.py`
makes them from the syntax tree. `laboratory.py` puts one after the other into a copy of the checkout. `make mutations`
(`python -m tests.mutations`) prints what nothing noticed, and keeps it in `survivors.yaml`, where each has its reason.
"""
