"""Suites of expectations for every published table, what the tables make of them, and pages that tell it (Data Docs).

    following    facts of columns where an environment declares none
    suites       facts -> expectations, as data
    deviations   noisy cells that are not as the clean ones: is each one told by the ledger?
    rates        cells that a rule changed: as many as the specification says?
    evidence     what other reports found, as expectations
    judging      all of it for one variant: suites, results, `expectations.json`, pages
    running, custom, data_docs     Great Expectations; imported by `judging` when it is called, for that takes seconds

Nothing here repairs or publishes anything. Great Expectations is imported nowhere else.
"""
