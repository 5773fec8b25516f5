"""What mechanisms for figures protect and cost: Silt's, the classics, and the synthesizers of others, on the same work."""
