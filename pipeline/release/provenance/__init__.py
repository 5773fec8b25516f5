"""Where a release comes from, and who says so: source, requirements, commitments to the raw tables, statements, signatures."""
