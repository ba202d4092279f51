"""Where the dbt project is, and what its `dbt_project.yml` says."""

from pathlib import Path

import pytest

from t2s_dbt.errors import ProjectError, ProjectNotFoundError
from t2s_dbt.project.discover import Flags, find_project


def _project(folder: Path, text: str = "name: shop\nprofile: shop\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dbt_project.yml").write_text(text, encoding="utf-8")
    return folder


def test_found_upward_from_a_sub_directory(tmp_path: Path) -> None:
    _project(tmp_path)
    below = tmp_path / "models" / "marts"
    below.mkdir(parents=True)
    project = find_project(below, Flags(), {})
    assert (project.folder, project.name, project.profile) == (tmp_path.resolve(), "shop", "shop")


def test_the_nearest_project_wins(tmp_path: Path) -> None:
    _project(tmp_path)
    inner = _project(tmp_path / "inner", "name: inner\n")
    assert find_project(inner, Flags(), {}).name == "inner"


def test_project_dir_flag_beats_the_variable_and_the_working_directory(tmp_path: Path) -> None:
    here, named, flagged = (
        _project(tmp_path / name, f"name: {name}\n") for name in ("here", "named", "flagged")
    )
    environment = {"DBT_PROJECT_DIR": str(named)}
    assert find_project(here, Flags(project_dir=flagged), environment).name == "flagged"
    assert find_project(here, Flags(), environment).name == "named"
    assert find_project(here, Flags(project_dir=Path("../named")), {}).name == "named"


def test_a_project_dir_without_a_project_is_not_searched_upward(tmp_path: Path) -> None:
    _project(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ProjectNotFoundError, match="empty") as caught:
        find_project(tmp_path, Flags(project_dir=tmp_path / "empty"), {})
    assert "--project-dir" in caught.value.hint


def test_no_project_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(ProjectNotFoundError) as caught:
        find_project(tmp_path, Flags(), {})
    assert str(tmp_path.resolve()) in str(caught.value)
    assert caught.value.hint


def test_broken_yaml_names_its_line(tmp_path: Path) -> None:
    _project(tmp_path, "name: shop\nprofile: shop: shop\n")
    with pytest.raises(ProjectError) as caught:
        find_project(tmp_path, Flags(), {})
    assert caught.value.path == tmp_path.resolve() / "dbt_project.yml"
    assert caught.value.line == 2


def test_not_utf8_is_said(tmp_path: Path) -> None:
    (tmp_path / "dbt_project.yml").write_bytes(b"name: caf\xe9\n")
    with pytest.raises(ProjectError):
        find_project(tmp_path, Flags(), {})


@pytest.mark.parametrize("text", ["", "- name\n", "profile: shop\n"])
def test_yaml_that_is_no_project_is_refused(tmp_path: Path, text: str) -> None:
    _project(tmp_path, text)
    with pytest.raises(ProjectError, match="no `name`"):
        find_project(tmp_path, Flags(), {})


def test_target_path_is_flag_then_variable_then_file_then_default(tmp_path: Path) -> None:
    folder = _project(tmp_path, "name: shop\ntarget-path: of_file\n").resolve()
    environment = {"DBT_TARGET_PATH": "of_variable"}
    flags = Flags(target_path=Path("of_flag"))
    assert find_project(folder, flags, environment).target_path == folder / "of_flag"
    assert find_project(folder, Flags(), environment).target_path == folder / "of_variable"
    assert find_project(folder, Flags(), {}).target_path == folder / "of_file"
    _project(tmp_path, "name: shop\n")
    assert find_project(folder, Flags(), {}).target_path == folder / "target"


def test_an_absolute_target_path_stays(tmp_path: Path) -> None:
    folder = _project(tmp_path / "project")
    elsewhere = tmp_path / "elsewhere"
    assert find_project(folder, Flags(target_path=elsewhere), {}).target_path == elsewhere


def test_log_path_is_variable_then_file_then_default(tmp_path: Path) -> None:
    folder = _project(tmp_path, "name: shop\nlog-path: of_file\n").resolve()
    environment = {"DBT_LOG_PATH": "of_variable"}
    assert find_project(folder, Flags(), environment).log_path == folder / "of_variable"
    assert find_project(folder, Flags(), {}).log_path == folder / "of_file"
    _project(tmp_path)
    assert find_project(folder, Flags(), {}).log_path == folder / "logs"


def test_env_var_in_a_path_is_rendered(tmp_path: Path) -> None:
    folder = _project(
        tmp_path, "name: shop\ntarget-path: \"{{ env_var('OUT', 'target') }}_x\"\n"
    ).resolve()
    assert find_project(folder, Flags(), {"OUT": "built"}).target_path == folder / "built_x"
    assert find_project(folder, Flags(), {}).target_path == folder / "target_x"


def test_a_missing_env_var_is_named(tmp_path: Path) -> None:
    _project(tmp_path, "name: shop\ntarget-path: \"{{ env_var('OUT') }}\"\n")
    with pytest.raises(ProjectError, match="OUT"):
        find_project(tmp_path, Flags(), {})


def test_var_comes_from_the_flag(tmp_path: Path) -> None:
    folder = _project(tmp_path, "name: shop\ntarget-path: \"{{ var('where') }}\"\n").resolve()
    assert find_project(folder, Flags(vars={"where": "a"}), {}).target_path == folder / "a"
    with pytest.raises(ProjectError, match="where"):
        find_project(folder, Flags(), {})


@pytest.mark.parametrize("expression", ["{{ env_var( }}", "{{ nothing.at_all }}", "{% if %}"])
def test_a_broken_expression_is_a_project_error(tmp_path: Path, expression: str) -> None:
    _project(tmp_path, f'name: shop\ntarget-path: "{expression}"\n')
    with pytest.raises(ProjectError, match="cannot be rendered"):
        find_project(tmp_path, Flags(), {})


def test_an_expression_cannot_reach_into_python(tmp_path: Path) -> None:
    _project(tmp_path, "name: shop\ntarget-path: \"{{ ''.__class__.__mro__ }}\"\n")
    with pytest.raises(ProjectError):
        find_project(tmp_path, Flags(), {})


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "dbt_project.yml").write_text("name: shop\n", encoding="utf-8-sig")
    assert find_project(tmp_path, Flags(), {}).name == "shop"
