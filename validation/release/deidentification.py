"""What a release says of how it protects those whom its originals name: the predicate of an in-toto statement, as a type.

Belongs here: how the predicate is put together, from what a build published alone. What is promised is worded in
`validation/report/sections/promises.py`, attacks and limits are `privacy.json`'s. The JSON Schema is in `docs/schemas`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from anonymize.policy import find_policy
from anonymize.quasi_identifiers import Classes
from pipeline.errors import InputError
from pipeline.places import NOISY
from pipeline.publish.manifest import MANIFEST, treatments_in
from pipeline.release.reading import read_as
from validation.attacks.limits import ALPHA, MARGIN
from validation.report.documents import KINDS, Reports
from validation.report.documents.base import Document, LimitInWords
from validation.report.documents.privacy import AttackCounts, AttackOutcome, GivenUp, Privacy
from validation.report.head.gates import Gate, gates_of
from validation.report.sections.promises import promises_of
from validation.report.sections.release import ReportedVariant

DEIDENTIFICATION = "urn:silt:deidentification:v1"
"""Type of the predicate."""


class Tried(Document):
    """An attack that was carried out with the originals in hand: of n records it was right about so many."""

    attack: str
    family: str
    knowledge: str
    n: int | None = None
    """Null where records are sampled, as all counts are."""
    successes: int | None = None
    rate: float | None = None
    upper_95: float | None = None
    """One-sided 95 % upper bound of the rate."""
    chance: float | None = None
    """The rate that guessing reaches."""
    limit: LimitInWords
    """What the policy allows; "reported only" where it sets no limit."""
    passed: bool | None
    """Null where there was nothing to try."""


class Limits(Document):
    """How limits are meant."""

    level: float
    """Level of the test by which an attack is no better than guessing."""
    margin: float
    """How far the upper bound may exceed a limit of the rate."""


class Held(Document):
    """Something that had to hold before publishing."""

    asks: str
    figure: str | None
    """What was found; null where it would give noise away that the release does not disclose."""
    passed: bool
    stops_publishing: bool
    is_empty: bool
    """Whether nothing was looked at, or most of it was too little to say anything, so that nothing is shown."""


class OfVariant(Document):
    """What was found in the files of one variant."""

    variant: str
    escapes: int | None
    """Places that hold something that identifies a company; null where files were not searched."""
    exempted: int
    """Ordinary words that a declaration excuses: how many it names."""
    gates: tuple[Held, ...]


class Deidentification(Document):
    """The predicate: mechanisms, promises, limits, attacks, gates, and what is not promised."""

    format: Literal[1] = 1
    environment: str
    policy: str
    samples_records: bool
    """Whether records are sampled from statistics, or are the originals' with other digits."""
    is_key_public: bool
    """Whether everybody can undo pseudonyms: so it is with invented originals alone."""
    summary: str
    mechanisms: Mapping[str, Mapping[str, tuple[str, ...]]]
    """What became of published columns: mechanism -> table -> columns."""
    promised: str
    not_promised: str
    limits: Limits
    attacks: tuple[Tried, ...]
    quasi_identifiers: Classes | None
    further_kinds: Mapping[str, Classes]
    given_up: tuple[GivenUp, ...]
    variants: tuple[OfVariant, ...]


@dataclass(frozen=True, kw_only=True)
class Published:
    """A variant as a build published it: what its manifest and its reports say."""

    manifest: Mapping[str, Any]
    reports: Reports

    @property
    def privacy(self) -> Privacy:
        """Return the report on privacy, or raise `InputError` if the variant has none."""
        if self.reports.privacy is None:
            raise InputError(f"variant {self.manifest['variant']!r} has no reports/privacy.json; build it again")
        return self.reports.privacy


def published(folder: Path) -> Published:
    """Read manifest and reports of a variant's folder, or raise `InputError` if one cannot be read."""
    files = {name: folder / "reports" / f"{name}.json" for name in KINDS}
    texts = {name: _text(file) for name, file in files.items() if file.is_file()}
    manifest = read_as(_MANIFEST.validate_json, _text(folder / MANIFEST), f"the manifest of {folder.name!r}")
    return Published(manifest=manifest, reports=read_as(Reports.of, texts, f"the reports of {folder.name!r}"))


