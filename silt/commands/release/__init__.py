"""`silt release`: make a release of what was built."""
