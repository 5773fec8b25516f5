"""The record of what a key was used for: one environment, policy and set of originals, unless more is wanted."""

import fcntl
import json
import re
from dataclasses import asdict, replace
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from threading import Thread

import pytest

from anonymize.keys.key_uses import Use, digest_of, own_key, record_of, record_use, refuse_other_use
from pipeline.errors import KeyFileError
from pipeline.keyed import Key

MASTER = Key(bytes(range(32)))
USE = Use(key=MASTER.fingerprint(), environment="shops", policy="lsd", originals="a" * 64)
SHARED, LSD_KEY, GUARDED_KEY = (Path(".silt") / f"shops{policy}.key" for policy in ("", ".lsd", ".guarded"))
OTHERS = {
    "policy": replace(USE, policy="guarded"),
    "originals": replace(USE, originals="b" * 64),
    "environment": replace(USE, environment="us-listed"),
}


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    """Return a key file that was never used."""
    file = tmp_path / "my.key"
    file.write_text(MASTER.secret.hex())
    file.chmod(0o600)
    return file


def test_first_use_and_the_same_again_are_free(key_file: Path) -> None:
    """The first use is recorded, once however often it is repeated, in a file that is its owner's alone."""
    refuse_other_use(key_file, USE)
    assert not record_of(key_file).exists()
    for _ in range(2):
        record_use(key_file, USE, is_wanted=False)
        refuse_other_use(key_file, USE)
    record = key_file.with_name("my.key.used.json")
    assert record.stat().st_mode & 0o777 == 0o600
    assert len(json.loads(record.read_bytes())["uses"]) == 1
    assert sorted(key_file.parent.iterdir()) == [key_file, record]


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_another_use_is_refused(key_file: Path, other: Use) -> None:
    """File, both uses, the record and what to do are named; the record stays as it was."""
    record_use(key_file, USE, is_wanted=False)
    before = record_of(key_file).read_bytes()
    says = f"my.key was used for {USE}.\nNow it is asked for {other}."
    with pytest.raises(KeyFileError, match=re.escape(says)) as checked:
        refuse_other_use(key_file, other)
    with pytest.raises(KeyFileError, match=re.escape(says)):
        record_use(key_file, other, is_wanted=False)
    assert all(
        part in str(checked.value) for part in ("--key-file (KEY)", "--reuse-key (REUSE_KEY=1)", "my.key.used.json")
    )
    assert record_of(key_file).read_bytes() == before


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_a_further_use_that_is_wanted_is_recorded(key_file: Path, other: Use) -> None:
    """It is added to the first, and both are free from then on."""
    record_use(key_file, USE, is_wanted=False)
    record_use(key_file, other, is_wanted=True)
    for use in (USE, other):
        record_use(key_file, use, is_wanted=False)
    assert len(json.loads(record_of(key_file).read_bytes())["uses"]) == 2


def test_each_policy_has_a_key_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So `guarded` after `lsd` is not refused for its key."""
    monkeypatch.chdir(tmp_path)
    assert [own_key("shops", policy) for policy in ("lsd", "guarded")] == [LSD_KEY, GUARDED_KEY]


@pytest.mark.parametrize("policy", ["lsd", "guarded"])
def test_a_key_that_policies_shared_stays_that_of_its_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    """A file of an earlier version is the key of the policies that it was used for, and of no other; unused, of any."""
    monkeypatch.chdir(tmp_path)
    SHARED.parent.mkdir()
    SHARED.write_text(MASTER.secret.hex())
    assert {own_key("shops", name) for name in ("lsd", "guarded")} == {SHARED}
    record_use(SHARED, replace(USE, policy=policy), is_wanted=False)
    of = {name: own_key("shops", name) for name in ("lsd", "guarded")}
    assert of == {"lsd": LSD_KEY, "guarded": GUARDED_KEY} | {policy: SHARED}
    for file in (LSD_KEY, GUARDED_KEY):
        file.write_text(MASTER.secret.hex())
    assert own_key("shops", policy) in {LSD_KEY, GUARDED_KEY}


def test_uses_of_another_key_do_not_count(key_file: Path) -> None:
    """A new key in an old file is free, and what the old one was used for is kept."""
    record_use(key_file, USE, is_wanted=False)
    record_use(key_file, replace(OTHERS["policy"], key="0" * 16), is_wanted=False)
    assert len(json.loads(record_of(key_file).read_bytes())["uses"]) == 2


def test_a_link_to_the_key_has_no_record_of_its_own(key_file: Path) -> None:
    """Whoever gives the key by another path is refused likewise."""
    record_use(key_file, USE, is_wanted=False)
    link = key_file.with_name("link")
    link.symlink_to(key_file)
    with pytest.raises(KeyFileError, match="was used for"):
        refuse_other_use(link, OTHERS["policy"])


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", '{"format": 1}', '{"format": 2, "uses": []}', '{"format": 1, "uses": [{}]}'),
        json.dumps({"format": 1, "uses": [asdict(USE), asdict(USE) | {"policy": 1}]}),
    ],
)
def test_what_is_no_record_is_refused(key_file: Path, content: str) -> None:
    """A damaged record is not taken for an empty one, nor overwritten."""
    record_of(key_file).write_text(content)
    with pytest.raises(
        KeyFileError, match=r"is no record of what the key was used for; restore it, or give another key"
    ):
        record_use(key_file, USE, is_wanted=True)
    assert record_of(key_file).read_text() == content


def test_record_that_cannot_be_written_is_told(key_file: Path) -> None:
    """The place is named with what to do."""
    record_of(key_file).with_name(".my.key.used.json-unfinished").mkdir()
    with pytest.raises(
        KeyFileError, match=r"cannot write .*my\.key\.used\.json, the record .*; put the key file into a folder"
    ):
        record_use(key_file, USE, is_wanted=False)


def _claim(key_file: Path, policy: str) -> bool:
    try:
        record_use(key_file, replace(USE, policy=policy), is_wanted=False)
    except KeyFileError:
        return False
    return True


def test_of_two_uses_at_once_one_is_refused(key_file: Path) -> None:
    """Eight builds under eight policies come to the record at the same time: one of them has the key."""
    with get_context("spawn").Pool(4) as pool:
        won = pool.starmap(_claim, [(key_file, f"policy {i}") for i in range(8)])
    assert sum(won) == len(json.loads(record_of(key_file).read_bytes())["uses"]) == 1


def test_whoever_comes_second_waits(key_file: Path) -> None:
    """While the key file is held nobody reads the record or writes it."""
    with key_file.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        waiting = Thread(target=record_use, args=(key_file, USE), kwargs={"is_wanted": False})
        waiting.start()
        waiting.join(0.1)
        assert waiting.is_alive()
        assert not record_of(key_file).exists()
    waiting.join()
    assert record_of(key_file).exists()


def test_digest_is_keyed_and_of_names_and_bytes() -> None:
    """Another byte, name or key gives another digest; the order of files does not; no key, no guess."""
    files = {name: sha256(f"content of {name}".encode()).hexdigest() for name in ("a.csv", "b.csv")}
    digest = digest_of(files, MASTER)
    stated = (part for name, of_file in files.items() for part in (name, of_file))
    assert digest == MASTER.derive("uses", "originals").digest(*stated).hex()
    assert digest == digest_of(dict(reversed(files.items())), MASTER)
    others = {**files, "a.csv": files["b.csv"]}, {"a.csv": files["a.csv"], "c.csv": files["b.csv"]}, {}
    assert len({digest, digest_of(files, Key(bytes(32))), *(digest_of(other, MASTER) for other in others)}) == 5
