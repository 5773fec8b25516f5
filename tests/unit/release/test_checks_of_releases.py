"""What verifying asks of lists, statements and archives, on a release of a few files: one change, and what is found of it."""

import io
import json
import os
import shutil
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
import zstandard
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from pipeline.errors import GateError, InputError, Problem
from pipeline.model import Environment
from pipeline.release.archive import write_archive
from pipeline.release.layout import DEIDENTIFICATION, PROVENANCE, RELEASE, STATEMENTS, ReleaseHead, listed, read_head
from pipeline.release.provenance.envelope import pack, unpack
from pipeline.release.provenance.source import SourceCode
from pipeline.release.provenance.statement import Materials
from silt.commands.released import opened_release
from tests.unit.noise.conftest import small_environment
from tests.unit.release.published import build
from validation.release import tree
from validation.release.all_checks import CHECKS, NEEDS, Check
from validation.release.attesting import attestations
from validation.release.checks.attested import signed, stated_of_this, whose
from validation.release.checks.described import archives_hold_the_same
from validation.release.checks.files import no_links, none_besides, same_bytes
from validation.release.checks.leftovers import no_noise_stated, nothing_left_over
from validation.release.checks.pages import pages_do_nothing_else
from validation.release.checks.reports import same_in_variants
from validation.release.deidentification import published
from validation.release.opened import Release, declared_as, opened
from validation.release.verifying import SHOWN, verify

KEY, OTHER = (Ed25519PrivateKey.from_private_bytes(bytes(range(first, first + 32))) for first in (0, 1))

VARIANTS = ("clean", "noisy")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a release, to be changed."""
    return made_in(tmp_path)


def made_in(working: Path) -> Path:
    """Return a signed release of two variants with a table each."""
    folder = working / "shops-1.0.0"
    folder.mkdir()
    for variant in build(folder):
        (variant / "database").mkdir()
        (variant / "database/shops.csv").write_text("code,name\nA1,Arpada\nB2,Ortikix\n")
        entry = listed(variant / "database")[0]
        file = {"path": "database/shops.csv", "bytes": entry.bytes, "records": 2, "columns": 2, "sha256": entry.sha256}
        manifest = json.loads((variant / "manifest.json").read_bytes())
        (variant / "manifest.json").write_text(json.dumps(manifest | {"environment": "shops", "files": [file]}))
    anew(folder)
    return folder


def anew(
    folder: Path,
    *,
    signer: Ed25519PrivateKey | None = KEY,
    about: Mapping[str, str] | None = None,
    discloses_noise: bool = True,
) -> None:
    """Write head, archives and statements as they follow from the other files."""
    head = ReleaseHead(
        environment="shops",
        version="1.0.0",
        released="2026-01-31",
        mode="underexplored",
        discloses_noise=discloses_noise,
        policy="lsd",
        variants=VARIANTS,
        files=listed(folder),
    )
    (folder / RELEASE).write_bytes(head.to_bytes())
    for variant in VARIANTS:
        write_archive(
            folder, head.paths_of(variant), folder / f"{head.name}-{variant}.tar.zst", prefix=head.name, date=0
        )
    subjects = {path.name: digest(path) for path in (folder / RELEASE, *folder.glob("*.tar.zst"))}
    told = head.model_dump(mode="json", exclude={"files"})
    made_of = Materials(source=SourceCode(), requirements=b"", pinned=(), commitments={}, declarations={})
    said = attestations(
        about or subjects, told, [published(folder / name) for name in VARIANTS], made_of, signer=signer
    )
    for path, content in said.items():
        (folder / path).write_bytes(content)


def digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def of(folder: Path, *, archive: Path | None = None) -> Release:
    return declared_as(opened(folder, archive=archive), None, KEY.public_key())


CHECKED = (
    no_links,
    none_besides,
    same_bytes,
    archives_hold_the_same,
    stated_of_this,
    signed,
    pages_do_nothing_else,
    nothing_left_over,
)


def found(release: Release) -> list[str]:
    """Return what the checks find, a line each."""
    made = verify(release, [Check(says=find.__name__, find=find) for find in CHECKED]).made
    return [f"{each.check.says}: {problem}" for each in made for problem in each.problems]


def rewrite(folder: Path, path: str, change: Callable[[bytes], bytes]) -> None:
    (folder / path).write_bytes(change((folder / path).read_bytes()))


def test_nothing_is_found_in_what_was_made(folder: Path) -> None:
    """The changes below are what is found, and nothing else."""
    assert found(of(folder)) == []


@pytest.mark.parametrize("is_same", [True, False])
def test_long_statistics_are_compared_between_variants(folder: Path, *, is_same: bool) -> None:
    """Those of a large environment have 17 MB and two million numbers, which no other report has."""
    for variant, number in zip(VARIANTS, "01" if not is_same else "00", strict=True):
        (folder / variant / "reports").mkdir(exist_ok=True)
        (folder / variant / "reports/model.json").write_text(f"[{'0,' * 9_000_000}{number}]")
    anew(folder)
    told = [problem for problem in same_in_variants(of(folder)) if "model" in problem.file]
    assert (not told) == is_same
    assert not of(folder).tree.unread


@pytest.mark.parametrize("path", STATEMENTS)
def test_every_statement_has_to_be_signed(folder: Path, path: str) -> None:
    """One of two is not enough, and neither is another key's signature."""
    own = unpack((folder / path).read_bytes())
    for signer, told in ((None, "no signature"), (OTHER, "")):
        (folder / path).write_bytes(pack(own.payload, own.type, signer))
        (line,) = found(of(folder))
        assert line.startswith(f"signed: {path}: found '{told}")


