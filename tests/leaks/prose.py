"""Leaks of prose: ways in which what identifies a shop can be written in a published text that nothing replaced."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import polars as pl

from pipeline.model import Column, Environment, Frames, Role
from tests.leaks.bakers import SHOPS, joined, with_table
from tests.leaks.leak import Check, Declare, Leak, Spoil

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


def _told_in_a_story(name: str, does: str, of: Callable[[Frames], str], declare: Declare | None = None) -> Leak:
    leak = Leak(name=name, does=does, meant=Check.ESCAPES, says="story", spoil=_told(of))
    return replace(leak, declare=declare, raw=_sites) if declare else leak


def _named(form: str) -> Leak:
    write = _FORMS[form]
    does = f"A published text holds a shop's name {form}."
    return _told_in_a_story(f"name {form}", does, lambda conformed: write(conformed["shops"]["name"][7]))


PROSE_LEAKS = (
    *map(_named, _FORMS),
    _told_in_a_story(
        "nickname in a text",
        "A published text holds another name of a shop.",
        lambda conformed: str(conformed["nicknames"]["alias"][7]),
    ),
    _told_in_a_story(
        "code in a text",
        "A published text holds a shop's code.",
        lambda conformed: f"the shop {conformed['shops']['shop'][7]}",
    ),
    _told_in_a_story(
        "code in small letters in a text",
        "A published text holds a shop's code as it is typed.",
        lambda conformed: f"the shop {str(conformed['shops']['shop'][7]).lower()}",
    ),
    _told_in_a_story(
        "identifier in a text",
        "A published text holds the number of a licence.",
        lambda conformed: str(conformed["shops"]["licence"][7]),
    ),
    _told_in_a_story(
        "host in a text",
        "A published text holds the host of a site that no table publishes.",
        lambda _conformed: "ovenhouse7.example",
        _with_sites,
    ),
)
