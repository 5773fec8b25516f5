"""Croissant 1.1 (mlcommons.org/croissant): every published file with its digest, and a record set over each.

A document of JSON is one record, its text: Croissant has no words for pairs whose keys are data.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.model import Field
from pipeline.model.schema.types import NAMES
from pipeline.release.layout import OTHER_LICENSE
from pipeline.release.metadata.described import Described, DescribedColumn, DescribedFile, person

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"

_CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context of the specification; readers compare it."""

_TEXT = "text/plain"
"""Says first how a document is read: mlcroissant would take JSON apart, and has no type for what it finds."""

_PAGE = "https://spdx.org/licenses/{}.html"
"""Address of a licence, by its identifier: Croissant asks for one."""

_NO_LICENCE = "none stated"
"""What stands in the place of a licence, which Croissant requires."""


def croissant(described: Described) -> bytes:
    """Return the Croissant description of a release."""
    creators = [
        {"@type": "sc:Person" if person(author) else "sc:Organization", "name": author} for author in described.authors
    ]
    by = f"{'; '.join(described.authors)}: " if described.authors else ""
    content = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": described.name,
        "description": f"{described.title}. {described.means}",
        "version": described.version,
        "datePublished": described.released,
        "license": _licence(described),
        **({"creator": creators} if creators else {}),
        "inLanguage": list(described.languages),
        "citeAs": f"{by}{described.title}, version {described.version}, {described.released}",
        "isLiveDataset": False,
        "distribution": [_file(file) for file in described.files],
        "recordSet": [_record_set(file) for file in described.files],
    }
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()


def asked_in(content: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Return licence and authors that a description states; no name stands for creators that are no list."""
    creators = content.get("creator", [])
    names = tuple(str(each["name"]) for each in creators) if isinstance(creators, list) else ("",)
    return licence_in(content), names


def licence_in(content: Mapping[str, Any]) -> str:
    """Return the licence that a description states; `other` where it states none."""
    head, tail = _PAGE.split("{}")
    stated = str(content.get("license", _NO_LICENCE)).removeprefix(head).removesuffix(tail)
    return OTHER_LICENSE if stated == _NO_LICENCE else stated


def _licence(described: Described) -> str:
    if described.has_no_license:
        return _NO_LICENCE
    return _PAGE.format(described.spdx) if described.spdx else described.license


def _file(file: DescribedFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "contentUrl": file.path,
        "contentSize": f"{file.record.bytes} B",
        "encodingFormat": file.format.media_type if file.format else (_TEXT, file.media[1]),
        "sha256": file.record.sha256,
    }


def _record_set(file: DescribedFile) -> dict[str, Any]:
    about = {"description": file.description} if file.description else {}
    return {"@type": "cr:RecordSet", "@id": file.slug, "name": file.slug} | about | {"field": list(_fields(file))}


def _fields(file: DescribedFile) -> Iterator[dict[str, Any]]:
    if not file.columns:
        yield _field(file, DescribedColumn(field=Field("content")), {"fileProperty": "content"})
    for column in file.columns:
        yield _field(file, column, {"column": column.name})


def _field(file: DescribedFile, column: DescribedColumn, extract: Mapping[str, str]) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{file.slug}/{column.name}",
        "name": column.name,
        **({"description": column.field.words} if column.field.words else {}),
        "dataType": NAMES[column.type].croissant,
        "source": {"fileObject": {"@id": file.path}, "extract": extract},
    }
