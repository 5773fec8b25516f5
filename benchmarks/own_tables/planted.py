"""How much of what is planted in the shop's comments is replaced: `python -m benchmarks.own_tables.planted SHOP`.

SHOP is the folder of raw files of the shop. Of customers 40 surnames and 40 numbers, of artists 40 names as brands are
written into comments in ways that nobody had in mind who wrote the finder. The declaration is the one that `silt init` guesses.
What is left is searched for letter by letter and digit by digit, without the finder.
"""

import csv
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from unicodedata import combining, normalize

from faker import Faker

from anonymize.prose.replacing import read_prose
from anonymize.pseudonyms import pseudonyms
from pipeline.conform import conform
from pipeline.guess.declared import guess
from pipeline.keyed import Key

MANY = 40
KEY = Key(b"planted".ljust(32, b"."))

SURNAMES = (
    *("cc {0}; please advise", "Return to sender: {0}, 3rd floor", "{0}-family order", "per {1}'s wife", "att. {2}"),
    *(
        "{0}/{0} jr. both paid",
        "did M. {0} sign?",
        "#{1} wants a refund",
        "[{0}]",
        "{2}!!! AGAIN",
        "the elder {0} rang",
    ),
    *("Frau Dr. {0} fragt nach", "chez {0}", "{0}s Rechnung", "…{0}… no answer", "mr_{1}", "to:{0};from:us"),
)
NUMBERS = (
    *("ring {0}", "no. {1} please", "{2}", "tel:{3}", "SMS to {1} only", "mobile={2}!", "{0} (office)", "whatsapp {3}"),
    *("dial {1} or {2}", "({0})", "fax {1}/mail", "his number is{0}", "{3}, ask for the boss", "№ {1}"),
)
BRANDS = (
    *(
        "my {0} record is scratched",
        "any {1} shirts?",
        "{2} LIVE was sold out",
        "“{0}” box set",
        "({0})",
        "like {0}, louder",
    ),
    *(
        "{0}'s first album",
        "{0}-style riffs",
        "#{3}",
        "best of {0}!",
        "{0} & friends",
        "new {0}/old {0}",
        "{0}: refund",
    ),
)


def planted(folder: Path) -> list[tuple[str, str, str]]:
    """Return kind, what is planted, and the comment that says it."""
    customers, artists = (list(csv.DictReader((folder / f"{name}.csv").open())) for name in ("customers", "artists"))
    brands = [row["name"] for row in artists if re.fullmatch(r"[A-Z]\w+( [A-Z]\w+)+", row["name"])]
    kinds = (
        ("surname", SURNAMES, [row["lastname"] for row in customers], _cases),
        ("telephone number", NUMBERS, [row["phone"] for row in customers if row["phone"]], _notations),
        ("brand", BRANDS, brands, _cases),
    )
    return [
        (kind, one, way.format(*written(one)))
        for kind, ways, originals, written in kinds
        for one, way in islice(zip(dict.fromkeys(originals), cycle(ways), strict=False), MANY)
    ]


def left(folder: Path) -> list[tuple[str, str, str, str]]:
    """Return kind, what was planted, the comment and what is published of it, where it still says what was planted."""
    made = planted(folder)
    with tempfile.TemporaryDirectory() as scratch:
        shop = Path(shutil.copytree(folder, Path(scratch) / "shop"))
        with (shop / "comments.csv").open("w", newline="") as target:
            csv.writer(target).writerows([("number", "invoice", "comment"), *_rows(made)])
        texts = _published(shop)
    both = ((*each, texts[str(number)]) for number, each in enumerate(made, 1))
    return [(kind, one, said, text) for kind, one, said, text in both if _plain(one)[-8:] in _plain(text)]


def _rows(made: Sequence[tuple[str, str, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield the planted comments, and as many as a guess needs to know prose."""
    fake = Faker("en_US")
    fake.seed_instance(1)
    said = (*(comment for _, _, comment in made), *(fake.sentence(12) for _ in range(280)))
    yield from ((number, number, comment) for number, comment in enumerate(said, 1))


def _published(folder: Path) -> dict[str, str]:
    found = guess(folder)
    if found is None:
        return {}
    environment = found.environment()
    frames = conform(environment.raw_tables, folder, kinds=environment.kinds, panel=environment.panel).frames
    prose = read_prose(environment, frames, pseudonyms(environment, frames, KEY), KEY)
    return dict(zip(frames["comments"]["invoice"], prose.text("comments", "comment"), strict=True))


def _cases(name: str) -> Sequence[str]:
    return name, name.lower(), name.upper(), name.replace(" ", "")


def _notations(number: str) -> Sequence[str]:
    digits = re.sub(r"\D", "", number)
    pairs = " ".join(re.findall(r"\d{1,2}", digits))
    return f"00{digits}", number.replace(" ", "."), re.sub(r"[() -]+", "-", number), f"+{pairs}"


def _plain(text: str) -> str:
    """Return letters and digits alone, without accents; of a number its digits."""
    bare = "".join(one for one in normalize("NFKD", text.casefold()) if not combining(one))
    return re.sub(r"\D" if not re.search(r"[a-z]", bare) else r"[\W_]", "", bare)


def main(folder: Path) -> None:
    """Print how many of each kind are left, and what of them is published."""
    found = left(folder)
    for kind in ("surname", "telephone number", "brand"):
        here = [each for each in found if each[0] == kind]
        print(f"{kind}: {len(here)} of {MANY} left")
        for _, one, said, text in here:
            print(f"  {one!r} in {said!r}: {text!r}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
