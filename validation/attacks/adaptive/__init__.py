"""Adaptive attackers: they have read the code, have the originals, and run the mechanism under keys of their own.

A mechanism is a callable here (`populations.Make`); nothing depends on which one it is.

    populations.py   what attackers hold: originals, releases, releases of their own, controls made without some firms
    sides.py         a population as arrays, on scales on which two populations can be compared
    pairs.py         what tells whether a published record and an original are the same firm
    unmixing.py      which original's neighbours explain a published record
    naming.py        whose record is it: one assignment for all records of an industry
    inference.py     what else is learnt of a firm whose known figures one has
    differencing.py  what is learnt of a firm by whoever has all others
    membership.py    is a firm in the release at all
    values.py        which original values can be read off: maxima, and groups whose moments are published
    findings.py      entries of the report whose rate is not a plain share
    suite.py         all of them together

Guarantees are not given: what these attackers do not find, another may.
"""