@pytest.mark.parametrize("path", STATEMENTS)
def test_an_envelope_written_otherwise_is_found(folder: Path, path: str) -> None:
    """It says the same under the same signature, and has other bytes."""
    rewrite(folder, path, lambda content: json.dumps(json.loads(content)).encode())
    (line,) = found(of(folder))
    assert f"stated_of_this: {path}: " in line
    assert "expected an envelope as it is written" in line


def test_archives_are_those_that_statements_are_about(folder: Path) -> None:
    """One more, other bytes of one, and statements that are about none of them."""
    one, other = (folder / f"shops-1.0.0-{variant}.tar.zst" for variant in VARIANTS)
    shutil.copy(one, folder / "shops-1.0.1-clean.tar.zst")
    lines = found(of(folder))
    assert [line.split(";")[1] for line in lines[1:]] == [f" expected one that {path} is about" for path in STATEMENTS]
    (folder / "shops-1.0.1-clean.tar.zst").unlink()
    before = one.read_bytes()
    shutil.copy(other, one)
    assert sum(f"{path} is about one with" in line for line in found(of(folder)) for path in STATEMENTS) == 2
    one.write_bytes(before)
    anew(folder, about={RELEASE: digest(folder / RELEASE)})
    assert len([line for line in found(of(folder)) if "expected one that" in line]) == 4


def test_a_renamed_archive_is_held_against_its_digest(folder: Path, tmp_path: Path) -> None:
    """Under any name it has to be one of those that the statements are about."""
    into = tmp_path / "beside"
    into.mkdir()
    for path in STATEMENTS:
        shutil.copy(folder / path, into)
    archive = into / "data.tar.zst"
    shutil.copy(folder / "shops-1.0.0-clean.tar.zst", archive)
    assert not list(stated_of_this(of(folder, archive=archive)))
    rewrite(into, archive.name, lambda content: content + b"\0")
    lines = [str(problem) for problem in stated_of_this(of(folder, archive=archive))]
    assert [line.split(";")[0].split(":")[0] for line in lines] == ["data.tar.zst"] * 2


@pytest.mark.parametrize("change", ["a member more", "a member less", "other bytes", "an owner", "a mode"])
def test_an_archive_that_holds_something_else_is_found(folder: Path, change: str) -> None:
    """Whoever makes archives and statements anew can sign nothing; what they hold is compared with the folder."""
    archive = folder / "shops-1.0.0-clean.tar.zst"
    unpacked = zstandard.ZstdDecompressor().stream_reader(archive.read_bytes()).read()
    with (
        tarfile.open(fileobj=io.BytesIO(unpacked)) as old,
        tarfile.open(fileobj=(made := io.BytesIO()), mode="w") as new,
    ):
        for number, member in enumerate(old):
            content = (old.extractfile(member) or io.BytesIO()).read()
            if number == 0 and change == "a member less":
                continue
            if number == 0 and change == "other bytes":
                content = content.replace(b"1", b"2")
            member.uname = "root" if change == "an owner" else ""
            member.mode |= 0o111 if change == "a mode" else 0
            new.addfile(member, io.BytesIO(content))
        if change == "a member more":
            new.addfile(tarfile.TarInfo("shops-1.0.0/more.txt"))
    archive.write_bytes(zstandard.ZstdCompressor().compress(made.getvalue()))
    lines = [str(problem) for problem in archives_hold_the_same(of(folder))]
    assert len(lines) == 1
    assert lines[0].startswith(archive.name)


