"""Running a program by two routes that share nothing but the program: polars on the clean tables, SQL on their files."""
