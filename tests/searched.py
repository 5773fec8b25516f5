"""The search of a folder for identities, as tests of the search carry it out: by what a variant's files are searched with."""

from collections.abc import Mapping
from pathlib import Path

from validation.escapes import Found, Identifiers, documents_of, merged
from validation.escapes.files import File, SearchTerms, each_once


def search(folder: Path, identities: Identifiers, *, code_columns: Mapping[str, tuple[str, ...]]) -> Found:
    """Search all files below a folder, for codes in their columns of codes, too, which are given by path."""
    files = [File(one, code_columns.get(one.name, ())) for one in documents_of(folder)]
    return merged(files, SearchTerms.of(identities), each_once())
