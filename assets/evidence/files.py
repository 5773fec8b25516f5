"""What a build found out, put together out of its reports: the files beside a variant's database, and the page.

Belongs here: which report goes where. What a report says is its own asset's, how it looks is for the pages of `validation`.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
from markupsafe import Markup

from anonymize.policy import POLICIES, Policy
from anonymize.treatments import published_treatments
from assets.evidence.expectations import EXPECTATIONS_CLEAN, EXPECTATIONS_NOISY
from assets.evidence.noise_report import NOISE
from assets.evidence.profile import PROFILE
from assets.making.keys import ATTACKS, CONSISTENCY, CURVES, DISTRIBUTIONS, KS, MODEL, PROFILES, ROWS, Place, Stage
from assets.making.step import Run
from assets.making.store import Value
from pipeline.model import Environment
from pipeline.publish.manifest import MANIFEST, Manifest
from pipeline.publish.refusal import REPORT
from pipeline.publish.variant import CLEAN, NOISY
from pipeline.small_files import json_of
from validation.escapes.scan import Scanned, with_escapes
from validation.profile.rows import ShownRows
from validation.report.data.rows import read as read_rows
from validation.report.data.rows import scripts
from validation.report.documents import Reports, read, written
from validation.report.documents.privacy import Privacy
from validation.report.head.top import answers_of
from validation.report.labels import Labels
from validation.report.pages import (
    PageContext,
    as_released,
    consistency_page,
    ks_page,
    noise_page,
    privacy_page,
    report_page,
    with_truth_of,
)
from validation.report.pages import about_truth as sections_about_truth
from validation.report.sections.release import ReportedVariant

_OF_VARIANT = {
    NOISY: (ATTACKS, EXPECTATIONS_NOISY, PROFILES[NOISY], ROWS[NOISY], NOISE),
    CLEAN: (ATTACKS, EXPECTATIONS_CLEAN, PROFILES[CLEAN], ROWS[CLEAN]),
}

_EXPECTATIONS, _PRIVACY = "expectations", "privacy"
_WITHOUT_NOISE = '{\n  "rules": []\n}\n'


def about_truth(environment: Environment) -> tuple[str, ...]:
    """Return the reports that hold for every variant, since they are about what is beneath the noise."""
    return (KS, DISTRIBUTIONS, CONSISTENCY) if environment.panel else (CONSISTENCY,)


def about(environment: Environment, variant: str) -> tuple[str, ...]:
    """Return every report that a variant's files or its page are made of."""
    return (*about_truth(environment), *([CURVES] if environment.panel else []), MODEL, *_OF_VARIANT[variant])


def listing(environment: Environment) -> list[Place]:
    """Return the published tables of the main kind's entities."""
    return [(Stage.ANONYMISED, name) for name in environment.entities.tables]


def listed(run: Run) -> pl.DataFrame | None:
    """Return the code and the groups of each entity in any of these tables; None if no table is there."""
    return together(run.environment, run.frames(Stage.ANONYMISED, run.environment.entities.tables).values())


def together(environment: Environment, tables: Iterable[pl.DataFrame]) -> pl.DataFrame | None:
    """Return the same of tables that are given."""
    keys = environment.entities
    columns = dict.fromkeys((keys.code, keys.industry, keys.sub_industry))
    found = [table.select(name for name in columns if name in table.columns) for table in tables]
    return pl.concat(found, how="diagonal").unique(keys.code, keep="first", maintain_order=True) if found else None


def part_of(environment: Environment, policy: Policy, variant: str = "", *, report: str = REPORT) -> PageContext:
    """Return where pages of single sections stand; `report` is the page of all sections beside them, if there is one.

    All have the environment's title: one on what is beneath the noise is every variant's.
    """
    return PageContext(
        title=environment.title,
        policy=policy.name,
        variant=variant,
        labels=_labels(environment),
        report=report,
        treated=published_treatments(environment, policy),
    )


def pages_of_truth(reports: Reports, part: PageContext) -> dict[str, bytes]:
    """Return the pages of single sections on what is beneath the noise, of the reports that there are."""
    pages = {"ks.html": ks_page(reports.ks, part)} if reports.ks else {}
    return pages | ({"consistency.html": consistency_page(reports.consistency, part)} if reports.consistency else {})


def _labels(environment: Environment) -> Labels:
    return Labels(language=environment.entities.language, english=environment.english)


def privacy_reports(
    part: PageContext, privacy: Mapping[str, Any], scanned: Scanned, sizes: Sequence[int] = ()
) -> dict[str, bytes]:
    """Return `privacy.json`, and its page beside it: what attacks and the search for escapes in files of these sizes found."""
    report = with_escapes(privacy, scanned, sizes)
    return {"privacy.json": written(_PRIVACY, report), "privacy.html": privacy_page(read(Privacy, report), part)}


