"""What assets are wired with: keys, the request, steps, the store between stages, the border of the event log."""
