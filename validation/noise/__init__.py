"""Evidence about noise: what a cleaner mends, and what a naive reader gets wrong."""
