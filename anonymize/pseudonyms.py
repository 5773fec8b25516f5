"""The one map from originals to pseudonyms: every code, name and alias of every table, from the key alone.

`pseudonyms` builds it from the conformed tables; `anonymize/tables.py` applies it; the curator's sealed copy is
`anonymize/keys/identity_map.py`. How a single code or name is made belongs to `codes.py` and `names/`.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from sys import intern

import polars as pl

from anonymize.codes import code_space, pseudonymous_codes
from anonymize.keys.identity_map import NAME_OF_CODE
from anonymize.mentions.forms import PERSON, Term
from anonymize.mentions.ordinary import english_words
from anonymize.names import FORMER, PseudonymousName, pseudonymous_alias, pseudonymous_names, pseudonymous_persons
from anonymize.names.legal_forms import without_legal_form
from pipeline.conform.look_alikes import ALIKE
from pipeline.errors import InputError
from pipeline.keyed import SEPARATOR, Key
from pipeline.model import AliasSource, Entities, Environment, Frames, Role
from pipeline.normal_form import normal_form

SHORTEST_MENTION = 4
"""Characters of the shortest code that counts as a word of prose. Our choice: three-letter tickers are ALL, KEY and NOW."""

_MAP = dict.fromkeys(("kind", "original", "pseudonym"), pl.String)
"""Columns of the map, and of its part for codes."""

_OWNERS = pl.Schema(dict.fromkeys(("code", "alias", "kind"), pl.String()))

OF_PEOPLE = ("short", "english", FORMER)
"""Kinds of alias of a person."""


@dataclass(frozen=True, repr=False)
class Pseudonyms:
    """Originals of one kind of entity with their pseudonyms. The `repr` shows neither."""

    codes: Mapping[str, str]
    """Original code -> pseudonymous code."""
    names: Mapping[str, PseudonymousName]
    """Original code -> pseudonymous names; empty where the kind has codes alone."""
    legal: Mapping[str, str]
    """Original legal name -> pseudonymous one; if several companies share a name, that of the smallest code."""
    aliases: Mapping[str, str]
    """Original alias -> pseudonymous one."""
    listed: Mapping[str, str] = field(default_factory=dict)
    """Original code -> original legal name."""
    owners: pl.DataFrame = field(default_factory=_OWNERS.to_frame)
    """`code, alias, kind`, sorted by code: the original code of each company that has an alias."""
    former: Collection[str] = ()
    """The aliases that are former names."""
    kind: Entities | None = None
    """The kind of entity, as declared."""
    further: Mapping[str, "Pseudonyms"] = field(default_factory=dict)
    """Pseudonyms of further kinds, by kind; only in those of the main kind."""

    def of(self, kind: str) -> "Pseudonyms":
        """Return the pseudonyms of a kind of entity, the main one for the empty name."""
        return self.further[kind] if kind else self

    def frame(self) -> pl.DataFrame:
        """Return the map as `kind, original, pseudonym`, sorted, for the curator's sealed copy."""
        rows = [row for each in (self, *self.further.values()) for row in each.rows()]
        return pl.DataFrame(rows, schema=_MAP, orient="row").sort("kind", "original")

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield kind, original and pseudonym of this kind's codes, names and aliases, and the name of each code."""
        names = {code: name.legal for code, name in self.names.items()}
        of_kind = {"code": self.codes, "name": self.legal, "alias": self.aliases, NAME_OF_CODE: names}
        for what, pairs in of_kind.items():
            kind = self.kind.label(what) if self.kind else what
            yield from ((kind, original, pseudonym) for original, pseudonym in pairs.items())

    @cached_property
    def mentions(self) -> dict[str, str]:
        """Return the replacement of each legal name and alias in prose, and in columns without a code.

        A legal name, present or former, without its legal form is one more alias if it is nobody else's and no table lists it.
        """
        named = {name: self.aliases[name] for name in self.former} | dict(self.legal)
        # Later entries of the result win: a listed alias or legal name beats a part that reads the same.
        parts = {part: without_legal_form(to) or to for name, to in named.items() if (part := without_legal_form(name))}
        return {**parts, **self.aliases, **self.legal}

    def terms(self) -> tuple[Term, ...]:
        """Return what is searched for in prose: names and aliases of every kind, and codes whose forms are not declared."""
        return tuple(term for each in (self, *self.further.values()) for term in each.terms_of_kind())

    def terms_of_kind(self) -> Iterator[Term]:
        """Yield what is searched for of this kind: every legal name, then every alias, each with its owner's code."""
        is_person = self.kind is not None and self.kind.named == "person"
        for code, listed in self.listed.items():
            name = self.names[code]
            kind = PERSON if is_person else "name"
            yield Term(listed, kind, self.whose(code), name.legal, name.short, name.brand)
        aliases = list(self.aliases.items())
        names = pl.Series("alias", self.aliases.keys(), dtype=pl.String).to_frame().with_row_index("place")
        owned = names.join(self.owners, on="alias", how="left", maintain_order="left_right")
        # Few companies and kinds have all aliases: each is one object.
        for place, code, kind in owned.select("place", "code", "kind").iter_rows():
            (alias, pseudonym), listed_as = aliases[place], PERSON if is_person else intern(kind or "alias")
            yield Term(alias, listed_as, self.whose(intern(code or "")), pseudonym, without_legal_form(pseudonym))
        if self.kind is not None and not (self.kind.code_mention or self.kind.code_examples):
            yield from (Term(code, "code", self.whose(code), to) for code, to in self.code_mentions.items())

    def whose(self, code: str) -> str:
        """Return a code with its kind, so that it differs from equal codes of other kinds."""
        return SEPARATOR.join((self.kind.kind, code)) if self.kind and self.kind.kind else code

    @property
    def code_mentions(self) -> dict[str, str]:
        """Return the replacement of each code that counts as a word of prose: not of short codes, nor of digits alone.

        Three letters count if they are a name (`Yaz`): a capital, small ones, and no ordinary word.
        """
        return {code: to for code, to in self.codes.items() if _is_said(code)}

    def published_names(self) -> pl.DataFrame:
        """Return `code, legal, short, english` of every pseudonym, sorted by code; it holds no original."""
        rows = [(self.codes[code], name.legal, name.short, name.english) for code, name in self.names.items()]
        schema = dict.fromkeys(("code", "legal", "short", "english"), pl.String)
        return pl.DataFrame(rows, schema=schema, orient="row").sort("code")


