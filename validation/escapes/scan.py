"""Searches a staged variant for everything that identifies a company, and returns the result.

`validation/escapes` defines what is searched for, and how; `exemptions.py` which findings are exempted. Publishing is handed
this search (`pipeline/publish/variant.py`): the published bytes never depend on how they are searched.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import polars as pl

from anonymize.keys.identity_map import ORIGIN, seal
from anonymize.policy import find_policy
from pipeline.errors import GateError, InputError, SiltError
from pipeline.keyed import Key
from pipeline.model import Environment, Exemption, PublishedTable, Role
from pipeline.noise.ledger import as_noised, of_file, undo
from pipeline.places import CURATOR
from pipeline.publish.files import read_published
from pipeline.publish.publication import WOULD_BE_PUBLISHED, Staging, refuse_variant
from pipeline.publish.refusal import REPORT, REPORTS, KeptFindings, keep_findings
from pipeline.publish.variant import columns_of_codes, headers_of
from pipeline.render import path_of, published_files
from pipeline.wording import counted, with_article
from validation.escapes import BEFORE_NOISE, Escape, Identifiers, documents_of, merged
from validation.escapes.before_noise import hidden_by_noise
from validation.escapes.exemptions import (
    ANSWER,
    LEFT,
    Applied,
    Words,
    declared_otherwise,
    grouping_by,
    judge,
    proposed,
    proposed_word,
)
from validation.escapes.files import File, SearchFiles, SearchTerms, each_once, search_files


@dataclass(frozen=True, kw_only=True)
class Originals:
    """What the curator knows and no published byte may hold."""

    identity_map: pl.DataFrame
    """`kind, original, pseudonym` of every code, name and alias."""
    identifiers: pl.DataFrame
    """`kind, original` of every other identifier."""
    key: Key
    """Seals the map. It is the release key itself, so that the key file opens the map under every policy."""

    def sealed_map(self) -> bytes:
        """Return the sealed identity map, for the curator's folder."""
        return seal(self.identity_map, self.key)

    def search_terms(self, environment: Environment) -> SearchTerms:
        """Return what the escape scan searches for, prepared."""
        return SearchTerms.of(self.tokens(environment))

    def tokens(self, environment: Environment) -> Identifiers:
        """Return the tokens that the escape scan searches for."""
        identifiers = self.identifiers.filter(pl.col("kind") != ORIGIN)
        known = pl.concat([self.identity_map, identifiers], how="diagonal")
        codes = environment.entities
        return Identifiers.of_map(
            known,
            code_mention=codes.code_mention,
            code_examples=codes.code_examples,
            further=environment.further,
        )


