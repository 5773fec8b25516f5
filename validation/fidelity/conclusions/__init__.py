"""Do the conclusions of analyses survive: declared ones, and those that an analyst would try first."""
