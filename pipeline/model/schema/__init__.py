"""The one schema of what is published: types and fields of columns, what follows from them, what tables state of each other."""
