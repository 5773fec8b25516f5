"""Where the files of raw tables are: which of a folder's are a table's, and copies of those that lie at an address."""
