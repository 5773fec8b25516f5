"""Assets of the evidence: thin calls of `validation`, and the gates that their findings decide."""
