"""What a declaration claims of published tables: facts of columns, where they come from, what they say of each other."""
