"""What classes and their fields say about themselves: docstrings of classes, and the strings that stand under fields.

Whoever shows them (`json_schema.py`, `wording.py`) decides how.
"""

import ast
import dataclasses
import functools
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from itertools import pairwise


def summary(documented: type) -> str:
    """Return the first paragraph of a class's docstring as one line."""
    return _paragraph(inspect.getdoc(documented) or "")


def field_docs(documented: type) -> Mapping[str, str]:
    """Return by name what stands under the fields of a class and of those that it inherits from, each as one line."""
    return {
        name: doc for part in reversed(documented.__mro__) if dataclasses.is_dataclass(part) for name, doc in _own(part)
    }


@functools.cache  # Python parses a whole module to find the source of one class
def _own(documented: type) -> tuple[tuple[str, str], ...]:
    return tuple(_below_fields(documented))


def _below_fields(documented: type) -> Iterator[tuple[str, str]]:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(documented))).body
    statements = definition.body if isinstance(definition, ast.ClassDef) else []
    for declared, below in pairwise(statements):
        match declared, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(doc))):
                yield name, _paragraph(inspect.cleandoc(doc))


def _paragraph(doc: str) -> str:
    return " ".join(doc.split("\n\n", maxsplit=1)[0].split())
