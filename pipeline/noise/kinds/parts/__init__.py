"""What several kinds are made of. Nothing here is a kind: each module of the other folders is one, or some that are alike."""
