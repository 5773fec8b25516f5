"""Silt's map: where each thing is, and how data flows. Nothing is defined here.

    raw/          vocabulary/ (every name of the trade, once)  corpus/ (the generated originals)   raw tables land here too
      |
      v           pipeline/conform.py     raw text -> typed frames, against the declared contract; all problems at once
    conformed
      |           anonymize/              codes, names, prose, dates, figures; then identities restored
      v
    anonymised ---------------------------------------------------------.
      |           pipeline/derive.py      statistics and counts of the anonymised firms
      v                                                                 |  validation/
    derived                                                             |    two_sample   KS by measure and sub-industry
      |           pipeline/render.py      the published tables as text  |    consistency  aggregates and identities
      v                                                                 |    escapes      nothing raw in any published byte
    rendered --- clean -------------------------------------------------|
      |           pipeline/noise/         rules over the text, every change in the ledger
      v                                                                 |
    noisy --------------------------------------------------------------'
      |           pipeline/publish.py     staged, gated, swapped in whole, with a manifest
      v
    published     environments/<environment>/{noisy,clean,curator}

Beneath all: `errors.py` (every error), `keyed.py` (randomness as a keyed function), `environment/` (what an environment
is, and the declarations). Above all: `assets/` (thin Dagster assets over the stages), then `definitions.py`, `jobs.py`,
`resources.py`, `io.py` (the wiring) and `cli.py` (the `silt` command). Dagster is imported only in those five places.
Data flows downwards only; imports point from the wiring to the stages to the model, never back (`pyproject.toml`,
import-linter).
"""
