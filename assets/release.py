"""In the group `released`: the release, what a build published as something that others can cite, mount, verify and rebuild.

It is made anew whenever it is asked for, in seconds, and keeps nothing in the store. Belongs here: what a release is made with,
and what the graph shows of it. What it consists of belongs to `pipeline/release`.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Any

import dagster as dg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import create_model

from anonymize.keys.key_uses import record_spent, record_use, refuse_other_use, spent_by
from anonymize.keys.release_key import DEMONSTRATION_KEY, read_key
from assets.evidence.files import pages_of_release
from assets.making.keys import MODEL, Stage, op_name, path_of
from assets.making.request import Request
from assets.making.results import AssetPath, CheckOutcome, Fact, MadeAsset
from assets.making.scheduler import Scheduler
from assets.wiring.gates import TRIED
from assets.wiring.graph.nodes import check_spec, failing_as_dagster_does, fields_of, shown, spec
from assets.wiring.steps import gate, node, versioned
from pipeline.errors import GateError, KeyFileError
from pipeline.keyed import Key
from pipeline.model import Environment
from pipeline.noise.spec import NoiseSpec
from pipeline.places import CURATOR
from pipeline.private import private_file
from pipeline.publish.files import sha256
from pipeline.publish.variant import IDENTITY_MAP, NOISE_LEDGER, NOISY, VARIANTS
from pipeline.release.assembling import Given, assemble
from pipeline.release.layout import LINKS, OPTIONS, REPORTS, SBOM, SPECIFICATION, ReleaseHead, archive_of, name_of
from pipeline.release.metadata.mounting import try_mount
from pipeline.release.provenance.commitments import salt_of
from pipeline.release.provenance.raw_tables import Committed, commit
from pipeline.release.provenance.requirements import PROJECT, at_run_time, pinned, read_requirements
from pipeline.release.provenance.sbom import sbom
from pipeline.release.provenance.signing_key import read_signing_key
from pipeline.release.provenance.source import FILES, SourceCode, release_date, source_of
from pipeline.release.provenance.statement import Materials
from pipeline.release.settings import Asked, ReleaseSettings
from pipeline.report_json import report_json
from pipeline.settings import settings_from
from validation.release.attesting import attestations
from validation.release.deidentification import published
from validation.release.diff.gate import Links, MadeOf, refuse_linkable, refuse_unknown_keys
from validation.release.diff.spending import Spending, on_record, refuse_overspent
from validation.release.opened import opened
from validation.release.verifying import verify

RELEASE = "release"
"""Name of the asset, and of the job that makes it."""

_GIVES_NOTHING_AWAY, _VERIFIED, _READ_ONLY = "gives_no_noise_away", "verifies", "is_mounted_read_only"

_UNVERIFIED = (
    "nothing is released, since `silt verify` would refuse what was just made. If nobody changed the files of the build, this "
    "is a defect in Silt, please report it:"
)

_DISCLOSED = {TRIED: "nothing to try: the noise is disclosed, as was asked"}


_REQUIRED = frozenset({"version"})
"""Settings that whoever releases has to give: where one is missing, the launchpad opens."""

_CONFIG = create_model("ReleaseConfig", __base__=dg.Config, **fields_of(ReleaseSettings, required=_REQUIRED))
"""The settings of a release, as the launchpad shows them."""


def release_key_of(environment: Environment) -> AssetPath:
    """Return the path of the asset."""
    return path_of(environment, Stage.RELEASED, RELEASE)


def release_op(environment: Environment) -> str:
    """Return the name of the op, for its settings."""
    return op_name(environment, Stage.RELEASED, RELEASE)


def release_asset(environment: Environment, *, signer: Ed25519PrivateKey | None = None) -> dg.AssetsDefinition:
    """Return the asset of an environment's release; a key that is given signs, whatever the settings say."""
    described = (
        "The release: one folder and one archive a variant, with metadata and provenance; the curator's half apart."
    )
    reads = [(Stage.PUBLISHED, variant) for variant in VARIANTS]
    released = versioned(
        node(environment, Stage.RELEASED, RELEASE, reads=reads, description=described, kinds={"csv", "json"})
    )
    names = (_GIVES_NOTHING_AWAY, _VERIFIED, _READ_ONLY)
    checks = [check_spec(gate(name, released.asset)) for name in names]

    @dg.multi_asset(
        specs=[spec(released)], check_specs=checks, name=release_op(environment), config_schema=_CONFIG.to_fields_dict()
    )
    def release(context: dg.AssetExecutionContext, scheduler: dg.ResourceParam[Scheduler]) -> Iterator[Any]:
        with failing_as_dagster_does(scheduler.request.folder):
            config, source = settings_from(ReleaseSettings, context.op_execution_context.op_config), source_of()
            folder = make_release(scheduler.request, config, source, signer=signer or _signer(config.sign))
            mounted = try_mount(folder / config.variants[0] / "database")
        if source.is_dirty:
            context.log.warning("the checkout is not what its commit holds, and the provenance says so")
        is_held = mounted.is_read_only is not False
        yield from shown(
            [
                MadeAsset(asset=released.asset, metadata=_about(folder, config.variants)),
                CheckOutcome(
                    check=_GIVES_NOTHING_AWAY, is_passed=True, metadata=_DISCLOSED if config.disclose_noise else {}
                ),
                CheckOutcome(check=_VERIFIED, is_passed=True),
                CheckOutcome(check=_READ_ONLY, is_passed=is_held, metadata={TRIED: mounted.outcome}),
            ]
        )

    return release


