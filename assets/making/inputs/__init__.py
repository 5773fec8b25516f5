"""What steps use besides data: Silt's own code (`code.py`), and what a declaration reads (`observed.py`, `reads.py`)."""
