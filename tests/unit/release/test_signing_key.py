"""The signing key's files: modes, passphrases, what is refused, and that no message shows a secret."""

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from pipeline.errors import KeyFileError
from pipeline.release.provenance.signing_key import (
    key_id,
    make_signing_key,
    public_file,
    public_pem,
    read_public_key,
    read_signing_key,
)

WORDS = b"correct horse battery staple"

SUM, OPENSSL = shutil.which("sha256sum") or "sha256sum", shutil.which("openssl") or "openssl"


@pytest.fixture(params=[0o000, 0o022, 0o277], ids=oct)
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def not_asked() -> bytes:
    raise AssertionError("asked for a passphrase that is not needed")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("_umask")
@pytest.mark.parametrize("passphrase", [None, WORDS])
def test_modes_hold_under_any_umask(tmp_path: Path, passphrase: bytes | None) -> None:
    """The private file is its owner's alone, the public one is for everybody; nothing else is left."""
    private = tmp_path / "release.key"
    public = make_signing_key(private, passphrase)
    assert (mode(private), mode(public)) == (0o600, 0o644)
    assert sorted(tmp_path.iterdir()) == [private, public]


def test_what_is_made_is_read(tmp_path: Path) -> None:
    """The two files are halves of one key."""
    public = make_signing_key(tmp_path / "key")
    assert public == public_file(tmp_path / "key") == tmp_path / "key.pub"
    private = read_signing_key(tmp_path / "key", not_asked)
    assert public.read_bytes() == public_pem(private.public_key())
    assert key_id(read_public_key(public)) == key_id(private.public_key())


def test_two_keys_are_different(tmp_path: Path) -> None:
    """A key is random."""
    first, second = make_signing_key(tmp_path / "a"), make_signing_key(tmp_path / "b")
    assert first.read_bytes() != second.read_bytes()


def test_an_encrypted_key_needs_its_passphrase(tmp_path: Path) -> None:
    """It is asked for, and the right one opens it."""
    public = make_signing_key(tmp_path / "key", WORDS)
    assert b"ENCRYPTED" in (tmp_path / "key").read_bytes()
    assert public.read_bytes() == public_pem(read_signing_key(tmp_path / "key", lambda: WORDS).public_key())


@pytest.mark.parametrize("wrong", [b"not the passphrase", b"", b"\xff\x00", WORDS + b" "])
def test_a_wrong_passphrase_is_told_and_not_shown(tmp_path: Path, wrong: bytes) -> None:
    """The message names the file and what may be wrong; it has neither passphrase nor key."""
    make_signing_key(tmp_path / "key", WORDS)
    with pytest.raises(KeyFileError, match=r"key: the passphrase is wrong, or the file is damaged") as caught:
        read_signing_key(tmp_path / "key", lambda: wrong)
    for secret in filter(None, (wrong, WORDS, *(tmp_path / "key").read_bytes().split(b"\n")[1:-2])):
        assert secret.decode(errors="replace") not in str(caught.value)
    assert caught.value.__cause__ is None


def test_an_empty_passphrase_is_refused(tmp_path: Path) -> None:
    """Nothing is made with one."""
    with pytest.raises(KeyFileError, match="empty passphrase protects nothing"):
        make_signing_key(tmp_path / "key", b"")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("taken", ["key", "key.pub"])
def test_nothing_is_replaced(tmp_path: Path, taken: str) -> None:
    """Whichever file is there stays, and no half of a key comes beside it."""
    (tmp_path / taken).write_bytes(b"another's")
    with pytest.raises(KeyFileError, match=r"cannot make the signing key.*File exists; give a free path"):
        make_signing_key(tmp_path / "key")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(taken, b"another's")]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    """The message says what to do."""
    with pytest.raises(KeyFileError, match="No such file or directory; give a free path in a folder"):
        make_signing_key(tmp_path / "missing" / "key")


@pytest.mark.parametrize("open_to", [0o640, 0o604, 0o622])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, open_to: int) -> None:
    """With the command that closes it."""
    make_signing_key(tmp_path / "key")
    (tmp_path / "key").chmod(open_to)
    with pytest.raises(KeyFileError, match=f"open to group or others.*run: chmod 600 {tmp_path / 'key'}"):
        read_signing_key(tmp_path / "key", not_asked)


HIDDEN = "c2VjcmV0IGJ5dGVzIG9mIGEga2V5"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no key at all",
        f"-----BEGIN PRIVATE KEY-----\n{HIDDEN}\n-----END PRIVATE KEY-----\n".encode(),
        public_pem(Ed25519PrivateKey.generate().public_key()),
    ],
    ids=["empty", "text", "damaged", "public"],
)
def test_what_is_no_private_key_is_refused_and_not_shown(tmp_path: Path, content: bytes) -> None:
    """The message says how to make one."""
    (tmp_path / "key").write_bytes(content)
    (tmp_path / "key").chmod(0o600)
    with pytest.raises(KeyFileError, match=r"no private key.*--make-signing-key FILE") as caught:
        read_signing_key(tmp_path / "key", not_asked)
    assert HIDDEN not in str(caught.value)
    assert caught.value.__cause__ is None


def test_keys_of_another_kind_are_refused(tmp_path: Path) -> None:
    """A key on a NIST curve is no Ed25519 key, private or public."""
    key = generate_private_key(SECP256R1())
    private, public = tmp_path / "key", tmp_path / "key.pub"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    private.chmod(0o600)
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    with pytest.raises(KeyFileError, match="private key of another kind"):
        read_signing_key(private, not_asked)
    with pytest.raises(KeyFileError, match="public key of another kind"):
        read_public_key(public)


def test_a_private_key_given_as_public_is_refused_and_not_shown(tmp_path: Path) -> None:
    """Nor is a missing file read."""
    make_signing_key(tmp_path / "key")
    with pytest.raises(KeyFileError, match=r"key is no public key: give the file .pub") as caught:
        read_public_key(tmp_path / "key")
    assert (tmp_path / "key").read_text().splitlines()[1] not in str(caught.value)
    with pytest.raises(KeyFileError, match=r"cannot read the public key .*No such file"):
        read_public_key(tmp_path / "missing")


def test_openssl_reads_both_files(tmp_path: Path) -> None:
    """The private key opens with its passphrase there, and its public half has the name that we give it."""
    public = make_signing_key(tmp_path / "key", WORDS)
    (tmp_path / "words").write_bytes(WORDS + b"\n")
    opened = [OPENSSL, "pkey", "-in", str(tmp_path / "key"), "-passin", f"file:{tmp_path / 'words'}", "-pubout"]
    assert subprocess.run(opened, check=True, capture_output=True).stdout == public.read_bytes()
    named = [OPENSSL, "pkey", "-pubin", "-in", str(public), "-outform", "DER"]
    der = subprocess.run(named, check=True, capture_output=True).stdout
    digest = subprocess.run([SUM], input=der, check=True, capture_output=True).stdout
    assert digest.split()[0].decode() == key_id(read_public_key(public))


def test_a_key_that_openssl_wrapped_is_read(tmp_path: Path) -> None:
    """A private key that was encrypted anew with a slower function (scrypt) opens, too."""
    public = make_signing_key(tmp_path / "key")
    command = [OPENSSL, "pkcs8", "-topk8", "-scrypt", "-in", str(tmp_path / "key"), "-out", str(tmp_path / "slow")]
    subprocess.run([*command, "-passout", f"pass:{WORDS.decode()}"], check=True, capture_output=True)
    (tmp_path / "slow").chmod(0o600)
    assert public_pem(read_signing_key(tmp_path / "slow", lambda: WORDS).public_key()) == public.read_bytes()
