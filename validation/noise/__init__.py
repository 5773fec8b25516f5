"""Evidence about noise: how much of it a cleaner mends, and how many questions a naive reader gets wrong."""
