"""Evidence about noise: how much of it a cleaner mends, and what noise leaves untouched."""