def pages_before_noise(environment: Environment, variant: Path) -> dict[str, bytes]:
    """Return the pages of a variant that can be made without its noise: for a release that does not say which there is.

    Exemptions and files are counted in a variant, so pages are made without them.
    """
    manifest = json_of(variant / MANIFEST)
    part, labels = part_of(environment, POLICIES[manifest["policy"]], variant.name), _labels(environment)
    files = {name: variant / "reports" / f"{name}.json" for name in (*about_truth(environment), _PRIVACY)}
    found = Reports.of({name: file.read_text("utf-8") for name, file in files.items() if file.is_file()})
    if privacy := found.privacy:
        searched = privacy.searched and privacy.searched.model_copy(update={"files": None, "bytes": None})
        privacy = privacy.model_copy(update={"exemptions": None, "searched": searched})
        found = found.model_copy(update={_PRIVACY: privacy})
    release = ReportedVariant(
        environment=environment.argument,
        title=environment.title,
        variant=variant.name,
        manifest=manifest,
        has_figures=bool(environment.panel),
        figures_of_events=environment.figures_of_events,
        hides_noise=True,
    )
    page = report_page(found, release, bodies=dict.fromkeys(about_truth(environment), Markup()), labels=labels)
    pages = {REPORT: as_released(with_truth_of(page, (variant / "reports" / REPORT).read_bytes()))}
    pages |= {"privacy.html": privacy_page(privacy, part)} if privacy else {}
    return pages | pages_of_truth(found, part)


def pages_of_release(environment: Environment, variant: Path, *, hides_noise: bool) -> dict[str, bytes]:
    """Return the pages that a release of a variant has in place of the build's."""
    if hides_noise:
        return pages_before_noise(environment, variant)
    return {REPORT: as_released((variant / "reports" / REPORT).read_bytes())}


