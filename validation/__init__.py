"""Evidence about a release: findings and reports. Nothing here changes data, builds or publishes.

    pair.py          originals and release as one pair, aligned by the map of codes
    distributions/   figures of originals and release: two-sample KS tests, their power, equivalence, correlations, curves
    consistency/     aggregates against the originals', totals against parts, published tables against each other, identities
    fidelity/        statistics of the release against the originals', without knowing who is who; conclusions of analyses
    attacks/         what an outsider finds in a release, and how much a policy allows
    escapes/         the search of every published byte for what identifies a company
    expectations/    suites for every published table, and Data Docs
    profile/         what stands in each published table, column by column, and in records that noise changed
    noise/           what a cleaner mends, and what noise leaves untouched
    report/          the reports as types, and the pages on which people read them
    wording.py       how shares, counts and names read

Most functions take frames and return findings. Whether a finding stops a build is decided by the gates in `assets/`.
"""
