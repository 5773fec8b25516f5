"""Two releases: what differs between them and why (`differences.py`), and what somebody learns who has both (`linkage.py`)."""
