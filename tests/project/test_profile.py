"""Which target of which profile in which `profiles.yml` is used."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from t2s_dbt.errors import AdapterUnsupportedError, ProfileError, ProjectError
from t2s_dbt.project.discover import Flags, find_project
from t2s_dbt.project.profile import Target, read_target
from t2s_dbt.warehouse.budget import Budget
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse

TWO_TARGETS = """
shop:
  target: dev
  outputs:
    dev: {type: duckdb, path: dev.duckdb, schema: dev_schema}
    prod: {type: duckdb, path: prod.duckdb}
other:
  outputs:
    default: {type: duckdb, path: other.duckdb}
"""


def _write(folder: Path, profiles: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "profiles.yml").write_text(profiles, encoding="utf-8")
    return folder


def _named(name: str) -> str:
    return f"shop:\n  outputs:\n    default: {{type: duckdb, path: {name}.duckdb}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project folder, without any profiles."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "dbt_project.yml").write_text("name: shop\nprofile: shop\n", encoding="utf-8")
    return project.resolve()


def _target(
    folder: Path,
    *,
    start: Path | None = None,
    flags: Flags | None = None,
    environment: Mapping[str, str] | None = None,
) -> Target:
    environment = {"HOME": str(folder.parent / "home"), **(environment or {})}
    flags = flags or Flags()
    project = find_project(folder, flags, environment)
    return read_target(project, start or folder, flags, environment)


def test_profiles_are_looked_for_in_the_documented_order(folder: Path, tmp_path: Path) -> None:
    start = folder / "models"
    flagged = _write(tmp_path / "flagged", _named("flagged"))
    variable = _write(tmp_path / "variable", _named("variable"))
    _write(start, _named("start"))
    _write(folder, _named("project"))
    _write(tmp_path / "home" / ".dbt", _named("home"))
    environment = {"DBT_PROFILES_DIR": str(variable)}
    flags = Flags(profiles_dir=flagged)

    assert _target(folder, start=start, flags=flags, environment=environment).database == "flagged"
    assert _target(folder, start=start, environment=environment).database == "variable"
    assert _target(folder, start=start).database == "start"
    (start / "profiles.yml").unlink()
    assert _target(folder, start=start).database == "project"
    (folder / "profiles.yml").unlink()
    assert _target(folder, start=start).database == "home"


def test_a_profiles_dir_without_the_file_is_not_passed_over(folder: Path, tmp_path: Path) -> None:
    _write(folder, _named("project"))
    with pytest.raises(ProfileError, match="nowhere"):
        _target(folder, flags=Flags(profiles_dir=tmp_path / "nowhere"))


def test_no_profiles_at_all_names_the_places(folder: Path) -> None:
    with pytest.raises(ProfileError) as caught:
        _target(folder)
    assert str(folder) in str(caught.value)
    assert ".dbt" in str(caught.value)


def test_profile_is_flag_then_variable_then_file(folder: Path) -> None:
    _write(folder, TWO_TARGETS.replace("other:", "third: {outputs: {default: {}}}\nother:"))
    environment = {"DBT_PROFILE": "third"}
    assert _target(folder, flags=Flags(profile="other"), environment=environment).profile == "other"
    assert _target(folder, environment=environment).profile == "third"
    assert _target(folder).profile == "shop"


def test_target_is_flag_then_variable_then_profile(folder: Path) -> None:
    _write(folder, TWO_TARGETS)
    environment = {"DBT_TARGET": "prod"}
    assert _target(folder, flags=Flags(target="dev"), environment=environment).name == "dev"
    assert _target(folder, environment=environment).name == "prod"
    assert _target(folder).name == "dev"
    assert _target(folder, flags=Flags(profile="other")).name == "default"


def test_schema_is_the_outputs_or_main(folder: Path) -> None:
    _write(folder, TWO_TARGETS)
    assert _target(folder).schema == "dev_schema"
    assert _target(folder, flags=Flags(target="prod")).schema == "main"


def test_a_missing_profile_suggests_the_nearest(folder: Path) -> None:
    _write(folder, TWO_TARGETS)
    with pytest.raises(ProfileError, match="'shopp'") as caught:
        _target(folder, flags=Flags(profile="shopp"))
    assert "'shop'" in caught.value.hint


def test_a_missing_target_suggests_the_nearest_or_lists_them(folder: Path) -> None:
    _write(folder, TWO_TARGETS)
    with pytest.raises(ProfileError, match="'prd'") as caught:
        _target(folder, flags=Flags(target="prd"))
    assert "'prod'" in caught.value.hint
    with pytest.raises(ProfileError) as caught:
        _target(folder, flags=Flags(target="zzz"))
    assert "dev, prod" in caught.value.hint


def test_a_project_without_a_profile_is_said(folder: Path) -> None:
    (folder / "dbt_project.yml").write_text("name: shop\n", encoding="utf-8")
    _write(folder, TWO_TARGETS)
    with pytest.raises(ProfileError, match="names no profile"):
        _target(folder)


def test_env_var_is_rendered_and_a_missing_one_is_named(folder: Path) -> None:
    _write(folder, _named("\"{{ env_var('WHERE') }}/a\"").replace('a".duckdb', 'a.duckdb"'))
    assert _target(folder, environment={"WHERE": "sub"}).databases == {
        "a": str(folder / "sub" / "a.duckdb")
    }
    with pytest.raises(ProjectError, match="WHERE"):
        _target(folder)


def test_only_the_chosen_output_needs_its_variables(folder: Path) -> None:
    text = TWO_TARGETS.replace("path: prod.duckdb", "path: \"{{ env_var('PROD_PATH') }}\"")
    _write(folder, text)
    assert _target(folder).name == "dev"
    with pytest.raises(ProjectError, match="PROD_PATH"):
        _target(folder, flags=Flags(target="prod"))


def test_a_number_filter_in_an_env_var_is_understood(folder: Path) -> None:
    _write(
        folder,
        _named("a").replace("{type", "{threads: \"{{ env_var('T','2') | as_number }}\", type"),
    )
    assert _target(folder).database == "a"


def test_a_relative_path_belongs_to_the_project_folder(folder: Path) -> None:
    _write(folder, TWO_TARGETS)
    below = folder / "models"
    below.mkdir()
    target = _target(folder, start=below)
    assert target.databases == {"dev": str(folder / "dev.duckdb")}
    assert target.database == "dev"


def test_attached_databases_have_their_alias_or_their_files_name(folder: Path) -> None:
    _write(
        folder,
        """
