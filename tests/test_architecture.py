"""The layers and owners of the design, read from the code's own imports."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "t2s_dbt"

LAYERS = {
    "errors": 1,
    "version": 1,
    "cleaning": 2,
    "names": 2,
    "yamlfiles": 2,
    "kinds": 2,
    "catalog": 2,
    "flow": 2,
    "reading": 2,
    "ports": 2,
    "config": 2,
    "project": 3,
    "linking": 3,
    "metrics": 3,
    "generation": 3,
    "guard": 3,
    "warehouse": 3,
    "repair": 3,
    "answering": 3,
    "stores": 3,
    "assistant": 4,
    "evaluation": 4,
    "opening": 5,
    "__init__": 6,
    "cli": 7,
    "__main__": 8,
}
NOUNS = 2  # the nouns, values and protocols of layer 2 are made of one another, without a cycle
OWNERS = {
    "metricflow": {"metrics"},
    "metricflow_semantics": {"metrics"},
    "dbt": set(),
    "anthropic": set(),
    "openai": set(),
    "sentence_transformers": set(),
    "streamlit": set(),
    "ruamel": set(),
    "sqlglot": {"guard", "generation", "project"},
    "duckdb": {"warehouse"},
    "typer": {"cli"},
    "click": {"cli"},
    "rich": {"cli"},
}
MOST_LINES, MOST_FUNCTION_LINES = 400, 60


def _modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def _part(path: Path) -> str:
    """The part of the design that a file belongs to: its top folder, or its own name."""
    relative = path.relative_to(PACKAGE)
    return relative.parts[0].removesuffix(".py")


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            yield node.module or ""


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down_only(path: Path) -> None:
    part = _part(path)
    for name in _imports(path):
        pieces = name.split(".")
        if pieces[0] != "t2s_dbt" or len(pieces) == 1 or pieces[1] in (part, "version"):
            continue
        other = pieces[1]
        assert other in LAYERS, f"{other} has no layer"
        below = LAYERS[other] < LAYERS[part] or LAYERS[other] == LAYERS[part] == NOUNS
        assert below, f"{part} (layer {LAYERS[part]}) imports {other} (layer {LAYERS[other]})"


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_packages_at_an_edge_have_their_owner(path: Path) -> None:
    for name in _imports(path):
        owners = OWNERS.get(name.split(".")[0])
        assert owners is None or _part(path) in owners, f"{path} imports {name}"


def test_only_the_guard_can_seal_a_query() -> None:
    users = {_part(path) for path in _modules() if "GUARD_SEAL" in path.read_text(encoding="utf-8")}
    assert users == {"flow", "guard"}


def test_the_environment_is_read_at_the_edge_only() -> None:
    readers = {
        str(path.relative_to(PACKAGE))
        for path in _modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
    }
    assert readers == {"opening.py", "cli/debug.py"}


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
            # A command's flags are parameters, a line each, and no logic.
            first = node.body[0].lineno
            assert node.end_lineno - first < MOST_FUNCTION_LINES, f"{node.name} is too long"


def test_no_cycles_between_modules() -> None:
    graph = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): {
            name for name in _imports(path) if name.startswith("t2s_dbt")
        }
        for path in _modules()
    }
    done: set[str] = set()

    def visit(module: str, above: tuple[str, ...]) -> None:
        assert module not in above, f"import cycle: {' -> '.join((*above, module))}"
        if module in done or module not in graph:
            return
        for imported in graph[module]:
            visit(imported, (*above, module))
        done.add(module)

    for module in graph:
        visit(module, ())
