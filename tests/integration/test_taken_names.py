"""Columns of raw tables may be called like those that the stages use inside; where they cannot, the declaration is refused."""

from pathlib import Path

import pytest

from pipeline.errors import InputError
from pipeline.model import Aggregate, Environment
from tests.integration import taken_names
from tests.integration.conftest import run_silt
from tests.integration.taken_names import EVEN, ODD, write_tables


@pytest.mark.slow
@pytest.mark.parametrize("environment", [EVEN, ODD], ids=["even", "odd"])
def test_columns_with_taken_names_are_built_and_audited(tmp_path: Path, environment: Environment) -> None:
    """Each of the words is an attribute in one of the builds and a measure in the other."""
    write_tables(tmp_path / "raw", environment)
    tables = ["--environment", f"{taken_names.__file__}:{environment.name.upper()}", "--raw", "raw"]
    (tmp_path / "noise.yaml").write_text(f"environment: {environment.name}\nrules: []\n", encoding="utf-8")
    built = run_silt("build", *tables, "--noise", "noise.yaml", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    audited = run_silt("audit", *tables, cwd=tmp_path)
    assert audited.returncode == 0, audited.stderr


@pytest.mark.parametrize("word", ["value", "n", "measure", "len"])
def test_a_group_with_a_taken_name_is_refused(word: str) -> None:
    """While the declaration is loaded, by name, with the names that are taken."""
    with pytest.raises(InputError, match=f"aggregate 'a': '{word}' is what Silt calls .* Taken: .*{word}"):
        Aggregate(name="a", by=(word,))


def test_a_code_and_a_raw_table_with_taken_names_are_refused() -> None:
    """The column of codes stands beside figures, a raw table beside those that the stages make."""
    entities = type(EVEN.entities)(**(vars(EVEN.entities) | {"code": "measure"}))
    with pytest.raises(InputError, match="entities: 'measure' is what Silt calls"):
        Environment(**(vars(EVEN) | {"entities": entities}))
    for name in ("names", "output", "class"):
        table = type(EVEN.raw_tables[0])(**(vars(EVEN.raw_tables[0]) | {"name": name}))
        with pytest.raises(InputError, match=f"raw tables: '{name}' is what Silt calls"):
            Environment(**(vars(EVEN) | {"raw_tables": (table,)}))
