"""What `silt release` refuses before it builds, and what first."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from anonymize.keys.key_uses import Use, record_use
from pipeline.keyed import Key
from silt.cli import main
from tests.unit.guess.folders import write

MASTER = Key(bytes(range(32)))


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the command that releases tables under a key that was used for others."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    key = tmp_path / "my.key"
    key.write_text(MASTER.secret.hex())
    key.chmod(0o600)
    record_use(
        key, Use(key=MASTER.fingerprint(), environment="shops", policy="lsd", originals="a" * 64), is_wanted=False
    )
    _write(sales="120")
    assert main(["init", "shops"]) == 0
    given = {"--environment": "shops.py:SHOPS", "--raw": "shops", "--noise": "shops.yaml", "--key-file": "my.key"}
    return ["release", "--version", "1.0.0", *(word for option in given.items() for word in option)]


def _write(*, sales: str) -> None:
    books = f"shop,year,sales\nS1,2023,{sales}\nS2,2023,88\nS3,2023,310\n"
    write(Path("shops"), {"shops": "shop,name\nS1,Miller\nS2,Corner\nS3,Wheel\n", "books": books})


def test_the_key_of_an_earlier_release_is_asked_for_before_anything_is_built(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the same tables under another key: what its links need is known before minutes go into a build."""
    made_of = {file.name: sha256(file.read_bytes()).hexdigest() for file in Path("shops").iterdir()}
    options = {"key_fingerprint": "another", "policy": "lsd", "raw": made_of}
    Path("releases/shops-0.9.0").mkdir(parents=True)
    write(Path("releases/shops-0.9.0.curator"), {"options": ""})
    Path("releases/shops-0.9.0.curator/options.json").write_text(json.dumps(options))
    assert main([*command, "--reuse-key"]) == 2
    assert "of fingerprint another. Give it with --earlier-key FILE" in " ".join(capsys.readouterr().err.split())
    assert not Path("environments/shops/clean").exists()


@pytest.mark.parametrize(
    ("sales", "first"), [("120", "my.key was used for"), ("12o", "books.csv, row 2, column 'sales'")]
)
def test_bad_input_comes_before_a_used_key(
    command: list[str], capsys: pytest.CaptureFixture[str], sales: str, first: str
) -> None:
    """A key is of no use to whoever cannot build."""
    _write(sales=sales)
    assert main(command) == 2
    printed = capsys.readouterr().err
    assert first in printed
    assert ("was used for" in printed) == (sales == "120")