@dataclass(frozen=True, kw_only=True)
class Scanned:
    """The result of searching a variant's files."""

    declared: int
    """Number of exemptions that the environment declares."""
    escapes: tuple[Escape, ...] = ()
    exempted: Mapping[str, int] = field(default_factory=dict)
    """Kind -> number of places where all findings are exempted."""
    unused: tuple[int, ...] = ()
    """Numbers of the exemptions that cover no finding, counted from 1."""
    refused_exemptions: Mapping[int, str] = field(default_factory=dict)
    """Number of an exemption -> why it is refused."""
    findings: pl.DataFrame = field(default_factory=LEFT.to_frame, repr=False)
    """Findings that are not exempted (`exemptions.LEFT`), for the curator alone."""
    proposed: tuple[Exemption, ...] = ()
    """Further exemptions that could be declared."""
    grouping: Mapping[str, str] = field(default_factory=dict)
    """Columns by which the declaration groups, with the fields that name each."""
    columns: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """File and header -> the declared column, which noise may have renamed."""

    @classmethod
    def unsearched(cls, environment: Environment) -> Self:
        """Return the result that reports state before the search."""
        return cls(declared=len(environment.exemptions))

    @classmethod
    def nothing(cls, environment: Environment) -> Self:
        """Return the result of a search without findings."""
        declared = len(environment.exemptions)
        return cls(declared=declared, unused=tuple(range(1, declared + 1)))

    @classmethod
    def of_parts(cls, parts: Mapping[str, Self]) -> Self:
        """Combine the results of several folders, by their names."""
        every = list(parts.values())
        unused = set.intersection(*(set(one.unused) for one in every))
        withheld = {
            token for one in every for token in {*one.findings["token"]} - {each.token for each in one.proposed}
        }
        return cls(
            declared=every[0].declared,
            escapes=tuple(replace(e, file=f"{name}/{e.file}") for name, one in parts.items() for e in one.escapes),
            exempted=dict(sum((Counter(one.exempted) for one in every), Counter())),
            unused=tuple(sorted(unused)),
            refused_exemptions={number: why for one in every for number, why in one.refused_exemptions.items()},
            findings=pl.concat(
                one.findings.with_columns(file=pl.lit(f"{name}/") + pl.col("file")) for name, one in parts.items()
            ),
            proposed=tuple(
                dict.fromkeys(proposal for one in every for proposal in one.proposed if proposal.token not in withheld)
            ),
            grouping=every[0].grouping,
            columns={(f"{name}/{at}", now): of for name, one in parts.items() for (at, now), of in one.columns.items()},
        )

    def explained(self, identifiers: pl.DataFrame) -> Self:
        """Return it with findings that say whose each is, where that was learnt, and what answers it (for the curator)."""
        if "learnt" not in identifiers.columns:
            return self
        origins = identifiers.filter(pl.col("kind") == ORIGIN).select(
            "whose", "learnt", pl.col("original").alias("token")
        )
        in_cells = self.findings.filter(pl.col("column") != "", pl.col("token") != "")
        words = [each.token for each in self.proposed if each.is_word]
        places = self.findings.select("file", "column").unique().rows()
        otherwise = [(*at, declared_otherwise([self.columns.get(at, at[1])], self.grouping)) for at in places]
        of_places = pl.DataFrame(otherwise, dict.fromkeys(("file", "column", "otherwise"), pl.String), orient="row")
        causes = in_cells.group_by("token").agg(pl.format("{}, row {}", "file", "row").first().alias("cause"))
        return replace(
            self,
            findings=self.findings.join(origins, on="token", how="left", maintain_order="left")
            .join(causes, on="token", how="left", maintain_order="left")
            .join(of_places, on=["file", "column"], how="left", maintain_order="left")
            .with_columns(is_word=pl.col("token").is_in(words))
            .with_columns(answer=ANSWER)
            .drop("is_word", "otherwise"),
        )

    @property
    def is_mentioned(self) -> bool:
        """Say whether reports have to state more than that nothing was found."""
        return bool(self.escapes or self.declared)

    def in_tables(self) -> Self:
        """Return it without what reports only quote; all of it if something stands in reports alone."""
        quoting = [escape.file for escape in self.escapes if REPORTS in Path(escape.file).parts]
        own = tuple(escape for escape in self.escapes if escape.file not in quoting)
        if not own:
            return self
        return replace(self, escapes=own, findings=self.findings.filter(~pl.col("file").is_in(quoting)))

    def refused(self, staging: Staging, *, rewritten: Collection[str] = ()) -> SiltError:
        """Keep a variant with escapes, and its findings, with the curator; return the error that says so."""
        curator, kept = staging.environment / CURATOR, refuse_variant(staging)
        findings = keep_findings(curator, self.findings, self.proposed, rewritten=rewritten)
        message, page = refusal(self, kept, findings), kept / WOULD_BE_PUBLISHED / REPORTS / REPORT
        if self.refused_exemptions:
            return InputError(f"{_refused_exemptions(self)}\n{message}")
        found = {NOTHING_IDENTIFIES: _places(self.in_tables())}
        return GateError(message, found, report=str(page) if page.is_file() else "")

    def notes(self) -> Iterator[str]:
        """Yield lines for the log about exemptions."""
        if self.exempted:
            places = ", ".join(f"{counted(count, 'place')} of kind {kind}" for kind, count in self.exempted.items())
            yield f"{places} exempted from the search for what identifies a company"
        for number in self.unused:
            yield f"exemption {number} of the declaration excuses nothing here; leave it out if it never does"
        for number, why in sorted(self.refused_exemptions.items()):
            yield f"exemption {number} of the declaration may name a company after all, and is refused: {why}"


