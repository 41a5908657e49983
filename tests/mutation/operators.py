"""Mutants of a module: its syntax tree with one small thing changed.

What is changed: comparisons (boundary and negation), arithmetic and bit operators, `and` and `or`, `not` and minus,
numbers by one, True and False, bounds of slices, min and max, any and all, sorted and reversed, the first two arguments
of a call (but for min and max), either side of a conditional expression, conditions negated, guards (an `if` that only
raises, returns, continues or breaks) and other statements left out, `return` without its value, break for continue.

What is not: texts, docstrings, annotations and what is imported for them alone, decorators, assertions, what stands in
a `raise`, reprs, `__slots__`, how numbers are formatted, numbers from 10,000 on, which are capacities, and `strict=` of
zip, which is an assertion too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.MatMult: ast.Mult,
}  # fmt: skip
CALLS = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any",
         "argmin": "argmax", "argmax": "argmin", "sorted": "list", "reversed": "list",
         "floor": "ceil", "ceil": "floor"}  # fmt: skip
UNORDERED = ("min", "max", "minimum", "maximum", "isinstance")  # swapped arguments say nothing, or nothing but a crash
CAPACITY = 10_000  # numbers from here on say how much is kept or tried: one more or less is nothing
GUARDS = (ast.Raise, ast.Return, ast.Continue, ast.Break)
Scopes = tuple[ast.FunctionDef | ast.ClassDef, ...]


@dataclass(frozen=True)
class Mutant:
    """A change of a file. `function` is where it is (empty: outside of all), `compiled` whether numba compiles that.

    `body` says whether it is code of a function, not of the module, a class or a default.
    """

    file: str
    line: int
    offset: int  # of the line in its function
    function: str
    compiled: bool
    body: bool
    before: str
    after: str
    number: int  # in the order of `edits`

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What names it after lines have moved."""
        return self.file, self.function, self.before, self.after

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}: {self.before}  ->  {self.after}"


@dataclass(frozen=True)
class Edit:
    """Put `value` at `key` of a node or of a list of nodes."""

    holder: Any
    key: Any
    value: Any
    line: int
    statement: ast.stmt
    scopes: Scopes

    def exchange(self, value: Any) -> Any:
        """Put a value there, and return what was there."""
        if isinstance(self.holder, list):
            old, self.holder[self.key] = self.holder[self.key], value
        else:
            old = getattr(self.holder, self.key)
            setattr(self.holder, self.key, value)
        return old


def mutants(file: str, source: str) -> list[Mutant]:
    """All mutants of a source text, those that come out the same once."""
    made: dict[tuple, Mutant] = {}
    for number, edit in enumerate(edits(ast.parse(source))):
        before = _text(edit.statement)
        old = edit.exchange(edit.value)
        after = _text(edit.value if old is edit.statement else edit.statement)
        edit.exchange(old)
        if after != before:
            function = ".".join(scope.name for scope in edit.scopes)
            compiled = any(map(is_compiled, edit.scopes))
            offset = edit.line - edit.scopes[-1].lineno if edit.scopes else edit.line
            around = [scope for scope in edit.scopes if isinstance(scope, ast.FunctionDef)]
            body = bool(around) and around[0] is not edit.statement
            mutant = Mutant(file, edit.line, offset, function, compiled, body, before, after, number)
            made.setdefault((edit.statement.lineno, before, after), mutant)
    return list(made.values())


def mutated_tree(source: str, mutant: Mutant) -> ast.Module:
    """The syntax tree of a source text with a mutant in it."""
    tree = ast.parse(source)
    edit = list(edits(tree))[mutant.number]
    edit.exchange(edit.value)
    return ast.fix_missing_locations(tree)


def plain(tree: ast.Module) -> ast.Module:
    """The tree with nothing left to compile: its functions run as they are written, with indices checked."""
    for node in ast.walk(tree):
        if is_compiled(node):
            node.decorator_list = []  # type: ignore[attr-defined]
    return tree


def is_compiled(node: ast.AST) -> bool:
    """Whether a function is numba's."""
    return isinstance(node, ast.FunctionDef) and any("njit" in ast.unparse(each) for each in node.decorator_list)


def _text(statement: ast.stmt) -> str:
    """A statement in one line; of one with a body its head, and what follows if that is a single line."""
    lines = ast.unparse(statement).splitlines()
    while lines[0].startswith("@"):
        lines = lines[1:]
    return " ".join(line.strip() for line in (lines if len(lines) == 2 else lines[:1]))


def edits(tree: ast.Module) -> Iterator[Edit]:
    """All edits of a tree, always in the same order."""
    yield from _body(tree.body, ())


def _body(body: list[ast.stmt], scopes: Scopes) -> Iterator[Edit]:
    for i, statement in enumerate(body):
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            continue
        for holder, key, value, line in _of_statement(statement, body, i):
            yield Edit(holder, key, value, line, statement, scopes)
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            if statement.name != "__repr__":
                inside = (*scopes, statement)
                yield from _expressions(statement, inside)
                yield from _body(statement.body, inside)
            continue
        yield from _expressions(statement, scopes)
        for part in ("body", "orelse", "finalbody"):
            yield from _body(getattr(statement, part, []), scopes)
        for handler in getattr(statement, "handlers", []):
            yield from _body(handler.body, scopes)