@pytest.mark.parametrize("field", ["key_fingerprint", "source", "versions", "is_demonstration_key"])
def test_the_provenance_says_what_manifests_say(folder: Path, field: str) -> None:
    """Under which key it was made among it."""
    for variant in VARIANTS:
        file = folder / variant / "manifest.json"
        manifest = json.loads(file.read_bytes())
        others = {"versions": {"silt": "9"}, "is_demonstration_key": not manifest["is_demonstration_key"]}
        file.write_text(json.dumps(manifest | {field: others.get(field, "another")}))
    lines = [str(problem) for problem in stated_of_this(of(folder))]
    assert any(line.startswith(f"{PROVENANCE}, column") and "as head and manifest say" in line for line in lines), lines


def test_further_signatures_are_mentioned(folder: Path) -> None:
    """They change nothing of what the makers signed, so that it is no difference; and nobody looked at them."""
    own = unpack((folder / DEIDENTIFICATION).read_bytes())
    more = unpack(pack(own.payload, own.type, OTHER)).signatures
    for added, count in ((more, 1), (own.signatures, 1), (more + own.signatures, 2)):
        both = own.model_copy(update={"signatures": own.signatures + added})
        (folder / DEIDENTIFICATION).write_bytes(both.to_bytes())
        for key in (KEY.public_key(), None):
            (line,) = [line for line in whose(replace(of(folder), public_key=key)) if "more" in line]
            assert line.startswith(f"{DEIDENTIFICATION} bears {count} more, of which nothing was checked: by ")
        assert found(of(folder)) == []


def test_data_that_the_manifest_does_not_name_is_found(folder: Path) -> None:
    """The head may list them, and everything be signed."""
    (folder / "clean/database/more.csv").write_text("id\n1\n")
    (folder / "notes.txt").write_text("x")
    anew(folder)
    assert [line.split(":")[1].strip() for line in found(of(folder))] == ["clean/database/more.csv", "notes.txt"]


def test_an_empty_folder_is_found(folder: Path) -> None:
    """A release has none."""
    (folder / "clean/ideal").mkdir()
    assert found(of(folder)) == [
        "none_besides: clean/ideal: found 'an empty folder'; expected nothing: a release has none"
    ]


def test_no_name_prints_a_line_of_its_own(folder: Path) -> None:
    """Names, and what manifests and statements say, are text in the report of a check."""
    said = "x\nok      every file has the bytes that the lists state"
    (folder / "clean" / said).write_text("x")
    for variant in VARIANTS:
        file = folder / variant / "manifest.json"
        file.write_text(json.dumps(json.loads(file.read_bytes()) | {"key_fingerprint": said}))
    text = verify(of(folder)).text()
    assert r"x\nok      every file" in text
    assert "FAILED  every file has the bytes that the lists state" in text.splitlines()
    assert not [line for line in text.splitlines() if line.startswith("ok      every file has")]
    (problem,) = [problem for problem in none_besides(of(folder)) if "clean/x" in problem.file]
    assert "\n" not in str(problem)


@pytest.mark.parametrize("how", ["changed", "gone while it is verified"])
def test_however_many_files_are_wrong_no_check_is_ok_of_them(folder: Path, how: str) -> None:
    """More than are named, and some that cannot be read: what is left is what reads none of them."""
    release = of(folder)
    assert len(release.tree.files) > 2 * SHOWN
    for path in release.tree.files:
        if how == "changed":
            (folder / path).write_bytes((folder / path).read_bytes()[:-1] + b"\0")
        elif path != RELEASE:
            (folder / path).unlink()
    verified = verify(of(folder) if how == "changed" else release)
    fine = {made.check.find.__name__ for made in verified.made if not made.problems}
    assert fine <= {"no_links", "none_missing", "none_besides"}


