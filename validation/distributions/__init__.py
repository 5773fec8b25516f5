"""Evidence about distributions: two-sample KS statistics, what they can detect, and what they do not see."""
