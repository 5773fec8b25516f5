"""The one map from originals to pseudonyms: every code, name and alias of every table, from the key alone.

`pseudonyms` builds it from the conformed tables; `anonymize/tables.py` applies it; the curator's sealed copy is
`anonymize/identity_map.py`. How a single code or name is made belongs to `codes.py` and `names/`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from anonymize.codes import code_space, pseudonymous_codes
from anonymize.identity_map import NAME_OF_CODE
from anonymize.mentions.forms import Term
from anonymize.mentions.normal_form import normal_form
from anonymize.names import PseudonymousName, pseudonymous_alias, pseudonymous_names
from anonymize.names.legal_forms import without_legal_form
from pipeline.environment.model import AliasSource, Entities, Environment, Frames, Role
from pipeline.keyed import Key


@dataclass(frozen=True, repr=False)
class Pseudonyms:
    """Originals and what replaces them. Its `repr` shows nothing of either."""

    codes: Mapping[str, str]
    """Original code -> pseudonymous code."""
    names: Mapping[str, PseudonymousName]
    """Original code -> pseudonymous names."""
    legal: Mapping[str, str]
    """Original legal name -> pseudonymous one; of several companies that share a name, the one with the smallest code."""
    aliases: Mapping[str, str]
    """Original alias -> pseudonymous one."""
    listed: Mapping[str, str] = field(default_factory=dict)
    """Original code -> original legal name."""
    owners: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    """Original alias -> original code of each company that has it, and its kind."""

    def frame(self) -> pl.DataFrame:
        """Return the map as `kind, original, pseudonym`, sorted: what the curator keeps sealed."""
        names = {code: name.legal for code, name in self.names.items()}
        of_kind = {"code": self.codes, "name": self.legal, "alias": self.aliases, NAME_OF_CODE: names}
        rows = [(kind, original, pseudonym) for kind, pairs in of_kind.items() for original, pseudonym in pairs.items()]
        return pl.DataFrame(rows, schema=["kind", "original", "pseudonym"], orient="row").sort("kind", "original")

    @property
    def mentions(self) -> dict[str, str]:
        """Return what stands for each legal name and alias in prose, and in columns without a code.

        A legal name without its form is one more alias, where it is nobody else's and no table lists it.
        """
        parts = {
            part: without_legal_form(to) or to for name, to in self.legal.items() if (part := without_legal_form(name))
        }
        return {**parts, **self.aliases, **self.legal}

    def terms(self) -> tuple[Term, ...]:
        """Return what is looked for in prose: every legal name, then every alias, each with whose it is."""
        legal = [
            Term(listed, "name", code, name.legal, name.short, name.brand)
            for code, listed in self.listed.items()
            for name in (self.names[code],)
        ]
        aliases = [
            Term(alias, kind, code, pseudonym, without_legal_form(pseudonym))
            for alias, pseudonym in self.aliases.items()
            for code, kind in self.owners.get(alias, (("", "alias"),))
        ]
        return (*legal, *aliases)

    def published_names(self) -> pl.DataFrame:
        """Return `code, legal, short, english` of every pseudonym, sorted by code; no original is in it."""
        rows = [(self.codes[code], name.legal, name.short, name.english) for code, name in self.names.items()]
        return pl.DataFrame(rows, schema=["code", "legal", "short", "english"], orient="row").sort("code")


def pseudonyms(environment: Environment, conformed: Frames, key: Key) -> Pseudonyms:
    """Return the pseudonyms of every entity that occurs in the conformed tables; the codes of one company share its name.

    Args:
        environment: Declares which columns hold codes, names and aliases.
        conformed: Conformed tables by name.
        key: Release key.
    """
    keys = environment.entities
    entities = _entities(keys, conformed)
    company = _companies(keys, entities)
    aliases = _aliases(keys, entities, conformed, company)
    known = _known_codes(environment, conformed)
    avoid = [*entities[keys.name].drop_nulls().unique().sort(), *aliases["alias"].unique().sort()]
    space = code_space(keys.code_shape)
    codes = pseudonymous_codes(known, key.derive("codes"), avoid=known, space=space)
    industries = dict(entities.select(pl.col(keys.code).replace_strict(codes), keys.industry).fill_null("").iter_rows())
    by_pseudonym = pseudonymous_names(
        {code: industries.get(code, "") for code in sorted(codes.values())},
        key.derive("names"),
        language=keys.language,
        avoid=avoid,
        space=space,
    )
    names = {original: by_pseudonym[codes[company.get(original, original)]] for original in codes}
    legal = {name: names[code].legal for code, name, _ in entities.reverse().iter_rows() if name}
    listed = {code: name for code, name, _ in entities.iter_rows() if name}
    owners = {alias: list(zip(codes, kinds, strict=True)) for alias, codes, kinds in _owners(keys, entities, conformed)}
    invented = _pseudonymous_aliases(entities, aliases, names, key.derive("aliases"))
    return Pseudonyms(codes, names, legal, invented, listed, owners)


def direct_identifiers(environment: Environment, conformed: Frames) -> pl.DataFrame:
    """Return every value of the columns that identify and are never published, as `kind, original`."""
    columns = [
        conformed[table.name].select(original=pl.col(column.name).cast(pl.String))
        for table in environment.raw_tables
        if table.name in conformed
        for column in table.of_role(Role.IDENTIFIER)
    ]
    found = pl.concat([pl.DataFrame(schema={"original": pl.String}), *columns]).drop_nulls().unique().sort("original")
    return found.select(pl.lit("identifier").alias("kind"), "original")


def _entities(keys: Entities, conformed: Frames) -> pl.DataFrame:
    """Return code, name and industry of each entity once, in the order of codes."""
    columns = (keys.code, keys.name, keys.industry)
    tables = [conformed[table].select(columns) for table in keys.tables if table in conformed]
    return pl.concat(tables).unique(keys.code, keep="first", maintain_order=True).sort(keys.code)


def _companies(keys: Entities, entities: pl.DataFrame) -> dict[str, str]:
    """Return by code the smallest code of its company, where several codes are declared to be one."""
    if keys.same_name != "one company":
        return {}
    named = entities.filter(pl.col(keys.name).is_not_null())
    normal = named.select(keys.code, normal=normal_form(named[keys.name])).filter(pl.col("normal") != "")
    return dict(normal.select(keys.code, pl.col(keys.code).min().over("normal").alias("company")).iter_rows())


def _known_codes(environment: Environment, conformed: Frames) -> list[str]:
    columns = [
        conformed[table.name][column.name].drop_nulls().cast(pl.String).alias("code")
        for table in environment.raw_tables
        if table.name in conformed
        for column in table.of_role(Role.CODE)
    ]
    return pl.concat(columns).unique().sort().to_list()


def _aliases(keys: Entities, entities: pl.DataFrame, conformed: Frames, company: Mapping[str, str]) -> pl.DataFrame:
    """Return `code, alias, kind, ordinal` of every alias; the ordinal counts those of one company and kind."""
    sources = [_alias_rows(source, keys, entities, conformed) for source in keys.aliases if source.table in conformed]
    empty = pl.DataFrame(schema={"code": pl.String, "alias": pl.String, "kind": pl.String})
    listed = pl.concat([empty, *sources]).drop_nulls().unique("alias", keep="first", maintain_order=True)
    ordinal = pl.int_range(pl.len()).over("code", "kind", order_by="alias")
    listed = listed.with_columns(pl.col("code").replace(dict(company)))
    return listed.with_columns(ordinal.alias("ordinal")).sort("code", "kind", "ordinal")


def _owners(keys: Entities, entities: pl.DataFrame, conformed: Frames) -> Iterator[tuple[str, list[str], list[str]]]:
    """Return each alias with the codes of all that have it, and its kind for each, in the order of codes."""
    sources = [_alias_rows(source, keys, entities, conformed) for source in keys.aliases if source.table in conformed]
    if not sources:
        return iter(())
    pairs = pl.concat(sources).drop_nulls().unique(["code", "alias"], keep="first", maintain_order=True).sort("code")
    return pairs.group_by("alias", maintain_order=True).agg("code", "kind").iter_rows()


def _alias_rows(source: AliasSource, keys: Entities, entities: pl.DataFrame, conformed: Frames) -> pl.DataFrame:
    kind = pl.col(source.kind) if source.kind else pl.lit(source.only_kind)
    rows = conformed[source.table]
    if source.code:
        return rows.select(code=pl.col(source.code), alias=pl.col(source.alias), kind=kind)
    of_name = entities.select(pl.col(keys.name).alias("name"), pl.col(keys.code).alias("code")).unique(
        "name", keep="first"
    )
    named = rows.select(name=pl.col(source.name), alias=pl.col(source.alias), kind=kind)
    return named.join(of_name, on="name").select("code", "alias", "kind")


def _pseudonymous_aliases(
    entities: pl.DataFrame, aliases: pl.DataFrame, names: Mapping[str, PseudonymousName], key: Key
) -> dict[str, str]:
    industries = {code: industry or "" for code, _, industry in entities.iter_rows()}
    return {
        alias: pseudonymous_alias(kind, names[code], industries[code], ordinal, key)
        for code, alias, kind, ordinal in aliases.iter_rows()
        if code in industries
    }
