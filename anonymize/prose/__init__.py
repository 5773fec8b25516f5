"""Prose: mentions replaced by pseudonyms (`replacing`), or texts written anew where none may be quoted (`writing`)."""
