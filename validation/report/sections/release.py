"""Which variant a page is about, and the commands that make it again.

Belongs here: facts of a manifest as other sections need them. What the manifest says in full belongs to `provenance.py`.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from anonymize.policy import LSD, Policy
from pipeline.model import Budget

_USER_TABLES = "user tables"
"""Source, in a manifest, of tables that Silt did not generate."""

_DEFAULT = Budget().of_a_release
"""The budget that no command has to name."""

_OWN = ".py:"
"""What is in the argument of an environment that Silt does not ship: `FILE.py:NAME`."""


@dataclass(frozen=True, kw_only=True)
class ReportedVariant:
    """One variant of one environment."""

    environment: str
    """What names it in commands."""
    title: str
    variant: str
    manifest: Mapping[str, Any]
    """What `manifest.json` holds."""
    has_figures: bool = True
    """Whether the environment declares a panel of them."""
    figures_of_events: int = 0
    """How many figures it declares of events, whose distributions nobody compares without a panel."""
    companies: int | None = None
    """How many there are; None where a build ended before they were counted."""
    refused_by: tuple[str, ...] = ()
    """The checks that refused the build; none if it was published."""

    @property
    def is_demonstration(self) -> bool:
        """Say whether the key is public, so that the originals are invented."""
        return bool(self.manifest["is_demonstration_key"])

    @property
    def build(self) -> str:
        """Return the command that builds both variants."""
        return self._command("build noisy clean", is_build=True)

    @property
    def audit(self) -> str:
        """Return the command that attacks the published files of the variant."""
        return self._command(f"audit {self.variant}")

    @property
    def released(self) -> str:
        """Return the command that makes a release."""
        return self._command("release --version 1.0.0", is_build=True)

    def under(self, policy: Policy) -> str:
        """Return the command that builds both variants under another policy."""
        return replace(self, manifest={**self.manifest, "policy": policy.name}).build

    def _command(self, action: str, *, is_build: bool = False) -> str:
        """Return `silt ACTION` for this environment; `DIR`, `FILE` and `SPEC` stand for what the reader has to name."""
        parts = ["silt", action, "--environment", shlex.quote(self.environment)]
        if self.manifest["source"] == _USER_TABLES:
            parts += ["--raw", "DIR"]
        if is_build:
            parts += self._settings()
        return " ".join(parts + ([] if self.is_demonstration else ["--key-file", "FILE"]))

    def _settings(self) -> list[str]:
        scale, policy = self.manifest["scale"], self.manifest["policy"]
        policy = [] if policy == LSD.name else ["--policy", shlex.quote(policy)]
        scaled = [] if scale in {None, 1} else ["--scale", f"{scale:g}"]
        budget = self.manifest.get("budget", _DEFAULT)
        policy += [] if budget == _DEFAULT else ["--budget", f"{budget:g}"]
        # No noise is shipped for an environment of the reader's own.
        noise = ["--noise", "SPEC"] if _OWN in self.environment and "noise" in self.manifest["specs"] else []
        return policy + scaled + noise