def make_release(
    request: Request, settings: ReleaseSettings, source: SourceCode, *, signer: Ed25519PrivateKey | None
) -> Path:
    """Make a release of what a request built; return its public folder.

    Raises:
        GateError: Something is not as it was built, would give noise away, or would spend more than all releases may.
        KeyFileError: The key was used for another policy or other originals.
        InputError: Something is missing, is not of what is given, or a folder cannot be written.
    """
    environment, spending = request.environment, _spending(request)
    in_all, key_file = environment.budget.in_all if environment.budget else None, request.release.file
    recorded = partial(spent_by, key_file) if key_file else tuple
    refuse_used_key(request, settings)
    request.refuse_stale(settings.variants)
    refuse_overspent(Path(settings.releases), spending, in_all, recorded=recorded)
    links = {} if settings.allow_linkable else _links(request, settings)
    asked = Asked(**asdict(settings), date=release_date(os.environ, source))
    given = replace(
        _given(request, asked, source, signer=signer, links=links), judge=partial(_judge, request, asked, spending)
    )
    return assemble(environment, request.folder, Path(settings.releases), asked, given)


def refuse_used_key(request: Request, settings: ReleaseSettings) -> None:
    """Refuse a key that was used for anything else, or without that of an earlier release, unless either is asked for.

    Raises:
        KeyFileError: It was, or the record of its uses cannot be read, or the other key is not given.
    """
    if request.release.file is not None and request.use is not None and not settings.reuse_key:
        refuse_other_use(request.release.file, request.use)
    if not settings.allow_linkable:
        refuse_unknown_keys(Path(settings.releases), _made_of(request), _earlier_keys(settings))


def make_again(request: Request, asked: Asked, releases: Path) -> Path:
    """Make a release again of what was built again, unsigned, and return its public folder: it is compared, and not released.

    Raises:
        GateError: Something is not as it was built, or would give noise away.
        InputError: Something is missing, or a folder cannot be written.
    """
    return assemble(request.environment, request.folder, releases, asked, _given(request, asked, source_of()))


def _given(
    request: Request,
    asked: Asked,
    source: SourceCode,
    *,
    signer: Ed25519PrivateKey | None = None,
    links: Links | None = None,
) -> Given:
    """Return what a release is made with besides the build."""
    environment, spending = request.environment, _spending(request)
    requirements, silt = read_requirements(FILES), version("silt")
    libraries = pinned(requirements)
    needed = at_run_time(libraries, (FILES / PROJECT).read_bytes())
    salt = salt_of(request.release.key)
    committed = commit(environment.raw_tables, request.raw, salt)
    materials = Materials(
        source=source,
        requirements=requirements,
        pinned=tuple(each for each in libraries if each.name in needed),
        commitments=committed.published(is_counted=not request.policy.samples_records),
        declarations=_declarations(environment),
    )
    return Given(
        spec=request.noise.spec if NOISY in asked.variants else NoiseSpec(environment=environment.name),
        public={SBOM: sbom(libraries, needed, silt=silt, date=asked.date)} | _pages(request, asked),
        keep=partial(_keep, request, asked, committed, links or {}, spending),
        attest=partial(_attest, request, materials, signer),
    )


def _pages(request: Request, asked: Asked) -> dict[str, bytes]:
    """Return the pages of the release that are not the build's: those of noisy tables say nothing of noise that is hidden."""
    return {
        f"{variant}/{REPORTS}/{name}": page
        for variant in asked.variants
        for name, page in pages_of_release(
            request.environment, request.folder / variant, hides_noise=variant == NOISY and not asked.disclose_noise
        ).items()
    }


