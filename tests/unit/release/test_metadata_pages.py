"""Metadata of a release: what users have written is text in its Markdown, and what machines read is what its data are."""

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from pipeline.model import Field
from pipeline.publish.files import FileRecord
from pipeline.release.metadata.card import card, citation
from pipeline.release.metadata.croissant import asked_in, croissant
from pipeline.release.metadata.data_package import data_package
from pipeline.release.metadata.described import Described, DescribedColumn, DescribedFile
from pipeline.release.metadata.dictionary import dictionary_page, dictionary_table
from pipeline.release.metadata.pages import page


def shops(**changes: Any) -> Described:
    """Return a release of no files."""
    fields = dict[str, Any](
        name="shops-1.0.0",
        title="Shops",
        version="1.0.0",
        released="2026-01-01",
        silt="9.9.9",
        policy="p",
        is_sampled=False,
        is_demonstration=False,
        variants=("clean",),
        is_documented=False,
        discloses_noise=True,
        languages=("en",),
        license="CC0-1.0",
        authors=("Nobody",),
        files=(),
    )
    return Described(**fields | changes)


def test_the_card_says_which_silt_made_it() -> None:
    """And so which verifies every word of it."""
    text = card(shops()).decode()
    assert "made with Silt 9.9.9, released on 2026-01-01" in text
    assert "Silt 9.9.9 is the program that made this release." in text


@pytest.mark.parametrize("variants", [("noisy", "clean"), ("clean", "noisy")])
def test_the_card_of_both_variants_counts_records_with_noise(variants: tuple[str, ...]) -> None:
    """It is in both archives: how many there are without noise is for none who has the noisy one."""
    column = DescribedColumn(field=Field("id"))
    files = tuple(
        DescribedFile(
            path=f"{variant}/database/shops.csv",
            variant=variant,
            name="shops",
            record=FileRecord(path="database/shops.csv", bytes=1, records=records, columns=1, sha256="0"),
            columns=(column,),
        )
        for variant, records in {"noisy": 1_979, "clean": 1_983}.items()
    )
    list_ = FileRecord(path="database/names.json", bytes=1, records=None, columns=None, sha256="0")
    lists = tuple(DescribedFile(path="", variant=variant, name="names", record=list_) for variant in variants)
    text = card(shops(variants=variants, files=(*files, *lists))).decode()
    assert text.count("\n| `database/names.json` (JSON) | | |\n") == 1
    assert "1,979 records" in text
    assert "1,983" not in text


def test_a_unit_that_is_blank_is_not_declared_or_stands_in_a_column() -> None:
    """The page says what a blank means; where each row has its own unit, page and table name the column."""
    record = FileRecord(path="database/shops.csv", bytes=1, records=1, columns=2, sha256="0")
    fields = [Field("n"), Field("value", unit_in="unit")]
    described = tuple(DescribedColumn(field=each, type="number") for each in fields)
    file = DescribedFile(path="", variant="clean", name="shops", record=record, columns=described)
    made = dictionary_page(shops(files=(file,))).decode()
    assert "Where a number has none here, none is declared." in made
    assert "| `value` | number | see unit |" in made
    table = dictionary_table(shops(files=(file,))).decode().splitlines()
    assert [row.split(",")[1:4] for row in table[1:]] == [["n", "number", ""], ["value", "number", "see unit"]]


@pytest.mark.parametrize("variants", [("clean",), ("noisy",), ("noisy", "clean")])
def test_the_card_says_where_answers_are(variants: tuple[str, ...]) -> None:
    """Meanings of columns stand in the reports of `clean/`, and whoever uploads both variants uploads the answers."""
    text = card(shops(variants=variants)).decode()
    assert ("`clean/reports/` has the meanings of columns, as far as they are declared," in text) == (
        "clean" in variants
    )
    assert "An agent gets no explanation of columns but what tables themselves say, on purpose" in text
    assert ("Leave out `clean/` and its archive where agents may read" in text) == (len(variants) == 2)
    assert ("It has no noise" in text) == (variants == ("clean",))
    hidden = card(shops(variants=variants, discloses_noise=False)).decode()
    assert ("The release does not say which noise there is" in hidden) == ("noisy" in variants)


