"""What a declaration claims about published tables: facts of columns, their lineage, and what one table states of another."""
