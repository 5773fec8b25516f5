"""How `silt release` makes and opens signing keys: passphrases from a file or from whoever sits at the terminal."""

import argparse
import getpass
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipeline.errors import InputError, KeyFileError
from pipeline.release.provenance.signing_key import key_id, read_public_key, read_signing_key
from pipeline.release.settings import ReleaseSettings
from silt.commands.options import add_settings
from silt.commands.release import signing

WORDS = "correct horse battery staple"

Ask = Callable[..., None]


def options(*arguments: object) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    signing.add_signing(parser)
    add_settings(parser, ReleaseSettings, only=("sign",))
    return parser.parse_args([str(each) for each in arguments])


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words"
    path.write_text(f"{WORDS}\n")
    path.chmod(0o600)
    return path


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Put somebody at the terminal who answers so."""

    def sit(*given: str) -> None:
        waiting: Iterator[str] = iter(given)
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
        monkeypatch.setattr(signing, "getpass", lambda *_: next(waiting))

    return sit


def opened(key: Path, asked: argparse.Namespace) -> str:
    return key_id(read_signing_key(key, signing.passphrase_of(asked, str(key))).public_key())


def test_a_key_without_a_passphrase(tmp_path: Path) -> None:
    """It is said which file to keep and which to publish, and nothing of the key."""
    key = tmp_path / "key"
    told = signing.make(options("--make-signing-key", key))
    name = key_id(read_public_key(tmp_path / "key.pub"))
    assert told == f"{key}: signs releases, keep it; {key}.pub: publish it; its name is {name}"
    assert opened(key, options("--sign", key)) == name


def test_a_passphrase_from_a_file(tmp_path: Path, words: Path) -> None:
    """The line is the passphrase, without its end."""
    key = tmp_path / "key"
    signing.make(options("--make-signing-key", key, "--passphrase-file", words))
    name = key_id(read_public_key(tmp_path / "key.pub"))
    assert opened(key, options("--sign", key, "--passphrase-file", words)) == name
    words.write_text(WORDS)
    assert opened(key, options("--sign", key, "--passphrase-file", words)) == name
    words.write_text("another\n")
    with pytest.raises(KeyFileError, match="the passphrase is wrong") as caught:
        opened(key, options("--sign", key, "--passphrase-file", words))
    assert "another" not in str(caught.value)


def test_a_passphrase_that_is_asked_for(tmp_path: Path, answers: Ask) -> None:
    """A new one is asked for twice, a known one once."""
    key = tmp_path / "key"
    answers(WORDS, WORDS)
    signing.make(options("--make-signing-key", key, "--passphrase"))
    answers(WORDS)
    assert opened(key, options("--sign", key)) == key_id(read_public_key(tmp_path / "key.pub"))


def test_two_different_passphrases_make_nothing(tmp_path: Path, answers: Ask) -> None:
    """Neither stands in the message."""
    answers("first words", "second words")
    with pytest.raises(InputError, match="the two passphrases differ; nothing was made") as caught:
        signing.make(options("--make-signing-key", tmp_path / "key", "--passphrase"))
    assert list(tmp_path.iterdir()) == []
    assert "words" not in str(caught.value)


def test_without_a_terminal_a_file_is_asked_for(tmp_path: Path, words: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for an answer that nobody gives."""
    key = tmp_path / "key"
    signing.make(options("--make-signing-key", key, "--passphrase-file", words))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False)
    monkeypatch.setattr(getpass, "getpass", pytest.fail)
    for ask in (lambda: opened(key, options("--sign", key)), lambda: signing.make(options("--passphrase"))):
        with pytest.raises(KeyFileError, match="no terminal to ask for the passphrase; give --passphrase-file FILE"):
            ask()


def test_passphrase_files_are_their_owners_alone(tmp_path: Path, words: Path) -> None:
    """One that others can read, or that is not there, is refused."""
    words.chmod(0o644)
    with pytest.raises(KeyFileError, match=r"open to group or others.*chmod 600"):
        signing.make(options("--make-signing-key", tmp_path / "key", "--passphrase-file", words))
    with pytest.raises(KeyFileError, match=r"cannot read the passphrase's file .*No such file"):
        signing.make(options("--make-signing-key", tmp_path / "key", "--passphrase-file", tmp_path / "missing"))
