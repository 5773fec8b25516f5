"""Tasks with gold answers of a finished build: made whenever they are asked for, and not kept in the store."""
