"""Adaptive attackers: they have read the code, have the originals, and run the mechanism under keys of their own.

A mechanism is a callable here (`populations.Make`); no attack depends on which one it is.

    populations.py   what attackers hold: originals, releases, shadow releases, controls made without some firms
    arrays.py        a population as arrays, on scales on which two populations can be compared
    reidentification/  who owns a record: numbers about pairs, learnt weights, unmixing, one assignment for an industry
    inference.py     what is learnt about a firm besides its known figures
    differencing.py  what is learnt about a firm by an attacker who has all others
    membership.py    whether a firm is in the release
    values.py        which original values can be read off: maxima, and groups whose moments are published
    findings.py      findings whose rate is not a plain share
    mechanisms.py    the policies' own mechanisms as callables
    suite.py         all of these attacks together

There are no guarantees: another attacker may find what these do not find.
"""
