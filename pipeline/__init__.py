"""Silt's map: what each folder is for, and how data flows. Nothing is defined here. `docs/inside.md` says more.

    raw/         vocabulary/ (every name of the trade, once)   corpus/ (generated originals); raw tables land here, too
      |
      |  pipeline/conform/    raw text -> typed frames, against the declared contract; all problems at once
      v
    conformed -----------------------------------------.
      |  anonymize/           codes, names, prose,     |    validation/
      |                       dates, figures           |      distributions/  two-sample tests, and equivalence
      v                                                |      consistency/    aggregates, totals, domains, residuals
    anonymised ----------------------------------------|      fidelity/       what sampled records keep of relations
      |  pipeline/derive/     aggregates of the        |      attacks/        what an outsider finds, and may
      |                       anonymised entities      +--->  escapes/        nothing raw in any published byte
      v                                                |      noise/          what a cleaner mends, and who mends nothing
    derived -------------------------------------------|      expectations/   suites for every table, and their pages
      |  pipeline/render/     published tables as text |      report/         all of it on one page
      v                                                |
    rendered ---> clean -------------------------------|
      |  pipeline/noise/      rules over the text,     |
      v                       each change in a ledger  |
    noisy ---------------------------------------------'
      |  pipeline/publish/    staged, gated, swapped in whole, with a manifest
      v
    published    environments/<environment>/{noisy,clean,curator}
      |  pipeline/tasks/      questions with computed answers
      |  pipeline/release/    described, packed, attested          validation/release/  verified, rebuilt, compared
      v
    released     releases/<environment>-<version>, and its curator's half
      |  pipeline/delivery/   variants and releases at an address
      v
    delivered    s3://<bucket>/<folder>, or any other that fsspec knows

Imports point down this list and never up (`pyproject.toml`, import-linter):

    silt/        the face: public Python module, commands, shipped environments, what `dagster dev` loads
    assets/      Dagster: thin assets over the stages, and their wiring
    validation/  evidence; it never makes or repairs data
    anonymize/   what makes a release of originals, and the threat model (`anonymize/__init__.py`)
    raw/         where raw tables come from
    pipeline/    stages over the ground: `errors.py`, `keyed.py` (randomness as a keyed function), `numerals.py`
                 (exact numbers as text), `private.py` (files that are their owner's alone), `addresses/` (what
                 fsspec reaches), `model/` (what an environment is) and `documents/` (YAML files read into typed objects)
"""