shop:
  outputs:
    default:
      type: duckdb
      path: main_one.duckdb
      attach:
        - {path: side.duckdb, alias: aside}
        - {path: sub/plain.duckdb}
        - text_only.duckdb
""",
    )
    target = _target(folder)
    assert target.database == "main_one"
    assert target.databases == {
        "main_one": str(folder / "main_one.duckdb"),
        "aside": str(folder / "side.duckdb"),
        "plain": str(folder / "sub" / "plain.duckdb"),
        "text_only": str(folder / "text_only.duckdb"),
    }


@pytest.mark.parametrize("path", ["md:shop", "motherduck:shop", ":memory:"])
def test_a_place_that_is_no_file_is_kept_and_the_warehouse_says_why_not(
    folder: Path, path: str
) -> None:
    _write(folder, _named("x").replace("x.duckdb", f"'{path}'"))
    target = _target(folder)
    assert list(target.databases.values()) == [path]
    with pytest.raises(AdapterUnsupportedError):
        DuckDBWarehouse(target.databases, Budget(1, "1GB", 1, 0))


def test_another_adapter_has_no_files(folder: Path) -> None:
    _write(folder, "shop: {outputs: {default: {type: postgres, dbname: shop, schema: s}}}")
    target = _target(folder)
    assert (target.adapter, target.database, target.databases) == ("postgres", "shop", {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no profiles"),
        ("- shop\n", "holds no profiles"),
        ("shop: 3\n", "is no map"),
        ("shop: {}\n", "no outputs"),
        ("shop: {outputs: []}\n", "no outputs"),
        ("shop: {outputs: {default: 3}}\n", "is no map"),
    ],
)
def test_a_malformed_file_is_said(folder: Path, text: str, said: str) -> None:
    _write(folder, text)
    with pytest.raises(ProfileError, match=said):
        _target(folder)


def test_broken_yaml_names_its_line(folder: Path) -> None:
    _write(folder, "shop:\n  target: x: y\n")
    with pytest.raises(ProfileError) as caught:
        _target(folder)
    assert caught.value.line == 2


def test_not_utf8_is_said(folder: Path) -> None:
    (folder / "profiles.yml").write_bytes(b"shop: caf\xe9\n")
    with pytest.raises(ProfileError, match="UTF-8"):
        _target(folder)