def _of_statement(node: ast.stmt, body: list[ast.stmt], i: int) -> Iterator[tuple[Any, Any, Any, int]]:
    """What can be done with a whole statement."""
    gone = body, i, ast.copy_location(ast.Pass(), node), node.lineno
    if isinstance(node, ast.Expr):
        if not isinstance(node.value, ast.Constant):
            yield gone
    elif isinstance(node, ast.Assign):
        if all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            yield gone
    elif isinstance(node, ast.AugAssign | ast.Raise | ast.Delete):
        yield gone
    elif isinstance(node, ast.Return):
        if node.value is not None and not isinstance(node.value, ast.Constant):
            yield body, i, ast.copy_location(ast.Return(None), node), node.lineno
    elif isinstance(node, ast.Break | ast.Continue):
        other = ast.Continue() if isinstance(node, ast.Break) else ast.Break()
        yield body, i, ast.copy_location(other, node), node.lineno
    elif isinstance(node, ast.If) and len(node.body) == 1 and isinstance(node.body[0], GUARDS) and not node.orelse:
        yield gone
    if isinstance(node, ast.If | ast.While) and not isinstance(node.test, ast.Compare | ast.BoolOp | ast.UnaryOp):
        yield node, "test", ast.UnaryOp(ast.Not(), node.test), node.lineno
    if isinstance(node, ast.AugAssign) and type(node.op) in OPERATORS:
        yield node, "op", OPERATORS[type(node.op)](), node.lineno


def _expressions(statement: ast.stmt, scopes: Scopes) -> Iterator[Edit]:
    """Edits of the expressions that belong to a statement itself."""
    if isinstance(statement, ast.Assert | ast.Raise | ast.Import | ast.ImportFrom | ast.ClassDef):
        return
    if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]).startswith("__"):
        return
    roots: list[tuple[Any, Any]] = []
    if isinstance(statement, ast.FunctionDef):
        for defaults in (statement.args.defaults, statement.args.kw_defaults):
            roots += [(defaults, i) for i in range(len(defaults))]
    else:
        for field, value in ast.iter_fields(statement):
            if field == "annotation":
                continue
            if isinstance(value, ast.expr):
                roots.append((statement, field))
            elif isinstance(value, list) and value and isinstance(value[0], ast.expr | ast.withitem):
                roots += [(value, i) for i in range(len(value))]
    for holder, key in roots:
        for *edit, line in _walk(holder, key, statement.lineno):
            yield Edit(*edit, line, statement, scopes)  # type: ignore[call-arg]


def _walk(holder: Any, key: Any, line: int) -> Iterator[tuple[Any, Any, Any, int]]:
    node = holder[key] if isinstance(holder, list) else getattr(holder, key)
    if node is None or (isinstance(node, ast.keyword) and node.arg in ("strict", "repr")) or _is_capacity(node):
        return
    line = getattr(node, "lineno", line)
    for edit in _of_expression(node, holder, key):
        yield (*edit, line)
    for field, value in ast.iter_fields(node):
        if field in ("format_spec", "annotation"):
            continue
        if isinstance(value, list):
            for i, each in enumerate(value):
                if isinstance(each, ast.AST):
                    yield from _walk(value, i, line)
        elif isinstance(value, ast.AST):
            yield from _walk(node, field, line)


def _of_expression(node: ast.AST, holder: Any, key: Any) -> Iterator[tuple[Any, Any, Any]]:
    """What can be done with a node of an expression, which stands at `key` of `holder`."""
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            yield from ((node.ops, i, other()) for other in COMPARISONS[type(op)])
    elif isinstance(node, ast.BinOp):
        if not any(_is_text(side) for side in (node.left, node.right)):
            yield node, "op", OPERATORS[type(node.op)]()
    elif isinstance(node, ast.BoolOp):
        yield node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp):
        yield holder, key, node.operand
    elif isinstance(node, ast.Constant):
        values = _other_values(node.value)
        if key == "slice" and isinstance(holder.value, ast.Attribute) and holder.value.attr == "shape":
            values = values[:1]  # of most arrays the first length is the last
        yield from ((holder, key, ast.copy_location(ast.Constant(v), node)) for v in values)
    elif isinstance(node, ast.IfExp):
        yield holder, key, node.body
        yield holder, key, node.orelse
    elif isinstance(node, ast.comprehension):
        for i in range(len(node.ifs)):
            yield node, "ifs", node.ifs[:i] + node.ifs[i + 1 :]
    elif isinstance(node, ast.Slice):
        yield from ((node, bound, None) for bound in ("lower", "upper") if getattr(node, bound) is not None)
    elif isinstance(node, ast.Call):
        yield from _of_call(node, holder, key)


def _of_call(node: ast.Call, holder: Any, key: Any) -> Iterator[tuple[Any, Any, Any]]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in CALLS:
        if CALLS[name] == "list":
            yield holder, key, ast.Call(ast.Name("list", ast.Load()), node.args[:1], [])
        elif isinstance(node.func, ast.Attribute):
            yield node.func, "attr", CALLS[name]
        else:
            yield node.func, "id", CALLS[name]
    first = node.args[:2]
    if len(first) == 2 and name not in UNORDERED and not any(isinstance(each, ast.Starred) for each in first):
        yield node, "args", [first[1], first[0], *node.args[2:]]


def _is_capacity(node: ast.AST) -> bool:
    """Such as 2**18, which is a large number like any other."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Pow | ast.LShift):
        return False
    sides = [side.value for side in (node.left, node.right) if isinstance(side, ast.Constant)]
    return len(sides) == 2 and eval(ast.unparse(node)) >= CAPACITY


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _other_values(value: object) -> list[object]:
    if isinstance(value, bool):
        return [not value]
    return [value + 1, value - 1] if isinstance(value, int | float) and abs(value) < CAPACITY else []
