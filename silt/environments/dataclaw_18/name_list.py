"""A document of names and their translations: its JSON, and the same as rows of which noise may change the translations.

The JSON has fields, each a mapping from a name to its translation, or to a list of several. A row's `item` is the place of one
translation, as a JSON Pointer (RFC 6901) without its leading slash: `companies/京东方`, of the first of several
`companies/京东方/0`. Which names there are belongs to the environments.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial

import polars as pl

from pipeline.model import DocumentRows

ITEM, TRANSLATION = "item", "translation"

_SCHEMA = pl.Schema({ITEM: pl.String, TRANSLATION: pl.String})


def json_text(content: Mapping[str, object]) -> str:
    """Return the JSON that name lists are written in: characters as they are, indented by four."""
    return json.dumps(content, ensure_ascii=False, indent=4) + "\n"


def name_list_rows(*fields: str) -> DocumentRows:
    """Return how a name list is read as rows; `fields` are its own in their order, those without a name as well."""
    return DocumentRows(
        columns=tuple(_SCHEMA), row_key=ITEM, rows=partial(_rows, fields=fields), text=partial(_text, fields=fields)
    )


def _rows(text: str, fields: tuple[str, ...]) -> pl.DataFrame:
    """Return the rows of a name list; raise `ValueError` if it is none, or has other fields."""
    listing = json.loads(text)
    if not isinstance(listing, dict) or tuple(listing) != fields:
        raise ValueError(f"it is no mapping of {', '.join(fields)}")
    rows = [row for field in fields for row in _rows_of_field(field, listing[field])]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _rows_of_field(field: str, names: object) -> Iterator[tuple[str, str | None]]:
    if not isinstance(names, dict):
        raise ValueError(f"its field {field!r} is no mapping")  # noqa: TRY004  (what is wrong is a text, not a type)
    for name, listed in names.items():
        at = _pointer(field, name)
        is_list = isinstance(listed, list) and listed
        for item, one in [(f"{at}/{place}", one) for place, one in enumerate(listed)] if is_list else [(at, listed)]:
            if one == "" or not isinstance(one, str | None):
                raise ValueError(f"what it has at {item} is no translation")
            yield item, one


def _text(rows: pl.DataFrame, fields: tuple[str, ...]) -> str:
    listing: dict[str, dict[str, object]] = {field: {} for field in fields}
    several: dict[tuple[str, str], list[str | None]] = defaultdict(list)
    for item, translation in rows.select(ITEM, TRANSLATION).iter_rows():
        field, name, *place = map(_unescaped, item.split("/"))
        if place:
            several[field, name].append(translation)
        listing[field][name] = several[field, name] if place else translation
    return json_text(listing)


def _pointer(*steps: str) -> str:
    return "/".join(step.replace("~", "~0").replace("/", "~1") for step in steps)


def _unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")
