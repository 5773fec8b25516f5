"""The reference cleaner: how much of the noise can be mended with the environment alone?

`cleaning.py` carries out a cleaning plan; it sees noisy tables, the declaration and the plan, never the ledger.
`scoring.py` compares the result with the clean tables and the ledger, change by change; `aggregates.py` compares aggregates of
the mended firms; `report.py` counts. How a kind of noise is mended belongs to the kind (`pipeline/noise`).
"""
