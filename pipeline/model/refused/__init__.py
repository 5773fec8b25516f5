"""What no declaration may hold: values of another type than a field's, and what contradicts itself."""
