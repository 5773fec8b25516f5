"""What each section of a page says, one module each: a finding is worded here and nowhere else."""
