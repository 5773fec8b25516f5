"""What is learnt about companies from what is published beside the tables: attackers who solve reports for the originals.

    sides.py     a finished build as anybody reads it, and the originals by which successes are counted
    cells.py     what `distributions.json` and `ks.json` state of a cell, as functions of the originals in it
    solving.py   solves these equations for all figures of a cell, or for the one that is missing
    reports.py   attacks on reports: by a stranger, from worst cells, and by somebody who has all other companies' figures
    counts.py    attacks on the tables: what is left of exact counts when the others are taken away
    account/     attacks on the statistics of sampled releases: figures, events, membership
    likelihood.py  prints what they find in builds, or in releases made for the purpose
    moves.py     which published numbers move when one company is replaced

Several builds of the same originals are attacked as one: a cell has equations from each. Attackers who have only the tables are
in `validation/attacks/`.
"""
