"""Every picture of a report, drawn without a clock, a font or a network."""
