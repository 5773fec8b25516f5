"""The reference cleaner: what can be mended with the environment alone, and how much of the noise that is.

`cleaning.py` carries out a cleaning plan; it sees noisy tables, the declaration and the plan, never the ledger.
`scoring.py` holds the result against the clean tables and the ledger, change by change, `aggregates.py` against the
statistics of the firms, and `report.py` says what was found. How one kind is mended belongs to the kind (`pipeline/noise`).
"""