def scan(
    public: Path,
    environment: Environment,
    terms: SearchTerms,
    *,
    ledger: pl.DataFrame | None = None,
    searched: SearchFiles = search_files,
) -> Scanned:
    """Search a variant's folder for everything that identifies a company.

    Args:
        public: The folder.
        environment: Says which columns hold codes, and what is exempted.
        terms: What must not be there (`Originals.search_terms`).
        ledger: Has the renamed columns of codes.
        searched: Searches files, or knows what was found in them.

    Raises:
        InputError: A file lacks a column that the environment declares, one that holds codes.
    """
    found = merged(searchable(public, environment, ledger), terms, each_once(searched))
    if not found:
        return Scanned.nothing(environment)
    headers = {path_of(table): headers_of(table, ledger) for table in environment.tables}
    headers |= {path_of(table) + BEFORE_NOISE: headers_of(table, None) for table in environment.tables}
    excused, words, documents = list(_applied(environment, headers)), _words(environment, headers), documents_of(public)
    judged = judge(found.findings(), excused, documents, words)
    if ledger is not None and not judged.left.is_empty():
        hidden = hidden_by_noise(public, environment, ledger, judged.left, terms)
        found = replace(found, files={**found.files, **hidden})
        judged = judge(found.findings(), excused, documents, words)
    return Scanned(
        declared=len(environment.exemptions),
        escapes=found.escapes(without=judged.places),
        exempted=dict(judged.places.group_by("kind").len().sort("kind").iter_rows()),
        unused=judged.unused,
        refused_exemptions=judged.refused,
        findings=judged.left,
        proposed=(*proposed(environment, headers, judged.left), *map(proposed_word, judged.words)),
        grouping=grouping_by(environment),
        columns={(path, now): column for path, of in headers.items() for column, now in of.items()},
    )


def searchable(public: Path, environment: Environment, ledger: pl.DataFrame | None = None) -> list[File]:
    """Return the files below a folder, a variant's or a part of it, as they are searched; the ledger has renamed columns."""
    documents = documents_of(public)
    there = {one.name for one in documents}
    tables = [table for table in environment.tables if path_of(table) in there]
    columns = {path_of(table): columns_of_codes(environment, table, ledger) for table in tables}
    relaid = {} if ledger is None else dict(_relaid(public, environment, tables, ledger))
    columns |= {path: tuple(frame.columns) for path, frame in relaid.items()}
    texts = {path: frame.write_csv() for path, frame in relaid.items()}
    return [File(one, columns.get(one.name, ()), texts.get(one.name)) for one in documents]


def _applied(environment: Environment, headers: Mapping[str, Mapping[str, str]]) -> Iterator[Applied]:
    """Yield the declared exemptions with the files and headers of a variant, without columns that noise split or merged."""
    paths = {published.name: path_of(published) for published in published_files(environment)}
    for number, one in enumerate(environment.exemptions, start=1):
        file = paths.get(one.table, "")
        header = headers[file].get(one.column) if one.column else ""
        if header is not None:
            yield Applied(number, one.token, file, header, one.is_word)
            if file:
                yield Applied(number, one.token, file + BEFORE_NOISE, one.column, one.is_word)
                yield Applied(number, one.token, _REPORTS, "", one.is_word)


_REPORTS = "reports/"
"""The folder whose files show cells of every table: what is exempted in a table is exempted where that is shown."""


