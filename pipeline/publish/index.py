"""The index of a folder of variants: what it holds, bound to each variant's manifest; the same bytes for the same inputs."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.disk import reporting_disk
from pipeline.errors import GateError
from pipeline.publish.files import sha256
from pipeline.publish.links import Digests
from pipeline.publish.manifest import MANIFEST, verify_files

INDEX = "index.json"


def write_index(facts: Mapping[str, Any], variants: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Write the index of a folder whose variants are complete, with the digest of each variant's manifest.

    Args:
        facts: What holds for all variants.
        variants: A description of each, in order; its `name` is the name of its folder.
        folder: Holds a folder for each variant, and nothing else.
    """
    listed = [{**variant, "manifest": sha256(folder / variant["name"] / MANIFEST)} for variant in variants]
    content = {"format": 1, **facts, "variants": listed}
    with reporting_disk(folder):
        (folder / INDEX).write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def verify_index(folder: Path) -> None:
    """Compare a folder of variants with its index, and each variant with its manifest. Anything else there is refused.

    Raises:
        GateError: They differ; it names the differences.
    """
    digests = Digests()
    listed = {variant["name"]: variant["manifest"] for variant in json.loads((folder / INDEX).read_bytes())["variants"]}
    strange = sorted({path.name for path in folder.iterdir()} ^ {INDEX, *listed})
    changed = [name for name in listed if name not in strange and digests.of(folder / name / MANIFEST) != listed[name]]
    if strange or changed:
        raise GateError(
            f"the variants in {folder.name!r} are not those of its index: missing or not listed {strange}, with another "
            f"manifest {changed}; build again"
        )
    for name in listed:
        verify_files(folder / name, digests)
