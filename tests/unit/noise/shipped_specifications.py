"""The noise specifications that are shipped, read once."""

from pathlib import Path

import yaml

from silt.environments.registry import ENVIRONMENTS

SPECS = Path(__file__).parents[3] / "noise_specs"

_READ = [
    (environment, path, yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader))
    for environment in ENVIRONMENTS.values()
    for path in sorted((SPECS / environment.name).rglob("*.yaml"))
]

SHIPPED = [(environment, path) for environment, path, content in _READ if "rules" in content]
"""Environment and file of each; plans are none."""

RULES = [(environment, rule) for environment, _, content in _READ if "rules" in content for rule in content["rules"]]
"""Every rule of all of them, with its environment."""
