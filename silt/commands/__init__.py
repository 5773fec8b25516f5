"""What the commands do, one module a command that has more to do than to call."""
