"""Who the published entities are: attributes, years reported and further rows, drawn from noised counts (`categories.py`)."""
