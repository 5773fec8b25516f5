"""Loads a release by what the field reads it with: `python -m tests.loaded RELEASE` loads all of every table.

An `AssertionError` says what is not accepted.
"""

import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import redirect_stderr
from itertools import islice
from pathlib import Path
from typing import Any

import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B")
"""What hubs know of `size_categories`."""


def loaded(folder: Path, *, most: int | None = None) -> Iterator[str]:
    """Load a release by every reader, at most so many records of a table, and yield a line each."""
    records = [count if most is None else min(count, most) for count in records_of(folder)]
    assert loaded_as_croissant(folder, most=most) == records
    yield f"mlcroissant loads {len(records)} tables, {sum(records):,} records"
    assert loaded_as_package(folder, most=most) == len(records)
    yield f"frictionless finds {len(records)} tables valid, {'bytes and cells' if most is None else 'cells'}"
    yield from accepted(folder)


def accepted(folder: Path) -> Iterator[str]:
    """Have all that describes a release accepted, without loading a table, and yield a line each."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the readers' own
        yield f"mlcroissant accepts the description, {len(_croissant(folder).metadata.record_sets)} record sets"
        yield f"frictionless accepts the description, {len(_package(folder).resources)} resources"
    yield f"cyclonedx accepts the bill of materials, {materials(folder)} components"
    yield f"the front matter is valid, {len(front_matter(folder)['configs'])} configurations"


def loaded_as_croissant(folder: Path, *, most: int | None = None) -> list[int]:
    """Load every record set by mlcroissant; return their records, sorted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mlcroissant's own
        dataset = _croissant(folder)
        counts = [sum(1 for _ in islice(dataset.records(each.id), most)) for each in dataset.metadata.record_sets]
    return sorted(counts)


def _croissant(folder: Path) -> Any:
    # NOTE: its log (absl) holds the stderr that it began with, and closes it when Dagster sets up logs: pytest's, in a test.
    with redirect_stderr(sys.__stderr__):
        import mlcroissant  # noqa: PLC0415  (it takes seconds)

    dataset = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    issues = dataset.metadata.ctx.issues
    assert (set(issues.errors), set(issues.warnings)) == (set(), set())
    described = json.loads((folder / "croissant.json").read_bytes())
    assert described["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    return dataset


def loaded_as_package(folder: Path, *, most: int | None = None) -> int:
    """Validate schema and cells of every resource by frictionless, of all records bytes and digest, too; return how many."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # frictionless's own
        report = _package(folder).validate(limit_rows=most)
    assert report.valid, [task.errors[:3] for task in report.tasks if not task.valid]
    return len(report.tasks)


def _package(folder: Path) -> Any:
    from frictionless import Package  # noqa: PLC0415  (it takes seconds)

    return Package(str(folder / "datapackage.json"))


def materials(folder: Path) -> int:
    """Validate the bill of materials by CycloneDX's own validator; return how many components it has."""
    content = (folder / "sbom.cdx.json").read_text(encoding="utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(content) is None
    return len(json.loads(content)["components"])


def front_matter(folder: Path) -> dict[str, Any]:
    """Return the card's front matter, of which hubs know all values, and every file is there."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert text.startswith("---\n")
    front: dict[str, Any] = yaml.safe_load(text.split("---\n")[1])
    assert set(front["size_categories"]) <= set(SIZES)
    assert all(len(language) in {2, 3} for language in front["language"])
    names = [config["config_name"] for config in front["configs"]]
    assert len(names) == len(set(names))
    paths = [file["path"] for config in front["configs"] for file in config["data_files"]]
    assert all((folder / path).is_file() for path in paths)
    return front


def records_of(folder: Path) -> list[int]:
    """Return how many records each published file has, sorted; a document is one."""
    manifests = [json.loads(file.read_bytes()) for file in folder.glob("*/manifest.json")]
    return sorted(
        1 if each.get("records") is None else each["records"] for found in manifests for each in found["files"]
    )


if __name__ == "__main__":
    print(*loaded(Path(sys.argv[1])), sep="\n")  # noqa: T201