def _links(request: Request, settings: ReleaseSettings) -> Links:
    """Return what links the build to earlier releases of the same raw tables under other keys, within the policy's limits."""
    keys = _earlier_keys(settings)
    return refuse_linkable(request.folder, Path(settings.releases), request.environment, _made_of(request), keys=keys)


def _made_of(request: Request) -> MadeOf:
    return MadeOf(raw=_raw_digests(request), key=request.release.master, policy=request.policy)


def _earlier_keys(settings: ReleaseSettings) -> list[Key]:
    return [DEMONSTRATION_KEY, *(read_key(Path(file)) for file in settings.earlier_keys)]


def _spending(request: Request) -> Spending:
    models = (request.folder / variant / "reports" / f"{MODEL}.json" for variant in VARIANTS)
    model = next((file for file in models if file.is_file()), None)
    return Spending(
        raw=_raw_digests(request),
        policy=request.policy.name,
        key_fingerprint=request.release.master.fingerprint(),
        budget=request.budget if isfinite(request.budget) else None,
        model=sha256(model) if request.policy.samples_records and model else None,
        declarations=_declarations(request.environment),
    )


def _raw_digests(request: Request) -> dict[str, str]:
    return dict(request.raw_files)


def _attest(
    request: Request,
    materials: Materials,
    signer: Ed25519PrivateKey | None,
    head: ReleaseHead,
    subjects: Mapping[str, str],
) -> dict[str, bytes]:
    """Return the statements about a release, of what the build said and not only of what is public."""
    variants = [published(request.folder / variant) for variant in head.variants]
    stated = head.model_dump(mode="json", exclude={"files"})
    return attestations(subjects, stated, variants, materials, signer=signer)


def _judge(request: Request, asked: Asked, spending: Spending, public: Path) -> None:
    """Refuse a release that a stranger could not verify; bind the key to it, and record what it spends, before it is out."""
    verified = verify(opened(public, request.environment))
    if verified.problems:
        raise GateError(f"{_UNVERIFIED}\n{verified.failed()}")
    if request.release.file is not None and request.use is not None:
        record_use(request.release.file, request.use, is_wanted=asked.reuse_key)
    if request.release.file is not None and spending.budget is not None:
        record_spent(request.release.file, on_record(name_of(request.environment.name, asked.version), spending))


def _keep(
    request: Request, asked: Asked, committed: Committed, links: Links, spending: Spending, curator: Path
) -> None:
    """Write what building the release again, proving its rows and comparing it with others needs into the curator's half."""
    committed.keep(curator)
    if links:
        private_file(curator / LINKS).write_bytes(report_json(links))
    has_noise = NOISY in asked.variants
    if has_noise:
        private_file(curator / SPECIFICATION).write_bytes(request.noise.file.read_bytes())
    kept = [request.folder / CURATOR / name for name in (IDENTITY_MAP, NOISE_LEDGER)]
    private_file(curator / IDENTITY_MAP).write_bytes(kept[0].read_bytes())
    options = {
        "format": 1,
        "environment": request.environment.argument,
        "variants": asked.variants,
        "scale": request.scale,
        "source": request.source,
        "noise": SPECIFICATION if has_noise else None,
        "version": asked.version,
        "date": asked.date,
        "mode": asked.mode,
        "discloses_noise": asked.disclose_noise,
        "formats": asked.formats,
        "tasks": asked.tasks,
        "license": asked.license,
        "authors": asked.authors,
        **asdict(spending),
        "kept": {file.name: sha256(file) for file in kept if file.is_file()},
    }
    text = json.dumps(options, ensure_ascii=False, indent=2)
    private_file(curator / OPTIONS).write_text(f"{text}\n", encoding="utf-8")


def _declarations(environment: Environment) -> dict[str, str]:
    """Return the digest of the file of a declaration that is a user's own."""
    file = environment.declared_in.rpartition(":")[0]
    return {"declaration": sha256(Path(file))} if file else {}


def _signer(file: str) -> Ed25519PrivateKey | None:
    return read_signing_key(Path(file), _refuse_to_ask) if file else None


def _refuse_to_ask() -> bytes:
    raise KeyFileError("the signing key is encrypted, and nobody can be asked here; sign with `silt release --sign`")


def _about(folder: Path, variants: Sequence[str]) -> dict[str, Any]:
    """Return what the graph shows: where the release is, and how many bytes each archive has."""
    sizes = {variant: (folder / archive_of(folder.name, variant)).stat().st_size for variant in variants}
    archives = {f"{variant}_archive": size for variant, size in sizes.items()}
    return {"folder": Fact("path", str(folder)), **archives}
