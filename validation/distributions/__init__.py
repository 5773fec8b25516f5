"""Evidence about distributions: two-sample KS statistics, their power, and tests for what they do not detect."""
