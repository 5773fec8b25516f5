"""The release key's file: what is read, what is made, what is refused, and that no error shows a key."""

from pathlib import Path

import pytest

from anonymize.keys.release_key import DEMONSTRATION_KEY, ReleaseKey, make_key, of_policy, read_key, release_key
from anonymize.policy import POLICIES
from pipeline.errors import KeyFileError
from pipeline.keyed import Key

DIGITS = "0123456789abcdef" * 4


def write_key(path: Path, content: str = DIGITS + "\n", mode: int = 0o600) -> Path:
    path.write_text(content)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("content", [DIGITS, DIGITS + "\n"])
def test_read_gives_the_key(tmp_path: Path, content: str) -> None:
    """A line of 64 hexadecimal digits, with its line end or without, is the key's 32 bytes."""
    assert read_key(write_key(tmp_path / "key", content)) == Key(bytes.fromhex(DIGITS))


@pytest.mark.parametrize(
    "content",
    ["", DIGITS[1:], DIGITS + "0", DIGITS.upper(), DIGITS + "\n\n", " " + DIGITS, DIGITS[1:] + "ü", DIGITS * 9],
)
def test_other_content_is_refused_and_not_shown(tmp_path: Path, content: str) -> None:
    """Wrong length or characters: the error says the format and no part of the content."""
    with pytest.raises(KeyFileError, match="holds one line of 64 lower-case hexadecimal digits") as caught:
        read_key(write_key(tmp_path / "key", content))
    assert DIGITS[1:9] not in str(caught.value)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o620, 0o601])
def test_key_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    """A file that group or others may touch is refused, with the command that closes it."""
    path = write_key(tmp_path / "key", mode=mode)
    with pytest.raises(KeyFileError, match=f"mode 0{mode:o}.*run: chmod 600 {path}"):
        read_key(path)


def test_missing_key_is_refused(tmp_path: Path) -> None:
    """A given key file that is not there is never made."""
    with pytest.raises(KeyFileError, match=r"cannot read the key file .*No such file"):
        release_key(tmp_path / "key", default=tmp_path / "default", is_generated=True, policy="lsd")
    assert not list(tmp_path.iterdir())


def test_made_key_is_private_and_read_back(tmp_path: Path) -> None:
    """A made key is new, mode 0600 in a folder of mode 0700, and nothing else is left there."""
    path = tmp_path / "silt" / "key"
    key = make_key(path)
    assert read_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert list(path.parent.iterdir()) == [path]
    assert make_key(tmp_path / "other") != key


def test_key_is_never_overwritten(tmp_path: Path) -> None:
    """Making a key where something stands fails and leaves it."""
    path = write_key(tmp_path / "key")
    with pytest.raises(KeyFileError, match=r"cannot make the key file .*: File exists; give a free path"):
        make_key(path)
    assert path.read_text() == DIGITS + "\n"
    assert list(tmp_path.iterdir()) == [path]


def test_key_in_an_impossible_place_is_refused(tmp_path: Path) -> None:
    """A file where the folder should be is an error that names the path."""
    (tmp_path / "file").touch()
    with pytest.raises(KeyFileError, match=r"cannot make the key file .*file/key: File exists"):
        make_key(tmp_path / "file" / "key")


def test_generated_corpus_takes_the_demonstration_key(tmp_path: Path) -> None:
    """Without a path the generated corpus is built with the public key, and no file is made."""
    chosen = release_key(None, default=tmp_path / "key", is_generated=True, policy="lsd")
    assert chosen == ReleaseKey(master=DEMONSTRATION_KEY, policy="lsd")
    assert chosen.is_demonstration
    assert not list(tmp_path.iterdir())


def test_real_tables_make_a_key_once(tmp_path: Path) -> None:
    """Without a path real tables take the default key file: made at first, the same ever after."""
    first = release_key(None, default=tmp_path / "key", is_generated=False, policy="lsd")
    assert not first.is_demonstration
    again = release_key(None, default=tmp_path / "key", is_generated=False, policy="lsd")
    assert again == first == ReleaseKey(master=read_key(tmp_path / "key"), policy="lsd", file=tmp_path / "key")
    assert (first.is_new, again.is_new) == (True, False)


@pytest.mark.parametrize("is_given", [True, False])
def test_real_tables_refuse_the_demonstration_key(tmp_path: Path, *, is_given: bool) -> None:
    """The public key is refused for real tables also when it is found in a file, given or default."""
    path = write_key(tmp_path / "key", DEMONSTRATION_KEY.secret.hex())
    with pytest.raises(KeyFileError, match="holds the public demonstration key"):
        release_key(path if is_given else None, default=path, is_generated=False, policy="lsd")
    assert release_key(path, default=path, is_generated=True, policy="lsd").is_demonstration


def test_given_key_goes_before_the_demonstration_key(tmp_path: Path) -> None:
    """A key that is given is taken, for the generated corpus too."""
    path = write_key(tmp_path / "key")
    assert release_key(path, default=tmp_path / "default", is_generated=True, policy="lsd") == ReleaseKey(
        master=Key(bytes.fromhex(DIGITS)), policy="lsd", file=path
    )


def test_each_policy_has_a_key_of_its_own() -> None:
    """The paper's takes the release key, as it always did; no two policies take the same one, under any name."""
    master = Key(bytes.fromhex(DIGITS))
    keys = {policy: of_policy(master, policy) for policy in (*POLICIES, "another")}
    assert keys["lsd"] == master == ReleaseKey(master=master, policy="lsd").key
    assert len({key.secret for key in keys.values()}) == len(keys)
    assert all(ReleaseKey(master=master, policy=policy).key == key for policy, key in keys.items())