def _words(environment: Environment, headers: Mapping[str, Mapping[str, str]]) -> Words:
    """Return what says that a name is a word of an environment's tables: what is declared, and where no name is expected."""
    raw = {column.name for table in environment.raw_tables for column in table.of_role(*_NAMING)} | {"code"}
    viewed = [view for view in (environment.views.listings if environment.views else ()) if view.table]
    named = {(view.table, column) for view in viewed for column, of in view.columns.items() if of in raw}
    columns: dict[str, Collection[str]] = {path_of(document): () for document in environment.documents}
    for table in environment.tables:
        for path in (path_of(table), path_of(table) + BEFORE_NOISE):
            now = headers.get(path, {})
            columns[path] = {now[name] for name in now if name not in raw and (table.name, name) not in named}
    measures = [*environment.panel.measures, *(measure for each in environment.events for measure in each.measures)]
    declared = [name for table in environment.tables for name in (table.name, *table.columns)]
    declared += [table.name for table in environment.raw_tables]
    declared += [text for measure in measures for text in (measure.name, measure.unit)]
    return Words(frozenset(word.casefold() for word in declared), columns)


_NAMING = (Role.CODE, Role.NAME, Role.ALIAS, Role.TEXT)
"""Roles of columns in which names are expected."""


def _relaid(
    public: Path, environment: Environment, tables: Iterable[PublishedTable], ledger: pl.DataFrame
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the columns of codes that noise split or merged, by file, as they were before."""
    for table in tables:
        codes = columns_of_codes(environment, table, None)
        if len(columns_of_codes(environment, table, ledger)) < len(codes):
            own = ledger.filter(pl.col("table") == table.name)
            frame = undo(read_published(public / path_of(table), as_noised(table, own)), of_file(own), table)
            yield path_of(table), frame.select(codes)


def with_escapes(privacy: Mapping[str, Any], scanned: Scanned, sizes: Sequence[int] = ()) -> dict[str, Any]:
    """Return the privacy report with the escapes and what was searched, and with the exemptions if any are declared.

    What exemptions excuse is counted by the originals' names, so it is not published where records are sampled.

    Args:
        privacy: The report before the search; where records are sampled, it does not say how much is searched for.
        scanned: The result of the search.
        sizes: Bytes of each file that the manifest lists.
    """
    is_passed = privacy["passed"] and not scanned.escapes
    report = {**privacy, "passed": is_passed, "escapes": [vars(escape) for escape in scanned.in_tables().escapes]}
    of, *left = ((privacy.get("not_searched") or {}).get(name, 0) for name in ("of", "short", "numbers", "ordinary"))
    extent_of = {"terms": of - sum(left), "files": len(sizes), "bytes": sum(sizes)}
    report |= {"searched": {name: count for name, count in extent_of.items() if count}}
    if not scanned.declared:
        return report
    if find_policy(privacy["policy"]).samples_records:
        return report | {"exemptions": {"declared": scanned.declared}}
    places = dict.fromkeys(Identifiers().by_kind(), 0) | dict(sorted(scanned.exempted.items()))
    return report | {"exemptions": {"declared": scanned.declared, "unused": len(scanned.unused), "places": places}}


def refusal(scanned: Scanned, kept: Path, findings: KeptFindings) -> str:
    """Return the error's text: what escaped and where, who can read more about it, and what can be done."""
    shown, scanned = _showing(scanned), scanned.in_tables()
    left_out = f" (and {findings.left_out:,} more)" if findings.left_out else ""
    hidden = [escape.file.endswith(BEFORE_NOISE) for escape in scanned.escapes]
    of = f" of the {kept.name} variant{', some before noise,' if any(hidden) else ''}"
    rows = f"before noise, {extent(scanned)}" if hidden and all(hidden) else extent(scanned, of=of)
    could = f" {_EXEMPTED}; proposals are in {findings.exemptions}." if findings.exemptions else ""
    return (
        f"refused by {NOTHING_IDENTIFIES}: {rows} would identify a company, so nothing is published: "
        f"{_places(scanned)}{shown}.\n"
        f"What to do: {'; '.join(_answers(scanned)) or 'mend the declaration or the text'}.{could}\n"
        f"{findings.findings}{left_out} lists each finding, whose it is, where that was learnt and what to do. It is for the "
        f"curator alone. The variant is in {kept}; nothing of another variant is kept. The header of a table is row 1."
    )


_EXEMPTED = "What names no company there can be exempted (`exemptions` of the Environment, each with its reason)"


def _showing(scanned: Scanned) -> str:
    """Return how many reports show what noise hides in its table; no words where that stands in the table itself."""
    showing = {escape.file for escape in scanned.escapes if REPORTS in Path(escape.file).parts}
    if not any(escape.file.endswith(BEFORE_NOISE) for escape in scanned.escapes):
        return ""
    return f"; {counted(len(showing), 'file')} of reports {'shows' if len(showing) == 1 else 'show'} it"


def _places(scanned: Scanned) -> str:
    """Return the first places in words: file, column, kind and rows."""
    more = len(scanned.escapes) - _SHOWN
    return "; ".join([*map(_place, scanned.escapes[:_SHOWN]), *([f"and {more:,} more"] if more > 0 else [])])


def _answers(scanned: Scanned) -> list[str]:
    """Return what answers the findings of the places that are named; an answer that quotes what was found is the curator's.

    Proposed exemptions are another sentence's: what is to be mended or declared is said once, and first.
    """
    if "answer" not in scanned.findings.columns:
        return []
    named = scanned.findings.filter(pl.col("column") != "", pl.col("objection") != "")
    shown = {(escape.file, escape.column) for escape in scanned.escapes[:_SHOWN]}
    rows = named.select("file", "column", "answer").unique(maintain_order=True).iter_rows()
    answers = [(scanned.columns.get((at, of), of), answer) for at, of, answer in rows if (at, of) in shown]
    alone = {column: declared_otherwise([column], scanned.grouping) for column, _ in answers}
    otherwise = dict.fromkeys(column for column, answer in answers if answer.endswith(alone[column]))
    together = [declared_otherwise(otherwise, scanned.grouping)] if otherwise else []
    further = dict.fromkeys(answer for column, answer in answers if not answer.endswith(alone[column]))
    return [*together, *further]


def extent(scanned: Scanned, *, of: str = "") -> str:
    """Return the number of rows (`of` something) and columns with findings in words; of files that are no tables, of lines."""
    places = {(one.published, scanned.columns.get((one.file, one.column), one.column)) for one in scanned.escapes}
    rows = max(scanned.findings.select("file", "row", "column").n_unique(), len(scanned.escapes))
    if not any(column for _, column in places):
        return f"{counted(rows, 'line')}{of} in {counted(len(places), 'file')}"
    return f"{counted(rows, 'row')}{of} in {counted(len(places), 'column')}"


_SHOWN = 5
"""Number of escapes that the refusal lists."""

NOTHING_IDENTIFIES = "nothing_identifies_a_company"
"""The check that a build without any of them passes."""


def _place(escape: Escape) -> str:
    where = f" column {escape.column!r}" if escape.column else ""
    unit = "row" if escape.column else "line"
    many = f"{escape.rows:,} {unit}s, first " if escape.rows > 1 else ""
    row = f" in {many}{unit} {escape.row:,}" if escape.row else ""
    return f"{escape.file}{where}: {with_article(escape.kind)}{row}"


def _refused_exemptions(scanned: Scanned) -> str:
    reasons = "".join(
        f"\n  exemption {number}: {reason}" for number, reason in sorted(scanned.refused_exemptions.items())
    )
    refused = counted(len(scanned.refused_exemptions), "exemption")
    return f"refused: {refused} of the declaration may name a company after all:{reasons}"
