"""Evidence about tasks: what noise does to each, and which rules are the cause."""
