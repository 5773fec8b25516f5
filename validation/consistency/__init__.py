"""Evidence that published tables agree: with the originals' aggregates, with their parts, with each other."""