@dataclass(frozen=True, kw_only=True)
class VariantReports:
    """The reports of one variant, as they stand between stages."""

    environment: Environment
    variant: str
    policy: Policy
    reports: Mapping[str, Value]
    """By name of their asset; one that was not made is absent."""
    entities: pl.DataFrame | None
    """Code and groups of every entity that is published (`listed`)."""
    drawn: str = ""
    """What `sections` returned before; it is made anew if this is empty."""
    refused_by: tuple[str, ...] = ()
    """The checks that refused the build."""
    has_given_noise: bool = False
    """Whether its noise is of another specification than the shipped one."""
    is_curators: bool = False
    """Whether they compare sampled records with the originals."""

    def sections(self) -> str:
        """Return as JSON what pages say of the truth beneath the noise: bodies of sections by their reports, and pages."""
        parsed = self._parsed
        pages = {name: page.decode() for name, page in pages_of_truth(parsed, self._part).items()}
        return json.dumps(sections_about_truth(parsed, self._industries(), _labels(self.environment)) | pages)

    def of_truth(self) -> dict[str, bytes]:
        """Return the reports below `reports/` that are the same in every variant."""
        return _as_files({name: self.reports.get(name) for name in about_truth(self.environment)})

    def files(self) -> dict[str, bytes]:
        """Return the published files below `reports/` that do not depend on the search for escapes."""
        of_variant = {
            NOISE: self._noise,
            PROFILE: self.reports.get(PROFILES[self.variant]),
            MODEL: self.reports.get(MODEL),
        }
        files = self.of_truth() | _as_files(of_variant) | self._expectations | scripts(self._rows)
        parsed = self._parsed
        files |= {name: page.encode() for name, page in self._drawn.items() if name.endswith(".html")}
        if parsed.noise and NOISE in self.reports:
            files["noise.html"] = noise_page(parsed.noise, parsed.expectations, self._part)
        return files

    def of_search(self, manifest: Manifest, searched: Scanned | None) -> dict[str, bytes]:
        """Return the reports that say what the search for escapes came to, None before it: on privacy, and the page."""
        if not self.privacy:  # of a build that was refused before it was attacked
            return {REPORT: self.page({}, manifest)}
        scanned = searched or Scanned.unsearched(self.environment)
        sizes = [file.bytes for file in manifest.files]
        page = self.page(with_escapes(self.privacy, scanned, sizes), manifest)
        return privacy_reports(self._part, self.privacy, scanned, sizes) | {REPORT: page}

    def of_refusal(self, stated: Callable[[str], Manifest]) -> dict[str, bytes]:
        """Return every page of a refused build by its path: of the variant, and below its name of the other one.

        Args:
            stated: Returns what the manifest would have said of a variant.
        """
        pages = self.files() | self.unsearched(stated(self.variant))
        pages[MANIFEST] = stated(self.variant).to_bytes()
        for other, names in _OF_VARIANT.items():
            if other != self.variant and any(name in self.reports for name in names if name != ATTACKS):
                beside = replace(self, variant=other)
                files = beside.files() | beside.unsearched(stated(other))
                pages |= {f"{other}/{path}": content for path, content in files.items()}
        return pages

    def unsearched(self, manifest: Manifest) -> dict[str, bytes]:
        """Return the same of a build that ended before its files were searched: nothing is said of what stands in them."""
        if not self.privacy:
            return self.of_search(manifest, None)
        page = privacy_page(read(Privacy, self.privacy), self._part)
        return {
            "privacy.json": written(_PRIVACY, self.privacy),
            "privacy.html": page,
            REPORT: self.page(self.privacy, manifest),
        }

    @property
    def privacy(self) -> Mapping[str, Any]:
        """Return what attacks found; nothing where none was carried out."""
        found: Mapping[str, Any] = json.loads(str(self.reports.get(ATTACKS) or "{}"))
        return found

    def page(self, privacy: Mapping[str, Any], manifest: Manifest) -> bytes:
        """Return the page of all reports; that on privacy is given, since a search for escapes adds to it."""
        bodies = {name: Markup(text) for name, text in self._drawn.items()}  # noqa: S704  (as it was made)
        parsed = self._with(privacy)
        rows = self._rows
        if privacy.get("escapes"):  # what escaped may stand in any cell that the page would show
            noise = parsed.noise and parsed.noise.model_copy(update={"examples": ()})
            parsed, rows = parsed.model_copy(update={PROFILE: None, NOISE: noise}), {}
        return report_page(parsed, self.release(manifest), bodies=bodies, labels=_labels(self.environment), rows=rows)

    def answers(self, manifest: Manifest) -> dict[str, str]:
        """Return the answers of the page's first screen, by question, of files in which nothing is found."""
        privacy = with_escapes(self.privacy, Scanned.unsearched(self.environment))
        return answers_of(self._with(privacy), self.release(manifest))

    def _with(self, privacy: Mapping[str, Any]) -> Reports:
        return self._parsed.model_copy(update={_PRIVACY: read(Privacy, privacy)} if privacy else {})

    def release(self, manifest: Manifest) -> ReportedVariant:
        """Return what a page says of the variant itself."""
        return ReportedVariant(
            environment=self.environment.argument,
            title=self.environment.title,
            variant=self.variant,
            manifest=json.loads(manifest.to_bytes()),
            has_figures=bool(self.environment.panel),
            figures_of_events=self.environment.figures_of_events,
            companies=None if self.entities is None else self.entities.height,
            refused_by=self.refused_by,
            has_given_noise=bool(
                self._parsed.noise and self._parsed.noise.rules and not self._parsed.noise.is_blocking
            ),
        )

    @cached_property
    def _drawn(self) -> Mapping[str, str]:
        drawn: Mapping[str, str] = json.loads(self.drawn or self.sections())
        return drawn

    @cached_property
    def _parsed(self) -> Reports:
        """Return what the reports say that there are; that on privacy has yet to be searched for."""
        texts = {name: self.reports.get(name) for name in (*about_truth(self.environment), CURVES)} | {
            NOISE: self._noise,
            PROFILE: self.reports.get(PROFILES[self.variant]),
        }
        texts[_EXPECTATIONS] = self._expectations.get(f"{_EXPECTATIONS}.json", b"").decode()
        return Reports.of({name: text for name, text in texts.items() if isinstance(text, str) and text})

    @cached_property
    def _rows(self) -> Mapping[str, ShownRows]:
        """Return the rows of tables that can be looked into, by the table's name."""
        made = self.reports.get(ROWS[self.variant])
        return (
            {name: read_rows(content) for name, content in made.iter_rows()} if isinstance(made, pl.DataFrame) else {}
        )

    @property
    def _part(self) -> PageContext:
        return replace(part_of(self.environment, self.policy, self.variant), is_curators=self.is_curators)

    @property
    def _noise(self) -> str:
        """Return the report on noise; a variant without any says so with an empty list of rules."""
        return _WITHOUT_NOISE if self.variant == CLEAN else str(self.reports.get(NOISE) or "")

    @property
    def _expectations(self) -> dict[str, bytes]:
        """Return `expectations.json` and the Data Docs."""
        made = self.reports.get(EXPECTATIONS_NOISY if self.variant == NOISY else EXPECTATIONS_CLEAN)
        if not isinstance(made, pl.DataFrame):
            return {}
        return {path: content.encode() for path, content in made.select("path", "content").iter_rows()}

    def _industries(self) -> dict[str, str]:
        """Return the industry of each sub-industry; nothing where they are one column."""
        fine, broad = self.environment.entities.sub_industry, self.environment.entities.industry
        if self.entities is None or fine == broad:
            return {}
        return dict(
            self.entities.select(fine, broad).drop_nulls().unique(fine, keep="first", maintain_order=True).rows()
        )


def _as_files(texts: Mapping[str, Value]) -> dict[str, bytes]:
    return {f"{name}.json": str(text).encode() for name, text in texts.items() if text}
