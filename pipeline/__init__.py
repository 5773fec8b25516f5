"""Silt's map: where each thing is, and how data flows. Nothing is defined here.

    raw/ vocabulary/ (every name of the trade, once)  corpus/ (the generated originals); raw tables land here, too
      |
      |   pipeline/conform/     raw text -> typed frames, against the declared contract; all problems at once
      v
    conformed ------------------------------------------------.
      |   anonymize/            codes, names, prose, dates,    |
      |                         figures; identities restored   |     validation/
      v                                                        |       two_sample    KS by measure, industry and year
    anonymised ------------------------------------------------|       equivalence   what KS does not see, within margins
      |   pipeline/derive/    statistics and counts of the   |       consistency   aggregates against the originals'
      |                         anonymised firms               +--->   totals        against their parts
      v                                                        |       domains       published tables, each from the other
    derived ---------------------------------------------------|       residuals     identities, to the last digit
      |   pipeline/render/    the published tables as text   |       attacks/      what an outsider finds, and may
      v                                                        |       escapes/      nothing raw in any published byte
    rendered ---> clean                                        |       expectations/ suites for every table, Data Docs
      |   pipeline/noise/       rules over the text, every     |       cleaner/      what can be mended, and was
      |                         change in the ledger           |       reports       as JSON and as pages
      v                                                        |       report/        all of it on one page
    noisy -----------------------------------------------------'
      |   pipeline/publish/     staged, gated, swapped in whole, with a manifest
      v
    published     environments/<environment>/{noisy,clean,curator}

Beneath all: `errors.py` (every error), `keyed.py` (randomness as a keyed function), `numerals.py` (exact numbers as
text), `figure_rows.py` (wide tables of figures as long ones), `private.py` (files that are their owner's alone),
`environment/` (what an environment is, what becomes of its columns, the declarations). Between stages and wiring:
`landing.py` (where the generated corpus lands), `variant.py` (assembles, scans and publishes one variant),
`ablations.py` (all variants of an ablation together), `refusal.py` (what a refused build leaves), `curator.py` (what
each thing in the curator's folder holds), `replay.py` (a ledger over published files), `explain.py` (what a noise
specification does), `read_back.py` and `read_events.py` (published text as typed frames), `event_statistics.py`
(statistics over published events), `audit.py` (attacks on published files), `realism.py` (documented facts about the
real data). Above all: `assets/` (thin Dagster assets over the stages) and the wiring: `definitions.py`, `jobs.py`,
`resources.py`, `io.py`, `progress.py`, `build.py`, with `cli.py` (the `silt` command) on top. Dagster is imported only
there.

Data flows downwards only; imports point from the wiring to the stages to the model, never back (`pyproject.toml`,
import-linter).
"""