def test_a_file_counts_as_wrong_although_it_is_not_named(folder: Path) -> None:
    """Of a check the first differences are printed, and all of them looked at."""
    every = (Problem(f"{number}.csv", 0, "", "", "") for number in range(2 * SHOWN))
    first = Check(says="", find=lambda _: every, of_files=True)
    other = Check(says="", find=lambda _: iter(()), reads=rf"{2 * SHOWN - 1}\.csv")
    assert verify(of(folder), [first, other]).not_made == ((other, f"needs {2 * SHOWN - 1}.csv"),)


def test_a_report_that_one_variant_lacks_is_named(folder: Path) -> None:
    """Nobody knows then whether both say the same; in a build no list names reports."""
    (folder / "noisy/reports/ks.json").unlink()
    assert [problem.file for problem in same_in_variants(of(folder))] == ["noisy/reports/ks.json"]


@pytest.mark.parametrize("signer", [KEY, None])
@pytest.mark.parametrize("path", ["", "shops-1.0.0-clean.tar.zst", "shops-1.0.0-noisy.tar.zst"])
def test_an_option_that_is_asked_for_lets_checks_be_made(
    folder: Path, path: str, signer: Ed25519PrivateKey | None
) -> None:
    """No other is: the declaration is for what is there, and the key for what somebody signed."""
    anew(folder, signer=signer)
    declared = replace(small_environment(), name="shops")

    def lacking(environment: Environment | None, key: Ed25519PublicKey | None) -> tuple[int, list[str]]:
        with opened_release(folder / path, "") as release:
            found = verify(declared_as(release, environment, key))
        return sum(why.startswith(NEEDS) for _, why in found.not_made), found.missing_options

    (count, asked), (less, _), (fewer, _) = (
        lacking(None, None),
        lacking(declared, None),
        lacking(None, KEY.public_key()),
    )
    assert sorted(asked) == ["--environment"] * (less < count) + ["--public-key"] * (fewer < count)


def test_of_an_unsigned_release_no_key_is_asked_for(folder: Path) -> None:
    """Nobody has it; that nobody signed it is said of statements that are there."""
    anew(folder, signer=None)
    said = verify(declared_as(opened(folder), None, None)).text()
    assert "n/a       statements are signed with the given key: nobody signed it" in said
    for path in STATEMENTS:
        (folder / path).unlink()
    assert "statements are signed with the given key: needs the statements" in verify(opened(folder)).text()


def test_what_is_missing_is_not_said_not_to_be_there(folder: Path) -> None:
    """Of a release without its head nobody knows if it discloses its noise."""
    (folder / RELEASE).unlink()
    reasons = {check.find: why for check, why in verify(of(folder)).not_made}
    assert reasons[no_noise_stated] == "needs release.json"


def test_what_cannot_be_checked_is_said_of_what_is_there(folder: Path) -> None:
    """No word of tasks where there are none, of figures that nobody compared, or of rules where nothing is noisy."""
    rules, figures, tasks = "which rule changed a cell", "how figures compare", "answers to the test of tasks"
    said = verify(of(folder)).text()
    assert (rules in said, figures in said, tasks in said) == (True, True, False)
    shutil.rmtree(folder / "noisy")
    (folder / "clean/reports/ks.json").unlink()
    said = verify(of(folder)).text()
    assert (rules in said, figures in said, tasks in said) == (False, False, False)


def test_a_check_that_needs_hidden_noise_is_not_one_with_nothing_to_look_at(folder: Path) -> None:
    """The last line counts it apart; where noise is disclosed, it is made."""
    anew(folder, discloses_noise=False)
    declared = declared_as(opened(folder), small_environment(), KEY.public_key())
    wanted = ("the noisy variant differs", "aggregates, counts and repeated")
    some = [check for check in CHECKS if check.says.startswith(wanted)]
    *_, last = verify(declared, some).text().splitlines()
    assert last == (
        "Verified: 0 of 2 checks made, no difference; 1 has nothing to look at; 1 needs the noise, which is not disclosed."
    )


@pytest.mark.parametrize("says", ["identities between figures hold", "aggregates, counts and repeated figures"])
def test_of_what_is_not_declared_nothing_is_called_right(folder: Path, says: str) -> None:
    """Where there are no identities, and nothing follows from anything, the check has nothing to look at."""
    (check,) = (each for each in CHECKS if each.says.startswith(says))
    release = declared_as(opened(folder), small_environment(), KEY.public_key())
    (made,) = verify(release, [check]).not_made
    assert made == (check, "there are none")


