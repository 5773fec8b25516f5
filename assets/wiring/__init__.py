"""What assets are wired with: keys, resources, the store between stages, jobs, the border of the event log."""
