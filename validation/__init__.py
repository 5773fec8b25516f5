"""What the anonymised figures are compared with, and what is said about it; nothing here repairs, builds or publishes.

    two_sample.py    distributions: the Kolmogorov-Smirnov test for every measure, industry, sub-industry and year at once
    power.py         what tests of a given size could have found
    equivalence.py   what they cannot see, held against margins; shape.py takes the statistics, of the figures of samples.py
    correlations.py  rank correlations between all measures, before and after
    curves.py        both distributions of each test, told so that no figure can be read off
    consistency.py   aggregates and counts of the anonymised firms against those of the originals
    residuals.py     identities between figures, to the last digit
    likeness.py      ranks and rank correlations against the originals: what protecting figures costs
    given.py         the originals' own aggregates against those derived from them
    attacks/         what an outsider finds in a release, one file an attack; limits.py says how much it may be
    audit.py         all attacks on one release; independent.py adds somebody else's
    realism.py       what is documented about the real data against the noisy tables
    strength.py      how strong a mechanism must be for its attacks to fail
    escapes/         nothing of the originals in any published byte
    verdict.py       attacks held against limits; privacy.py words it
    reports.py       findings as JSON and as a page; privacy_page.py the page of attacks; page.py and drawings.py their form

All but the last two lines take frames and return findings; what a failed finding stops is decided by the gates in `assets/`.
"""
