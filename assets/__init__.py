"""The stages as Dagster assets: thin, one file a stage, keys [environment, stage, table].

An asset reads its inputs, calls pure functions and says what came out. No logic of a stage belongs here, and nothing raw goes
into metadata, logs or errors (`wiring/boundary.py`).
"""