# --- what is read at all -----------------------------------------------------------------------------------------------


def test_what_is_longer_than_listed_is_neither_read_nor_digested(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table, a report, the head, a statement, an archive and a file besides, each of 50 GB."""

    def no_digest(file: Path) -> str:
        assert file.stat().st_size < 10**9, file
        return digest(file)

    monkeypatch.setattr(tree, "sha256", no_digest)
    for path in (
        "clean/database/shops.csv",
        "noisy/reports/ks.json",
        DEIDENTIFICATION,
        "shops-1.0.0-clean.tar.zst",
        "x",
    ):
        with (folder / path).open("ab") as file:
            file.truncate(50 * 10**9)
        assert any(path in line for line in found(of(folder)))
    with (folder / RELEASE).open("ab") as file:
        file.truncate(50 * 10**9)
    assert any(RELEASE in line for line in found(of(folder)))


def test_a_list_that_lies_is_bounded(folder: Path) -> None:
    """A line of a table, a text and the values of JSON have bounds that no list moves; so has what no list names."""
    for size, is_read in ((tree.TEXT, True), (tree.TEXT + 1, False)):
        assert tree.Tree(folder, {"notes.txt": size}, {}).is_as_long("notes.txt") == is_read
    for path, content in {
        "clean/database/shops.csv": b"code,name\nA1," + b"x" * tree.LINE + b"\n",
        "clean/reports/ks.json": b"[" * tree.PARTS + b"," + b"]" * tree.PARTS,
        "noisy/reports/ks.html": b"x" * (tree.TEXT + 1),
    }.items():
        (folder / path).write_bytes(content)
    (folder / RELEASE).write_bytes(read_head(folder).model_copy(update={"files": listed(folder)}).to_bytes())
    seen = of(folder).tree
    with pytest.raises(InputError, match="has a line of more than"):
        seen.table("clean/database/shops.csv")
    with pytest.raises(InputError, match="values, and no report does"):
        seen.content("clean/reports/ks.json")
    with pytest.raises(InputError, match="longer than"):
        seen.content("noisy/reports/ks.html")
    assert seen.json("clean/reports/ks.json") == {}


@pytest.mark.parametrize("before", [(), (10,), (tree.LINE,), (tree._BLOCK - 1, 3)])
def test_lines_are_measured_across_parts(folder: Path, before: tuple[int, ...]) -> None:
    """Wherever the parts end in which a table is read."""
    for length in (tree.LINE, tree.LINE + 1):
        (folder / "clean/database/shops.csv").write_bytes(
            b"".join(b"x" * each + b"\n" for each in (*before, length, 2))
        )
        (folder / RELEASE).write_bytes(read_head(folder).model_copy(update={"files": listed(folder)}).to_bytes())
        seen = of(folder).tree
        if length == tree.LINE:
            assert seen.table("clean/database/shops.csv").is_file()
        else:
            with pytest.raises(InputError, match="has a line of more than"):
                seen.table("clean/database/shops.csv")


def test_a_folder_of_too_many_files_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before their names fill the memory."""
    monkeypatch.setattr(tree, "ENTRIES", 5)
    with pytest.raises(GateError, match="holds more than 5 files"):
        of(folder)


@pytest.mark.parametrize("kind", ["a pipe", "a link", "a loop"])
def test_nothing_is_opened_but_files(folder: Path, kind: str) -> None:
    """A pipe would wait for ever, and a link leads out."""
    path = folder / "clean/reports/ks.json"
    path.unlink()
    if kind == "a pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path.name if kind == "a loop" else "/dev/zero")
    assert any(line.startswith("no_links: clean/reports/ks.json: found") for line in found(of(folder)))


@pytest.mark.parametrize("at", [0, tree._BLOCK - 15, tree._BLOCK - 26, tree._BLOCK + 3])
def test_a_key_is_found_wherever_parts_end(folder: Path, at: int) -> None:
    """Once, with its line."""
    (folder / "notes.txt").write_bytes(b"\n" * at + b"-----BEGIN PRIVATE KEY-----\n" + b"x" * 100)
    (problem,) = nothing_left_over(of(folder))
    assert (problem.file, problem.row) == ("notes.txt", at + 1)
