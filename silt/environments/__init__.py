"""The environments that are shipped, one module or package each; their names, for whoever does not want to load them."""

SHIPPED = ("dataclaw-18", "us-listed")
