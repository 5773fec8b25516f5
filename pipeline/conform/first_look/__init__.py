"""A first look at strange files: how they are written, and what shape they have. What it finds becomes a declaration."""
