"""Releases: what others can cite, mount, verify and rebuild, made of a build's variants. Knows no Dagster, no attack."""