@pytest.mark.parametrize("discloses", [True, False])
@pytest.mark.parametrize("license_", ["other", "CC0-1.0"])
def test_the_card_leads_to_pages_and_states_no_licence_that_nobody_gave(license_: str, *, discloses: bool) -> None:
    """The page says how hard the tables are if noise is disclosed, and the card whether it does; `other` is no licence."""
    text = card(shops(variants=("noisy",), discloses_noise=discloses, license=license_)).decode()
    assert re.findall(r"\((noisy/.*?)\)", text) == ["noisy/reports/report.html"]
    assert ("how hard (not disclosed)" in text) == (not discloses)
    assert ("\nlicense: " in text) == (license_ != "other")
    assert ("No licence is stated" in text) == (license_ == "other")


@pytest.mark.parametrize(
    ("license_", "page", "cited"),
    [
        ("CC0-1.0", "https://spdx.org/licenses/CC0-1.0.html", "CC0-1.0"),
        ("MIT OR Apache-2.0", "MIT OR Apache-2.0", None),
        ("LicenseRef-Ours", "LicenseRef-Ours", None),
        ("other", "none stated", None),
    ],
)
def test_a_licence_is_spelled_as_spdx_does_wherever_programs_read_it(
    license_: str, page: str, cited: str | None
) -> None:
    """Croissant asks for an address, a citation has identifiers alone, and hubs write them small."""
    described = shops(license=license_)
    stated = json.loads(croissant(described))
    assert (stated["license"], yaml.safe_load(citation(described)).get("license")) == (page, cited)
    package = json.loads(data_package(described))
    assert package.get("licenses") == (None if license_ == "other" else [{"name": license_}])
    front = yaml.safe_load(card(described).decode().split("---")[1])
    assert front.get("license") == (None if license_ == "other" else license_.lower())
    assert asked_in(stated) == (license_, ("Nobody",))


def test_a_person_is_one_wherever_programs_read_it() -> None:
    """A comma after the family name makes an author a person; no program takes one for an organisation."""
    described = shops(authors=("Doe, Jane", "Ulm Bakers"))
    stated = json.loads(croissant(described))
    assert [(each["@type"], each["name"]) for each in stated["creator"]] == [
        ("sc:Person", "Doe, Jane"),
        ("sc:Organization", "Ulm Bakers"),
    ]
    assert yaml.safe_load(citation(described))["authors"] == [
        {"family-names": "Doe", "given-names": "Jane"},
        {"name": "Ulm Bakers"},
    ]
    assert stated["citeAs"].startswith("Doe, Jane; Ulm Bakers: Shops")
    assert "\nMakers: Doe, Jane; Ulm Bakers. " in card(described).decode()
    assert asked_in(stated) == ("CC0-1.0", described.authors)


def test_nobody_is_named_who_did_not_say_so() -> None:
    """A citation has to have an author: of data without one it is whoever made them."""
    described = shops(authors=())
    stated = json.loads(croissant(described))
    assert (stated.keys() & {"creator"}, stated["citeAs"]) == (set(), "Shops, version 1.0.0, 2026-01-01")
    assert "contributors" not in json.loads(data_package(described))
    assert yaml.safe_load(citation(described))["authors"] == [{"name": 'The makers of "Shops"'}]
    assert "\nMakers: not stated. Licence: CC0-1.0.\n" in card(described).decode()
    assert asked_in(stated) == ("CC0-1.0", ())


def test_the_card_of_two_archives_leads_into_neither() -> None:
    """Each of them has the card, and one variant: what is in the other one is named, and where that is."""
    archives = {variant: f"shops-{variant}.tar.zst" for variant in ("noisy", "clean")}
    text = card(shops(variants=("noisy", "clean"), archives=archives)).decode()
    assert "](" not in text
    assert "\n`noisy/` is in `shops-noisy.tar.zst` and `clean/` is in `shops-clean.tar.zst`; all else" in text
    assert text.count("/reports/report.html` |") == 2
    assert "Commands below name `noisy/`; in the other archive, write `clean`." in text
    assert "`silt verify shops-noisy.tar.zst` or `silt verify shops-clean.tar.zst` an archive" in text