def deidentification(variants: Sequence[Published], *, discloses_noise: bool) -> Deidentification:
    """Return what the variants of a release say of de-identification.

    Args:
        variants: The release's variants, of one build of one policy.
        discloses_noise: Whether figures on noise may be published.

    Raises:
        InputError: The variants tell different things of what is beneath the noise: they are of different builds.
    """
    manifest, privacy = variants[0].manifest, variants[0].privacy
    _refuse_different(variants)
    promised, not_promised = promises_of(privacy.policy, treatments_in(manifest))
    return Deidentification(
        environment=manifest["environment"],
        policy=privacy.policy,
        samples_records=find_policy(privacy.policy).samples_records,
        is_key_public=manifest["is_demonstration_key"],
        summary=privacy.summary,
        mechanisms=_mechanisms(treatments_in(manifest)),
        promised=" ".join(promised),
        not_promised=" ".join(not_promised),
        limits=Limits(level=ALPHA, margin=MARGIN),
        attacks=tuple(map(_tried, privacy.attacks)),
        quasi_identifiers=privacy.quasi_identifiers,
        further_kinds=privacy.further_kinds,
        given_up=privacy.given_up,
        variants=tuple(_of_variant(each, discloses_noise=discloses_noise) for each in variants),
    )


def disagreeing(stated: Deidentification, found: Deidentification, *, in_words: bool = True) -> Iterator[str]:
    """Yield each field of a predicate that says something else than what is found in the public files of the release.

    Of gates only those are found of which the reports are public; the others cannot be compared.

    Args:
        in_words: Whether promises and gates are compared, too: another version of Silt has other words for them.
    """
    for name in Deidentification.model_fields:
        if name != "variants" and (in_words or name != "promised") and getattr(stated, name) != getattr(found, name):
            yield name
    by_variant = {each.variant: each for each in stated.variants}
    for each in found.variants:
        of = by_variant.get(each.variant)
        if of is None or (of.escapes, of.exempted) != (each.escapes, each.exempted):
            yield f"variants.{each.variant}"
        elif in_words and (missing := [gate.asks for gate in each.gates if gate not in of.gates]):
            yield f"variants.{each.variant}.gates: {missing[0]}"


_MANIFEST = TypeAdapter(dict[str, Any])

_OF_VARIANT = {"escapes", "exemptions", "searched"}
"""What the report on privacy tells of the files of a variant; the rest is about what is beneath the noise."""


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode(errors="replace")
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}; build again") from error


def _refuse_different(variants: Sequence[Published]) -> None:
    found = {each.privacy.model_dump_json(exclude=_OF_VARIANT) for each in variants}
    treatments = {str(treatments_in(each.manifest)) for each in variants}
    if len(found) > 1 or len(treatments) > 1:
        names = ", ".join(each.manifest["variant"] for each in variants)
        raise InputError(f"the variants {names} are of different builds; build them together: silt build {names}")


def _mechanisms(treatments: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return, for each thing that becomes of a column, the columns of which it does, by table."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for table, mechanisms in treatments.items():
        for mechanism, columns in mechanisms.items():
            found.setdefault(mechanism, {})[table] = tuple(columns)
    return dict(sorted(found.items()))


def _tried(attack: AttackCounts | AttackOutcome) -> Tried:
    of = attack.model_dump(include=set(Tried.model_fields))
    return Tried(n=attack.records, **of) if isinstance(attack, AttackCounts) else Tried(**of)


def _of_variant(variant: Published, *, discloses_noise: bool) -> OfVariant:
    privacy, release = variant.privacy, _release(variant)
    is_hidden = release.variant == NOISY and not discloses_noise
    return OfVariant(
        variant=release.variant,
        escapes=None if privacy.escapes is None else len(privacy.escapes),
        exempted=privacy.exemptions.declared if privacy.exemptions else 0,
        gates=tuple(
            _held(gate, is_hidden=is_hidden and gate.anchor in _OF_NOISE) for gate in gates_of(variant.reports, release)
        ),
    )


def _release(variant: Published) -> ReportedVariant:
    """Return the variant as pages know it; commands and titles are none of a gate's."""
    manifest = variant.manifest
    name, has_figures = manifest["environment"], variant.reports.ks is not None
    return ReportedVariant(
        environment=name, title=name, variant=manifest["variant"], manifest=manifest, has_figures=has_figures
    )


_OF_NOISE = {"noise", "expectations"}
"""Sections of gates whose figures tell of the noise: noisy tables have an expectation for each rule in each column."""


def _held(gate: Gate, *, is_hidden: bool) -> Held:
    return Held(
        asks=gate.claims,
        figure=None if is_hidden else gate.figure,
        passed=gate.is_passed,
        stops_publishing=gate.is_blocking,
        is_empty=gate.is_open,
    )
