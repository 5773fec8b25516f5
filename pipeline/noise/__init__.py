"""Noise: declared rules over the published text, and a ledger of every change they made.

    spec (YAML) --load_spec--> NoiseSpec --.
                                           v
    rendered table, key ------------> apply_noise ---> noised table + ledger + opportunities ---> noise_report
                                           |
    rule = where x mechanism x kind        '-- a rule selects by the clean rows and acts on the current text

Here belongs what happens to published text: `spec.py` (the rule model), `documents/` (YAML to typed objects, by pydantic),
`mechanisms.py` (which cells), `kinds/` (what happens to them), `engine.py` (the order of things), `ledger.py` (there
and back again), `cleaning_plan.py` (what to suspect), `ablation.py` (noise taken apart by family); and what is said of all
this: `described/` (rules in words, the table of kinds), `shipped.py` (in `noise_specs/`). What the tables hold, how they are
written and where files go does not. Nothing is re-exported.
"""
