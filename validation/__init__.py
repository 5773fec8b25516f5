"""What the anonymised figures are compared with, and what is said about it; nothing here repairs, builds or publishes.

    two_sample.py    distributions: the Kolmogorov-Smirnov test for every measure, sub-industry and year at once
    power.py         what tests of a given size could have found
    consistency.py   aggregates and counts of the anonymised firms against those of the originals
    residuals.py     identities between figures, to the last digit
    escapes/       nothing of the originals in any published byte
    reports.py       the findings as JSON and as a page

All but the last take frames and return findings; what a failed finding stops is decided by the gates in `assets/`.
"""