def _is_said(code: str) -> bool:
    if len(code) < SHORTEST_MENTION:
        return (
            len(code) == SHORTEST_MENTION - 1
            and code.istitle()
            and code.isalpha()
            and code.lower() not in english_words()
        )
    return not code.isdigit()


def code_map(environment: Environment, conformed: Frames, key: Key) -> pl.DataFrame:
    """Return the pseudonym of every code that occurs in the conformed tables, as `kind, original, pseudonym`.

    Args:
        conformed: Conformed tables by name; those without codes may be missing.
        key: Release key.
    """
    known = [(kind, _known_codes(kind, environment, conformed)) for kind in environment.kinds]
    every = {code for _, codes in known for code in codes} | {*direct_identifiers(environment, conformed)["original"]}
    names = _names(environment, conformed)
    rows = [
        (kind.label("code"), *pair)
        for kind, codes in known
        for pair in pseudonymous_codes(
            codes,
            _key_of(kind, key).derive("codes"),
            avoid=codes,
            avoid_whole=every,
            avoid_words=names,
            space=code_space(kind.code_shape),
        ).items()
    ]
    return pl.DataFrame(rows, schema=_MAP, orient="row")


def _names(environment: Environment, conformed: Frames) -> set[str]:
    named = ((table.name, one.name) for table in environment.raw_tables for one in table.of_role(Role.NAME, Role.ALIAS))
    return {name for table, column in named if table in conformed for name in conformed[table][column].drop_nulls()}


def codes_of(map_: pl.DataFrame, kind: Entities) -> dict[str, str]:
    """Return original code -> pseudonym of a kind of entity, from a map of codes or of everything."""
    return dict(map_.filter(pl.col("kind") == kind.label("code")).select("original", "pseudonym").iter_rows())


def pseudonyms(
    environment: Environment, conformed: Frames, key: Key, *, codes: pl.DataFrame | None = None
) -> Pseudonyms:
    """Return the pseudonyms of every entity that occurs in the conformed tables; the codes of one company share its name.

    Args:
        conformed: Conformed tables by name; where the codes are given, those that hold no names may be missing.
        key: Release key.
        codes: The map of codes (`code_map`), made here if None.
    """
    given = code_map(environment, conformed, key) if codes is None else codes
    listed = [_listed(kind, conformed, codes_of(given, kind)) for kind in environment.kinds]
    names = [name for each in listed for name in each.named()]
    main, *further = (_pseudonyms(each, _key_of(each.kind, key), avoid_names=names) for each in listed)
    return replace(main, further={each.kind.kind: each for each in further if each.kind})


