"""Definitions taken from source files: their text without annotations, their names."""

import ast
import dis
from collections.abc import Iterator, Mapping
from textwrap import dedent
from types import CodeType
from typing import Any

from ludens.errors import GameFileError

Function = ast.FunctionDef | ast.AsyncFunctionDef
Edit = tuple[int, int, bytes]
"""Where a piece begins and ends that goes, in bytes, and what comes instead."""
_KEPT = ("ClassVar", "InitVar", "KW_ONLY")
"""Annotations that mean something to a dataclass."""
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")


class Source:
    """The text of one file, with the place of every definition in it."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self._bytes = text.encode()
        self._tree = ast.parse(text)
        self._lines = [0]  # where each line begins
        for line in self._bytes.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def function(self, code: CodeType, names: Mapping[str, Any]) -> str:
        """Return a function by its code, without decorators and annotations.

        Statements `if NAME:` go as well where `names` say that the name is False.
        """
        for node in ast.walk(self._tree):
            if isinstance(node, Function) and node.name == code.co_name:
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                if first == code.co_firstlineno:
                    dead = list(self._dead(node, names))
                    return self._text(node, self._lines[node.lineno - 1], dead)
        raise GameFileError(
            f"{self.path}: cannot find the source of {code.co_name}; write it with def"
        )

    def class_(self, name: str) -> str:
        """Return a class with its decorators; a field's annotation is `object`."""
        for node in self._tree.body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                return self._text(node, self._lines[first - 1], [])
        raise GameFileError(f"{self.path}: cannot find the source of class {name}")

    def import_of(self, name: str) -> str | None:
        """Return the statement that imports a name, None if there is none."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    if name == (alias.asname or alias.name.partition(".")[0]):
                        node.names = [alias]
                        return ast.unparse(node)
        return None

    def _text(self, node: Function | ast.ClassDef, begin: int, dead: list[Edit]) -> str:
        """Cut a definition out of the file, by the bytes that Python counts."""
        edits = set(dead)
        for start, end, new in self._edits(node):
            if not any(first <= start < last for first, last, _ in dead):
                edits.add((start, end, new))
        text = self._bytes[: self._at(node.end_lineno, node.end_col_offset)]
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        return dedent(text[begin:].decode()).rstrip()

    def _dead(self, function: Function, names: Mapping[str, Any]) -> Iterator[Edit]:
        """Give the statements that are for other values of an option."""
        nodes = list(ast.walk(function))
        own = {n.id for n in nodes if isinstance(n, ast.Name) and _is_stored(n)}
        for node in nodes:
            body = getattr(node, "body", None)
            body = body if isinstance(body, list) else []  # a lambda's is none
            for statement in body:
                if _is_dead(statement, names, own):
                    begin, end = self._start(statement), self._end(statement)
                    if len(body) == 1:
                        yield begin, end, b"pass"
                    else:
                        yield self._lines[statement.lineno - 1], end + 1, b""

    def _at(self, line: int | None, column: int | None) -> int:
        assert line is not None
        assert column is not None
        return self._lines[line - 1] + column

    def _start(self, node: ast.expr | ast.stmt | ast.arg) -> int:
        return self._at(node.lineno, node.col_offset)

    def _end(self, node: ast.expr | ast.stmt | ast.arg) -> int:
        return self._at(node.end_lineno, node.end_col_offset)

    def _edits(self, node: ast.AST) -> Iterator[Edit]:
        """Give what removes annotations."""
        for inner in ast.walk(node):
            if isinstance(inner, Function):
                yield from self._signature_edits(inner)
                for part in ast.walk(inner):
                    if isinstance(part, ast.AnnAssign) and part.value is not None:
                        yield self._end(part.target), self._end(part.annotation), b""
                    elif isinstance(part, ast.AnnAssign):
                        yield self._start(part), self._end(part), b"pass"
            elif isinstance(inner, ast.ClassDef):
                for field in inner.body:
                    if isinstance(field, ast.AnnAssign) and not _is_kept(field):
                        of = field.annotation
                        yield self._start(of), self._end(of), b"object"

    def _signature_edits(self, function: Function) -> Iterator[Edit]:
        for argument, default in _arguments(function.args):
            if argument.annotation is None:
                continue
            begin = self._start(argument) + len(argument.arg.encode())
            end = self._end(argument)
            if default is None:
                yield begin, end, b""
            else:
                between = self._bytes[end : self._start(default)].partition(b"=")[2]
                yield begin, self._start(default), b"=" + between.lstrip()
        if function.returns is not None:
            arrow = self._bytes.rindex(b"->", 0, self._start(function.returns))
            begin = len(self._bytes[:arrow].rstrip())
            yield begin, self._bytes.index(b":", self._end(function.returns)), b""


def _arguments(given: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Give each argument of a function with its default."""
    plain = [*given.posonlyargs, *given.args]
    missing = [None] * (len(plain) - len(given.defaults))
    yield from zip(plain, [*missing, *given.defaults], strict=True)
    yield from zip(given.kwonlyargs, given.kw_defaults, strict=True)
    yield from ((more, None) for more in (given.vararg, given.kwarg) if more)


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _is_dead(statement: ast.stmt, names: Mapping[str, Any], own: set[str]) -> bool:
    """Tell whether a statement is `if NAME:`, without else, where the name is False."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return False
    test = statement.test
    is_name = isinstance(test, ast.Name) and test.id not in own
    return is_name and names.get(test.id) is False  # type: ignore[attr-defined]


def _is_kept(field: ast.AnnAssign) -> bool:
    return any(word in ast.unparse(field.annotation) for word in _KEPT)


def loaded_names(text: str) -> list[str]:
    """Return the names that a definition looks up outside of itself, in order."""
    code = compile(text, "<definition>", "exec", dont_inherit=True)
    return sorted(name for name in _loads(code) if not name.startswith("__"))


def _loads(code: CodeType) -> set[str]:
    steps = list(dis.get_instructions(code))
    own = {step.argval for step in steps if step.opname == "STORE_NAME"}
    found = {step.argval for step in steps if step.opname in _LOADS} - own
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return found.union(*map(_loads, inner))


def imported_modules(text: str) -> set[str]:
    """Return the modules that a definition imports itself."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." * node.level + (node.module or ""))
    return found
