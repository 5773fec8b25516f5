"""Ten public sets of tables, from raw files to what is published of them, as a user would take them: `docs/own-tables.md`."""
