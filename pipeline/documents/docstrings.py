"""What stands under the fields of a class: the docstrings of its attributes, which Python itself does not keep.

Read from the source when somebody asks: reading them whenever a class is made takes longer than all that is read with it.
"""

import ast
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path


@cache
def field_docs(documented: type, root: type) -> Mapping[str, str]:
    """Return by name what stands under the fields of a class, and of those above it up to a root; the nearest one wins."""
    above = [base for base in reversed(documented.__mro__) if issubclass(base, root) and base is not root]
    return {name: doc for base in above for name, doc in _own_docs(base)}


def _own_docs(documented: type) -> Iterator[tuple[str, str]]:
    body = _classes_of(inspect.getfile(documented))[documented.__qualname__].body
    for declared, under in pairwise(body):
        match declared, under:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(doc))):
                yield name, inspect.cleandoc(doc)


@cache
def _classes_of(file: str) -> Mapping[str, ast.ClassDef]:
    return dict(_classes(ast.parse(Path(file).read_text(encoding="utf-8")), ""))


def _classes(within: ast.AST, above: str) -> Iterator[tuple[str, ast.ClassDef]]:
    """Yield every class by its qualified name."""
    for node in ast.iter_child_nodes(within):
        match node:
            case ast.ClassDef(name=name):
                yield f"{above}{name}", node
                yield from _classes(node, f"{above}{name}.")
            case ast.FunctionDef(name=name):
                yield from _classes(node, f"{above}{name}.<locals>.")
            case ast.stmt():
                yield from _classes(node, above)
