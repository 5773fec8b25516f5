"""What the anonymised figures are compared with, and what is said about it; nothing here repairs, builds or publishes.

    two_sample.py    distributions: the Kolmogorov-Smirnov test for every measure, industry, sub-industry and year at once
    power.py         what tests of a given size could have found
    equivalence.py   what they cannot see, held against margins; shape.py takes the statistics, of the figures of samples.py
    correlations.py  rank correlations between all measures, before and after
    curves.py        both distributions of each test, told so that no figure can be read off
    consistency.py   aggregates and counts of the anonymised firms against those of the originals
    totals.py        sums, largest, smallest and counts against those of their parts
    domains.py       published tables against each other; recomputed.py works statistics out again from published text
    residuals.py     identities between figures, to the last digit
    consistency_report.py  these four judged; worst.py names where each is worst
    expectations/    suites for every published table, of what is declared and of what noise may do; Data Docs
    naive_reader.py  what whoever mends nothing gets right, step by step of a ladder
    fidelity/        statistics of the release against those of the originals, without knowing who is who; conclusions
    given.py         the originals' own aggregates against those derived from them
    attacks/         what an outsider finds in a release, one file an attack; limits.py says how much it may be
    audit.py         all attacks on one release; independent.py adds somebody else's
    realism.py       what is documented about the real data against the noisy tables
    escapes/         nothing of the originals in any published byte
    verdict.py       attacks held against limits; privacy.py words it
    wording.py       how shares, counts and names read
    report/          the reports as types with their schemas, and the pages on which people read them

All but the last three lines take frames and return findings; what a failed finding stops is decided by the gates in `assets/`.
"""
