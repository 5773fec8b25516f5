"""Suites of expectations for every published table, their results, and pages that show them (Data Docs).

    following    facts of columns where an environment declares none
    suites       facts -> expectations, as data
    deviations   noisy cells that differ from the clean ones: does the ledger explain each?
    rates        how many cells a rule changed: as many as the specification says?
    evidence     findings of other reports, as expectations
    judging      all of it for one variant: suites, results, `expectations.json`, pages
    observing    what a table shows of each expectation
    apart        the process in which Great Expectations judges, because importing it takes seconds
    running, custom, data_docs     Great Expectations; imported in that process alone

Nothing here repairs or publishes anything. Great Expectations is imported nowhere else.
"""
