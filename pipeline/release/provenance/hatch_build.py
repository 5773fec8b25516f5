"""What a wheel and a source archive hold beside the tracked files, as hatchling asks for it: the commit that they are made of.

A wheel has the pinned requirements and the project's own file, too, since releases are made with both.
"""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Packed(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the files of `pipeline/release/provenance/packed`, which no checkout has."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add them, but for an editable installation, which is a checkout."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from pipeline.release.provenance.source import COMMIT, FILES, PACKED, ROOT, commit_and_time

        (file := Path(self.directory, ".commit")).parent.mkdir(exist_ok=True)
        file.write_text(commit_and_time(), encoding="utf-8")
        packed = {file: COMMIT}
        if self.target_name == "wheel":
            packed |= {FILES / name: PACKED / name for name in ("requirements.txt", "pyproject.toml")}
        added = {str(source): str(place.relative_to(ROOT)) for source, place in packed.items() if not place.exists()}
        build_data["force_include"].update(added)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Leave nothing beside what was made."""
        Path(self.directory, ".commit").unlink(missing_ok=True)
