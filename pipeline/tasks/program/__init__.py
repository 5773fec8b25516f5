"""What a question computes: operators as YAML has them, the types and units of what they give, and what does not fit."""
