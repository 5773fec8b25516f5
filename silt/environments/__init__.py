"""The environments that Silt ships, and how one is found by its name or file."""
