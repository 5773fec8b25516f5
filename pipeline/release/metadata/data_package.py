"""Data Package (datapackage.org, version 1 of Frictionless Data): every published file with its digest, tables with schemas."""

import json
from collections.abc import Mapping
from typing import Any

from pipeline.model.schema.types import NAMES
from pipeline.release.metadata.described import Described, DescribedColumn, DescribedFile

_FURTHER: Mapping[str, Mapping[str, Any]] = {
    "csv": {"dialect": {"delimiter": ",", "lineTerminator": "\n", "quoteChar": '"', "doubleQuote": True}}
}
"""What else a resource says of its format."""


def data_package(described: Described) -> bytes:
    """Return the description of a release as a Data Package."""
    contributors = [{"title": author, "role": "author"} for author in described.authors]
    content = {
        "name": described.name.lower(),
        "title": described.title,
        "description": described.means,
        "version": described.version,
        "created": f"{described.released}T00:00:00Z",
        **({} if described.has_no_license else {"licenses": [{"name": described.license}]}),
        **({"contributors": contributors} if contributors else {}),
        "resources": [_resource(file) for file in described.files],
    }
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()


def _resource(file: DescribedFile) -> dict[str, Any]:
    about = {"description": file.description} if file.description else {}
    common = {"name": file.slug, "path": file.path} | about
    digest = {"encoding": "utf-8", "bytes": file.record.bytes, "hash": f"sha256:{file.record.sha256}"}
    if file.format is None:
        return common | dict(zip(("format", "mediatype"), file.media, strict=True)) | digest
    return {
        **common,
        "profile": "tabular-data-resource",
        "format": file.format.name,
        "mediatype": file.format.media_type,
        **digest,
        **_FURTHER.get(file.format.name, {}),
        "schema": _schema(file),
    }


def _schema(file: DescribedFile) -> dict[str, Any]:
    keys = [column.name for column in file.columns if column.is_key]
    schema: dict[str, Any] = {
        "fields": [_field(column) for column in file.columns],
        "missingValues": [file.null],
    }
    return schema | ({"primaryKey": keys} if keys else {})


def _field(column: DescribedColumn) -> dict[str, Any]:
    return {"name": column.name, "type": NAMES[column.type].data_package} | (
        {"description": column.field.words} if column.field.words else {}
    )