def _key_of(kind: Entities, key: Key) -> Key:
    """Return the key of a kind of entity: equal texts of two kinds have different pseudonyms."""
    return key.derive("kind", kind.kind) if kind.kind else key


@dataclass(frozen=True)
class _Listed:
    """All that the tables list of one kind of entity."""

    kind: Entities
    entities: pl.DataFrame
    """Code, name and industry of each entity once, in the order of codes."""
    codes: Mapping[str, str]
    """Every code, also of entities that no table lists, with its pseudonym."""
    aliases: pl.DataFrame
    """`code, alias, kind, ordinal` of every alias."""
    owners: pl.DataFrame
    """`code, alias, kind` of each code that has an alias, sorted by code."""
    company: Mapping[str, str]
    """Code -> smallest code of the same company, if several codes are declared to be one company."""

    def named(self) -> list[str]:
        """Return every name and alias."""
        return [*self.entities["name"].drop_nulls().unique().sort(), *self.aliases["alias"].unique().sort()]


def _listed(kind: Entities, conformed: Frames, codes: Mapping[str, str]) -> _Listed:
    entities = _entities(kind, conformed)
    company = _companies(kind, entities)
    aliases = _aliases(kind, entities, conformed, company)
    owners = _alias_rows(kind, entities, conformed).unique(["code", "alias"], keep="first", maintain_order=True)
    return _Listed(kind, entities, codes, aliases, owners.sort("code"), company)


def _pseudonyms(listed: _Listed, key: Key, *, avoid_names: Collection[str]) -> Pseudonyms:
    kind, entities, codes = listed.kind, listed.entities, listed.codes
    if not kind.name:
        return Pseudonyms(codes, {}, {}, {}, kind=kind)
    of_listed = dict(entities.select(pl.col("code").replace_strict(codes), "industry").fill_null("").iter_rows())
    industries = {code: of_listed.get(code, "") for code in sorted(codes.values())}
    by_pseudonym = _invented(kind, industries, key.derive("names"), avoid_names)
    names = {original: by_pseudonym[codes[listed.company.get(original, original)]] for original in codes}
    # Reversed, so that of several companies with one name the smallest code comes last and wins.
    legal = {name: names[code].legal for code, name, _ in entities.reverse().iter_rows() if name}
    # A former name may not equal anybody's present invented name.
    taken = [*avoid_names, *(name.legal for name in by_pseudonym.values())]
    former = _former_names(listed, codes, industries, key.derive("former names"), taken)
    aliases = _pseudonymous_aliases(listed, names, key.derive("aliases")) | former
    return Pseudonyms(
        codes,
        names,
        legal,
        aliases,
        listed={code: name for code, name, _ in entities.iter_rows() if name},
        owners=listed.owners,
        former=tuple(former),
        kind=kind,
    )


def _invented(
    kind: Entities, industries: Mapping[str, str], key: Key, avoid: Collection[str]
) -> dict[str, PseudonymousName]:
    """Invent names, given industries by pseudonymous code."""
    if kind.named == "person":
        return pseudonymous_persons(industries, key, language=kind.language, avoid=avoid)
    return pseudonymous_names(industries, key, language=kind.language, avoid=avoid, space=code_space(kind.code_shape))


def _former_names(
    listed: _Listed, codes: Mapping[str, str], industries: Mapping[str, str], key: Key, taken: Collection[str]
) -> dict[str, str]:
    """Invent former names like independent names, so that the present pseudonym does not lead to a former one."""
    former: dict[str, str] = {}
    rows = listed.aliases.filter(kind=FORMER)
    for ordinal in range(rows["ordinal"].n_unique()):
        named = rows.filter(pl.col("ordinal") == ordinal, pl.col("code").is_in(list(codes)))
        owners = {codes[code]: alias for code, alias in named.select("code", "alias").iter_rows()}
        of_owners = {code: industries[code] for code in owners}
        names = _invented(listed.kind, of_owners, key.derive(str(ordinal)), [*taken, *former.values()])
        former |= {alias: names[code].legal for code, alias in owners.items()}
    return former


