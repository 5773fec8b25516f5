"""Comments of a shop with people, telephone numbers and brands planted in them, and a search without a line of the finder.

The search knows nothing of names and notations: it folds everything to small letters without accents, and looks for words, for
the last digits of numbers, and for brands in letters without anything between them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from unicodedata import combining, normalize

from faker import Faker

MANY = 40
"""Of each: surnames, numbers, brands."""

PEOPLE = (
    *("{} complained about the box.", "Spoke to Ms. {} today.", "{}'s parcel is late", "NOTE FROM {upper}: NO RETURN"),
    *(
        "refund for {lower} please",
        "the {}s want it back",
        "Dear Mrs {}, sorry.",
        "({}) will call again",
        "re:{}/urgent",
    ),
    *("signed,\n{}", "“{}” was angry", "ask {} or the manager", "{first} {} moved", "{}, {first}: paid", "F.{} called"),
)
NUMBERS = (
    *("call me on {0}", "tel. {0}", "({0})", "{0} is the new number", "Fax:{0}.", "reach them at {0}, mornings"),
    *("number {0}/mobile", "old: {0}; new: none", "phone={0}", "{0}\n"),
)
BRANDS = (
    *(
        "bought the {} app",
        "a subsidiary of {} Group Corporation Limited",
        "the {}-branded kettle",
        "{upper} KETTLE BROKE",
    ),
    *("{}’s warranty", "like {} Cloud, but worse", "from {}.", "my “{}” stopped", "{}/Other mixers", "see {}® manual"),
)
NOTATIONS = ("+44 {a} {b} {c}", "0{a} {b} {c}", "(0{a}) {b}-{c}", "0044{a}{b}{c}", "+44 (0){a} {b}{c}", "0{a}{b}{c}")


@dataclass(frozen=True)
class Shop:
    """Who buys, who makes, and what is said."""

    people: Sequence[str]
    numbers: Sequence[str]
    """One notation each."""
    makers: Sequence[str]
    comments: Sequence[str]

    def surnames(self) -> list[str]:
        """Return the last words of the planted people."""
        return [name.split()[-1] for name in self.people[:MANY]]


def shop(seed: int) -> Shop:
    """Return a shop of 120 people, 120 numbers and 60 makers, of which some are planted in comments among others."""
    fake = Faker("en_GB")
    fake.seed_instance(seed)
    draw = fake.random
    surnames = list(dict.fromkeys(fake.last_name() for _ in range(2_000)))
    people = [f"{fake.first_name()} {surname}" for surname in surnames[:120]]
    digits = [(f"{draw.randint(113, 199)}", f"{draw.randint(200, 999)}", f"{draw.randint(1000, 9999)}") for _ in people]
    numbers = [draw.choice(NOTATIONS).format(a=a, b=b, c=c) for a, b, c in digits]
    syllables = ("zor", "vak", "nel", "tiq", "bru", "mex", "lod", "pha", "wyn", "gri")
    brands = list(dict.fromkeys("".join(draw.sample(syllables, 3)).capitalize() for _ in range(90)))[:60]
    makers = [f"{brand} Electronics Co., Ltd." for brand in brands]
    comments = [draw.choice(PEOPLE).format(*_forms(name.split()[-1]), **_named(name)) for name in people[:MANY]]
    comments += [draw.choice(NUMBERS).format(draw.choice(NOTATIONS).format(a=a, b=b, c=c)) for a, b, c in digits[:MANY]]
    comments += [draw.choice(BRANDS).format(brand, upper=brand.upper()) for brand in brands[:MANY]]
    comments += [fake.sentence() for _ in range(300)]
    draw.shuffle(comments)
    return Shop(people, numbers, makers, comments)


def found(made: Shop, published: Sequence[str]) -> Iterator[str]:
    """Yield which planted surname, number or brand stands in what is published."""
    folded = [_folded(text) for text in published]
    words = {word for text in folded for word in re.findall(r"[^\W\d_]+", text)}
    yield from (name for name in made.surnames() if words & {_folded(name), _folded(name) + "s"})
    digits = ["".join(re.findall(r"\d", text)) for text in published]
    yield from (one for one in made.numbers[:MANY] if any(_last(one) in text for text in digits))
    together = ["".join(re.findall(r"\w", text)) for text in folded]
    yield from (one for one in made.makers[:MANY] if any(_folded(one.split()[0]) in text for text in together))


def _forms(surname: str) -> tuple[str]:
    return (surname,)


def _named(name: str) -> dict[str, str]:
    first, last = name.split()
    return {"upper": last.upper(), "lower": last.lower(), "first": first}


def _folded(text: str) -> str:
    bare = re.sub(r"['’](?:s\b)?", lambda match: " " if len(match[0]) > 1 else "", text.casefold())
    return "".join(one for one in normalize("NFKD", bare) if not combining(one))


def _last(number: str) -> str:
    return "".join(re.findall(r"\d", number))[-7:]
