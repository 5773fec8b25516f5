"""Leaks of prose: ways in which what identifies a shop can be written in a published text that nothing replaced."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import polars as pl

from pipeline.environment.model import Column, Environment, Frames, Role
from tests.leaks.bakers import SHOPS, joined, with_table
from tests.leaks.leak import Check, Leak, Spoil

_FORMS: Mapping[str, Callable[[str], str]] = {
    "as it is listed": str,
    "in capitals": str.upper,
    "in small letters": str.lower,
    "without its legal form": lambda name: name.removesuffix(" Ltd"),
    "with another legal form": lambda name: f"{name.removesuffix(' Ltd')} Limited",
    "with a full stop behind its legal form": lambda name: f"{name}.",
    "with a sign for a word": lambda name: name.replace(" and ", " & "),
    "with hyphens for blanks": lambda name: name.replace(" ", "-"),
    "in one word": lambda name: name.replace(" ", ""),
    "with more blanks": lambda name: name.replace(" ", "   "),
    "in wide letters": lambda name: "".join(chr(ord(one) + 0xFEE0) if one.isalnum() else one for one in name),
    "with accents": lambda name: name.replace("e", "é").replace("o", "ö"),
    "with unseen characters": lambda name: name.replace(" ", "\u200b "),
    "in letters of HTML": lambda name: "".join(f"&#{ord(one)};" for one in name),
    "as its genitive": lambda name: f"{name.removesuffix(' Ltd')}'s",
}
"""How a name can be written."""


def _told(of: Callable[[Frames], str]) -> Spoil:
    """Publish, instead of the first story, one that says what is found in the originals."""

    def spoil(
        anonymised: Mapping[str, pl.DataFrame], conformed: Frames, _codes: Mapping[str, str]
    ) -> Mapping[str, pl.DataFrame]:
        stories = anonymised["stories"]
        is_first = pl.int_range(pl.len()) == 0
        says = pl.lit(f"In town they speak of {of(conformed)} and its rolls.")
        told = stories.with_columns(story=pl.when(is_first).then(says).otherwise("story"))
        return dict(anonymised) | {"stories": told}

    return spoil


def _with_sites(environment: Environment) -> Environment:
    """Let shops have a site that is never published."""
    sites = (*SHOPS.columns, Column(name="site", role=Role.IDENTIFIER))
    return with_table(environment, replace(SHOPS, columns=sites))


def _sites(tables: Frames) -> Mapping[str, pl.DataFrame]:
    number = pl.int_range(pl.len()).cast(pl.String)
    return joined(tables, "shops", "site", "http://www.ovenhouse" + number + ".example/about")


def _named(form: str) -> Leak:
    write = _FORMS[form]
    return Leak(
        name=f"name {form}",
        does=f"A published text holds a shop's name {form}.",
        meant=Check.ESCAPES,
        says="story",
        spoil=_told(lambda conformed: write(conformed["shops"]["name"][7])),
    )


PROSE_LEAKS = (
    *map(_named, _FORMS),
    Leak(
        name="nickname in a text",
        does="A published text holds another name of a shop.",
        meant=Check.ESCAPES,
        says="story",
        spoil=_told(lambda conformed: str(conformed["nicknames"]["alias"][7])),
    ),
    Leak(
        name="code in a text",
        does="A published text holds a shop's code.",
        meant=Check.ESCAPES,
        says="story",
        spoil=_told(lambda conformed: f"the shop {conformed['shops']['shop'][7]}"),
    ),
    Leak(
        name="code in small letters in a text",
        does="A published text holds a shop's code as it is typed.",
        meant=Check.ESCAPES,
        says="story",
        spoil=_told(lambda conformed: f"the shop {str(conformed['shops']['shop'][7]).lower()}"),
    ),
    Leak(
        name="identifier in a text",
        does="A published text holds the number of a licence.",
        meant=Check.ESCAPES,
        says="story",
        spoil=_told(lambda conformed: str(conformed["shops"]["licence"][7])),
    ),
    Leak(
        name="host in a text",
        does="A published text holds the host of a site that no table publishes.",
        meant=Check.ESCAPES,
        says="story",
        declare=_with_sites,
        raw=_sites,
        spoil=_told(lambda _conformed: "ovenhouse7.example"),
    ),
)