def direct_identifiers(environment: Environment, conformed: Frames) -> pl.DataFrame:
    """Return every value of columns that identify an entity and are never published, as `kind, original`.

    So does what looks like an identifier in other columns (`ALIKE`), if conforming found any.
    """
    columns = [
        conformed[table.name].select(original=pl.col(column.name).cast(pl.String))
        for table in environment.raw_tables
        if table.name in conformed
        for column in table.of_role(Role.IDENTIFIER)
    ]
    columns += [frame.select(original=ALIKE) for frame in conformed.values() if ALIKE in frame.columns]
    found = pl.concat([pl.DataFrame(schema={"original": pl.String}), *columns]).drop_nulls().unique().sort("original")
    return found.select(pl.lit("identifier").alias("kind"), "original")


def _entities(kind: Entities, conformed: Frames) -> pl.DataFrame:
    """Return `code, name, industry` of each entity once, in the order of codes; null names for entities without one."""
    name = pl.col(kind.name) if kind.name else pl.lit(None, pl.String)
    columns = {"code": pl.col(kind.code), "name": name, "industry": pl.col(kind.industry)}
    tables = [conformed[table].select(**columns) for table in kind.tables if table in conformed]
    empty = pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    return pl.concat([empty, *tables]).unique("code", keep="first", maintain_order=True).sort("code")


def _companies(kind: Entities, entities: pl.DataFrame) -> dict[str, str]:
    """Return code -> smallest code of the same company, if several codes are declared to be one company."""
    if kind.same_name != "one company":
        return {}
    named = entities.filter(pl.col("name").is_not_null())
    normal = named.select("code", normal=normal_form(named["name"])).filter(pl.col("normal") != "")
    return dict(normal.select("code", pl.col("code").min().over("normal").alias("company")).iter_rows())


def _known_codes(kind: Entities, environment: Environment, conformed: Frames) -> list[str]:
    columns = [
        conformed[table.name][column.name].drop_nulls().cast(pl.String).alias("code")
        for table in environment.raw_tables
        if table.name in conformed
        for column in table.of_role(Role.CODE, of=kind.kind)
    ]
    return pl.concat(columns).unique().sort().to_list() if columns else []


def _aliases(kind: Entities, entities: pl.DataFrame, conformed: Frames, company: Mapping[str, str]) -> pl.DataFrame:
    """Return `code, alias, kind, ordinal` of every alias; the ordinal counts within one company and kind."""
    listed = _alias_rows(kind, entities, conformed).unique("alias", keep="first", maintain_order=True)
    ordinal = pl.int_range(pl.len()).over("code", "kind", order_by="alias")
    listed = listed.with_columns(pl.col("code").replace(dict(company)))
    return listed.with_columns(ordinal.alias("ordinal")).sort("code", "kind", "ordinal")


def _alias_rows(kind: Entities, entities: pl.DataFrame, conformed: Frames) -> pl.DataFrame:
    """Return `code, alias, kind` as the sources have them, one after the other."""
    sources = [_rows_of(source, entities, conformed) for source in kind.aliases if source.table in conformed]
    return pl.concat([_OWNERS.to_frame(), *sources]).drop_nulls()


def _rows_of(source: AliasSource, entities: pl.DataFrame, conformed: Frames) -> pl.DataFrame:
    kind = pl.col(source.kind) if source.kind else pl.lit(source.only_kind)
    rows = conformed[source.table]
    if source.code:
        return rows.select(code=pl.col(source.code), alias=pl.col(source.alias), kind=kind)
    of_name = entities.select("name", "code").unique("name", keep="first")
    named = rows.select(name=pl.col(source.name), alias=pl.col(source.alias), kind=kind)
    return named.join(of_name, on="name").select("code", "alias", "kind")


def _pseudonymous_aliases(listed: _Listed, names: Mapping[str, PseudonymousName], key: Key) -> dict[str, str]:
    """Return the aliases under the present name; former names are not among them."""
    industries = {code: industry for code, _, industry in listed.entities.iter_rows()}
    rows = listed.aliases.filter(pl.col("kind") != FORMER)
    if listed.kind.named == "person" and (strange := sorted(set(rows["kind"]) - set(OF_PEOPLE))):
        raise InputError.unknown("kind of alias of a person", strange[0], OF_PEOPLE)
    return {
        alias: pseudonymous_alias(kind, names[code], industries.get(code) or "", ordinal, key)
        for code, alias, kind, ordinal in rows.iter_rows()
        if code in names
    }
