"""What Dagster shows and runs: steps as its assets, settings as its fields, the build that the graph shows.

Only what Dagster runs imports this: the web graph, releases, tasks, and builds that are recorded.
"""
