"""Documents: YAML files that are read into typed frozen dataclasses, every problem named with its place.

A document (`document.py`) says its fields by annotations (`fields.py`), and what two fields demand of each other in a method.
pydantic reads it and gives its JSON Schema; `reading.py` opens files, `problems.py` says what is wrong in our words. Nothing
here knows noise.
"""
