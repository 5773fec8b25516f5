"""The page that a reader meets first, with the YAML front matter that dataset hubs read: `README.md`, and `CITATION.cff`."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import yaml

from pipeline.release.metadata.described import Described, person
from pipeline.release.metadata.mounting import commands
from pipeline.release.metadata.pages import first_csv, page

_SIZES = ("1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B", "100B", "1T")
"""Limits of a hub's categories of size, each ten times the one before."""


def card(described: Described) -> bytes:
    """Return the card of a release: front matter, and how it is used."""
    front = yaml.safe_dump(front_matter(described), allow_unicode=True, sort_keys=False, width=1000)
    first = described.variants[0]
    return page(
        "README.md",
        front=front,
        described=described,
        mounts=commands(first),
        example=first_csv(file.path for file in described.tables),
        opened=repr(first),
        declared="",
    )


def citation(described: Described) -> bytes:
    """Return how a release is cited (citation-file-format.github.io, version 1.2.0, which asks for an author)."""
    content = {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them as below.",
        "type": "dataset",
        "title": described.title,
        "version": described.version,
        "date-released": described.released,
        **({"license": described.spdx} if described.spdx else {}),
        "authors": list(map(_author, described.authors)) or [{"name": f'The makers of "{described.title}"'}],
    }
    return yaml.safe_dump(content, allow_unicode=True, sort_keys=False, width=1000).encode()


def _author(author: str) -> dict[str, str]:
    name = person(author)
    return {"family-names": name[0], "given-names": name[1]} if name else {"name": author}


def front_matter(described: Described) -> dict[str, Any]:
    """Return the front matter: licence, languages, size, and a configuration for each table that an agent may see.

    A hub shows the files of one configuration as one table, so that a variant cannot be one.
    """
    return {
        "pretty_name": described.title,
        **({} if described.has_no_license else {"license": described.license.lower()}),
        "language": list(described.languages),
        "size_categories": [size_category(described.records)],
        "task_categories": ["table-question-answering"],
        "tags": ["tabular", "synthetic" if described.is_sampled else "pseudonymised", "data-agents", "croissant"],
        "configs": list(_configs(described)),
    }


def size_category(records: int) -> str:
    """Return a hub's category of size."""
    if records < 10**3:
        return "n<1K"
    for power, (low, high) in enumerate(pairwise(_SIZES), 4):
        if records < 10**power:
            return f"{low}<n<{high}"
    return "n>1T"


def _configs(described: Described) -> Iterator[Mapping[str, Any]]:
    for file in described.tables:
        if file.variant != described.variants[0]:
            continue
        part = "ideal" if file.is_ideal else file.variant
        name = file.name.removeprefix("ideal_")
        yield {"config_name": f"{part}-{name}", "data_files": [{"split": "test", "path": file.path}]}
