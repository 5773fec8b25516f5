"""Mutations that follow from the syntax tree of a module: one expression or statement of it becomes another.

They are made here because packages that do so leave out what matters most: mutmut 3 changes nothing outside of functions and
nothing decorated (limits, properties, locks: a tenth of all), and cosmic-ray 8 neither leaves out statements nor changes texts,
which are the purposes of keys.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from itertools import chain

OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
"""What stands for each operator."""

_TWINS = (
    *(("all", "any"), ("min", "max"), ("minimum", "maximum"), ("first", "last"), ("head", "tail"), ("lower", "upper")),
    *(("startswith", "endswith"), ("union", "intersection"), ("removeprefix", "removesuffix")),
)
TWINS = {**dict(_TWINS), **{second: first for first, second in _TWINS}}
"""Functions of which one may stand where the other belongs."""

UNSWAPPED = frozenset({"isinstance", "min", "max", "minimum", "maximum", "max_horizontal", "min_horizontal"})
"""Functions whose arguments stay: the order of some does not matter, and that of the other is seen at once."""

_SENTENCE = 4
"""Words of a text that people read: of messages, tests say what must stand in them."""

_LONGEST = 160
"""Characters of what is told of an expression."""


@dataclass(frozen=True)
class Mutation:
    """A change of a module's text."""

    text: str
    """Where it is and what becomes of what; no two of a module have the same."""
    start: int
    end: int
    """Where the old text begins and ends, in bytes."""
    new: str

    def applied(self, source: bytes) -> bytes:
        """Return the source with the change."""
        return source[: self.start] + self.new.encode() + source[self.end :]


def mutations(source: bytes) -> list[Mutation]:
    """Return all mutations of a module, in the order of its text."""
    lines = source.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines))]
    told = [line.decode().strip() for line in lines]
    made = sorted(_below(ast.parse(source), "", starts, told), key=lambda each: (each.start, each.end, each.new))
    seen = Counter[str]()
    numbered = []
    for each in made:
        seen[each.text] += 1
        numbered.append(replace(each, text=f"{each.text} ({seen[each.text]})") if seen[each.text] > 1 else each)
    return numbered


def _below(node: ast.AST, where: str, starts: list[int], lines: list[str]) -> Iterator[Mutation]:
    """Yield the mutations of a node and of what is below it; `where` names the function or class around."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        where = f"{where}.{node.name}".lstrip(".")
    for old, new in chain(_of_expression(node), _of_call(node), _of_statement(node)):
        assert isinstance(old, ast.expr | ast.stmt)
        assert old.end_lineno is not None
        assert old.end_col_offset is not None
        # What is long is a chain of calls, of which the last one changes.
        before, after = (" ".join(ast.unparse(each).split())[-_LONGEST:] for each in (old, new))
        around = f" in {lines[old.lineno - 1]}" if isinstance(old, ast.Constant) else ""
        yield Mutation(
            f"{where or 'module'}: {before} -> {after}{around}",
            starts[old.lineno - 1] + old.col_offset,
            starts[old.end_lineno - 1] + old.end_col_offset,
            ast.unparse(new) if isinstance(new, ast.stmt) else f"({ast.unparse(new)})",
        )
    yield from chain.from_iterable(_below(child, where, starts, lines) for child in _inner(node))


def _of_expression(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield operators, constants and conditions with what becomes of them."""
    match node:
        case ast.Compare(ops=[operator]):
            yield node, _with(node, ops=[OPERATORS[type(operator)]()])
        case ast.BinOp(op=operator) | ast.BoolOp(op=operator) if type(operator) in OPERATORS:
            yield node, _with(node, op=OPERATORS[type(operator)]())
        case ast.UnaryOp(operand=operand):
            yield node, operand
        case ast.Constant(value=value):
            yield from ((node, ast.Constant(other)) for other in _others(value))
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.comprehension(ifs=[test, *_]):
            # Conditions of other kinds have mutations of their own.
            if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
                yield test, ast.UnaryOp(ast.Not(), test)


def _of_call(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield calls with the first two arguments swapped, and with the function's twin."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in UNSWAPPED:
            pass
        case ast.Call(args=[first, second, *others]) if ast.dump(first) != ast.dump(second):
            if not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred):
                yield node, _with(node, args=[second, first, *others])
    match node:
        case ast.Call(func=ast.Attribute(attr=name) as function) if name in TWINS:
            yield node, _with(node, func=_with(function, attr=TWINS[name]))
        case ast.Call(func=ast.Name(id=name)) if name in TWINS:
            yield node, _with(node, func=ast.Name(TWINS[name]))


def _of_statement(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield statements that are left out."""
    match node:
        case ast.Expr(value=ast.Constant()):
            return
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            yield node, ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield node, ast.Pass()


def _others(value: object) -> Iterator[bool | float | str | bytes]:
    match value:
        case bool():
            yield not value
        case int() | float():
            yield value + 1
        case str() if len(value.split()) < _SENTENCE:
            yield f"{value}!"
        case bytes():
            yield value + b"!"


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _inner(node: ast.AST) -> Iterable[ast.AST]:
    """Return what is below a node, without what only people and type checkers read."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.JoinedStr() | ast.Import() | ast.ImportFrom() | ast.Raise():
            return ()
        case ast.FunctionDef(args=arguments, body=body):
            return [each for each in (*arguments.defaults, *arguments.kw_defaults, *body) if each]
        case ast.ClassDef(body=body):
            return body
        case ast.AnnAssign(value=value):
            return [value] if value else []
        case ast.Call(func=ast.Name(id="cast" | "TypeVar")):
            return ()
    return ast.iter_child_nodes(node)
