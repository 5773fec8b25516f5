"""A second opinion on the reports, by other means: pandas and scipy, without a line of Silt's own code."""