@pytest.mark.parametrize(
    ("documented", "tasks", "beside"),
    [
        (False, {}, ""),
        (True, {}, ", with `data_dictionary.md`"),
        (
            True,
            {"dev": 1, "test": 9},
            ", with `data_dictionary.md`, `tasks/manual.md` and single questions of `tasks/`",
        ),
        (False, {"dev": 1, "test": 9}, ", with `tasks/manual.md` and single questions of `tasks/`"),
    ],
)
def test_the_card_says_all_that_an_agent_may_see(beside: str, *, documented: bool, tasks: dict[str, int]) -> None:
    """The dictionary is for agents; it counts no records, since those of the clean tables tell of the noise."""
    described = shops(variants=("noisy",), is_documented=documented, tasks=tasks)
    text = card(described).decode()
    assert f"| what an agent may see{beside}: nothing else of this release |" in text
    assert text.count("manual.md") == bool(tasks), "it is said once"
    record = FileRecord(path="database/a.csv", bytes=1, records=4321, columns=1, sha256="")
    column = DescribedColumn(field=Field(name="id"))
    file = DescribedFile(path="a.csv", variant="clean", name="a", record=record, columns=(column,))
    assert "4,321" not in dictionary_page(shops(files=(file,))).decode()


@pytest.mark.parametrize(
    ("discloses", "variants", "has_steps"),
    [(False, ("noisy",), False), (True, ("noisy",), True), (False, ("noisy", "clean"), True)],
)
def test_the_card_says_what_tasks_with_answers_give_away(
    variants: tuple[str, ...], *, discloses: bool, has_steps: bool
) -> None:
    """Their answers, and, where the noise or a clean variant is public, what the steps give on clean tables."""
    archives = {variant: f"shops-{variant}.tar.zst" for variant in variants}
    tasks = {"dev": 1, "test": 9}
    text = card(shops(variants=variants, archives=archives, discloses_noise=discloses, tasks=tasks)).decode()
    steps = ", and the steps to them: SQL, and counts of the clean tables" if has_steps else ""
    assert f"Keep `dev.jsonl` from the agent: it has answers{steps} |" in text


def test_texts_of_users_are_no_markup() -> None:
    """A cell keeps to its place; no HTML, link or picture comes of it, and what cannot be seen is shown."""
    hostile = "![a](http://b)<img src=x>|&lt;\n# c\u202e\x1b"
    column = DescribedColumn(field=Field("a|b", unit=hostile, meaning=hostile), treatment="kept")
    record = SimpleNamespace(path="database/a.csv", records=1)
    file = SimpleNamespace(record=record, description=hostile, columns=[column])
    described = SimpleNamespace(title=hostile, version="1.0.0", measures=[])
    text = page("data_dictionary.md", described=described, files=[file]).decode()
    shown = r"!\[a](http://b)\<img src=x>\|\&lt; # c\u202e\x1b"
    assert text.count(shown) == 4
    assert rf"| `a\|b` | text | {shown} | {shown} | kept |" in text.splitlines()


@pytest.mark.parametrize(
    ("sampled", "demonstration", "tag", "first"),
    [
        (
            True,
            False,
            "synthetic",
            "Synthetic records, sampled from statistics of the originals with noise (policy `p`)",
        ),
        (
            False,
            False,
            "pseudonymised",
            "The companies of the originals under invented names (policy `p`): pseudonymised, not anonymous",
        ),
        (False, True, "pseudonymised", "Invented companies, renamed as real ones would be (policy `p`)"),
    ],
)
def test_a_card_says_first_what_the_policy_means(*, sampled: bool, demonstration: bool, tag: str, first: str) -> None:
    """`synthetic` stands only where records are sampled; elsewhere, that companies are found again by the originals."""
    described = shops(is_sampled=sampled, is_demonstration=demonstration)
    assert ("Use them to test agents. They say nothing about a single company." in card(described).decode()) == sampled
    _, front, text = card(described).decode().split("---\n", 2)
    assert {"synthetic", "pseudonymised"} & set(yaml.safe_load(front)["tags"]) == {tag}
    lines = [line for line in text.splitlines() if line]
    assert lines[1].startswith(first)
    assert ("Whoever has the originals can find companies again" in lines[1]) != sampled


def test_what_stands_for_nothing_is_told_by_the_dialect() -> None:
    """A reader of the Data Package makes nulls of it."""
    record = FileRecord(path="database/a.csv", bytes=1, records=1, columns=1, sha256="")
    column = DescribedColumn(field=Field(name="id"))
    file = DescribedFile(path="a.csv", variant="clean", name="a", record=record, null="NA", columns=(column,))
    (resource,) = json.loads(data_package(shops(files=(file,))))["resources"]
    assert resource["schema"]["missingValues"] == ["NA"]
