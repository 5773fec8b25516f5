"""Prints what `python -m benchmarks.mentions` measures."""

import argparse
from collections import Counter
from functools import reduce
from pathlib import Path

import benchmarks.mentions
from benchmarks.mentions import GOAL, MOST_ORDINARY, measure, real
from benchmarks.mentions.attacker import attacked
from benchmarks.mentions.by_one_word import LANGUAGES, left_in_notes
from benchmarks.mentions.misspelt import EDITS, MISTAKES, NEAR, NEAR_ALONE, ORDINARY, PLACES, in_notes
from benchmarks.mentions.pieces import GAPS, SHAPES, places
from benchmarks.mentions.writing import FORMS


def main() -> None:
    """Print the counts."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.mentions", description=benchmarks.mentions.__doc__)
    options.add_argument("--companies", type=int, default=2_000, help="how many are invented")
    options.add_argument(
        "--names",
        type=Path,
        nargs="*",
        default=(),
        help="CSV files with symbol, name, summary, city, industry, website",
    )
    options.add_argument("--words", action="store_true", help="one word of names that Faker invents, in nine languages")
    options.add_argument(
        "--misspelt", action="store_true", help="misspelt names, and ordinary words near names, likewise"
    )
    options.add_argument("--pieces", action="store_true", help="where ordinary text could be a code in pieces")
    options.add_argument("--attack", action="store_true", help="what who has the register reads in published texts")
    given = options.parse_args()
    if given.attack or given.pieces:
        (print_attack if given.attack else print_pieces)()
        return
    if given.misspelt:
        print_misspelt()
        return
    if given.words:
        print_words()
        return
    if given.names:
        real(given.names)
        return
    found = measure(given.companies)
    print(f"{given.companies:,} companies, {2 * given.companies:,} texts, {len(FORMS)} forms")
    print("| form | n | missed |\n|---|---:|---:|")
    for form in FORMS:
        print(f"| {form.name} | {found.mentions[form.name]:,} | {found.missed.get(form.name, 0):,} |")
    total, missed = sum(found.mentions.values()), sum(found.missed.values())
    print(f"replaced: {total - missed:,} of {total:,} mentions ({found.share:.2%}; goal {GOAL:.1%})")
    print(
        f"ordinary words replaced: {found.replaced:,} of {found.words:,} ({found.ordinary:.3%}; at most {MOST_ORDINARY:.1%})"
    )
    print(f"missed: {missed:,}, of which the search or the list of proposals holds {found.listed:,}")
    for example in found.examples:
        print(f"  {example}")


def print_words() -> None:
    """Print what is left of single words of names, by language and in all."""
    columns = ("names", "words in own notes", "left", "unlisted", "met", "left", "unlisted", "ordinary words", "left")
    print(f"| language | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    found = [left_in_notes(language) for language in LANGUAGES]
    for language, counts in (*zip(LANGUAGES, found, strict=True), ("all", map(sum, zip(*found, strict=True)))):
        print(f"| {language} | {' | '.join(f'{count:,}' for count in counts)} |")


def print_misspelt() -> None:
    """Print what is left of misspelt names, by mistake and place, and what is replaced of ordinary words."""
    every = [in_notes(language) for language in LANGUAGES]
    notes, left, unlisted, replaced = (reduce(Counter.__add__, counts) for counts in zip(*every, strict=True))
    print(f"| left, of these unlisted | n | {' | '.join(PLACES)} |\n|---|---:|{'---:|' * len(PLACES)}")
    for name, mistakes in {"one edit": EDITS, **{mistake: [mistake] for mistake in MISTAKES}}.items():
        kinds = [[f"{mistake}, {place}" for mistake in mistakes] for place in PLACES]
        n, stay, hidden = (
            [sum(count[kind] for kind in of_place) for of_place in kinds] for count in (notes, left, unlisted)
        )
        counts = (f"{each:,}, {of_these:,}" for each, of_these in zip(stay, hidden, strict=True))
        print(f"| {name} | {n[0]:,} | {' | '.join(counts)} |")
    for kind in (ORDINARY, NEAR, NEAR_ALONE):
        print(f"{kind}: {replaced[kind]:,} of {notes[kind]:,} replaced as misspelt")


def print_pieces() -> None:
    """Print at how many places of ordinary text a code of each form could stand in pieces."""
    print(f"| between letters and digits | {' | '.join(SHAPES)} |\n|---|{'---:|' * len(SHAPES)}")
    for gap in GAPS:
        print(f"| {gap} | {' | '.join(f'{count:,}' for count in places(gap).values())} |")


def print_attack() -> None:
    """Print how many names the attacker reads, and how many of these nothing lists or finds, by kind and writing."""
    every = [attacked(language) for language in LANGUAGES]
    written, named, missed = (reduce(Counter.__add__, counts) for counts in list(zip(*every, strict=True))[:3])
    print("| written | texts | read | missed |\n|---|---:|---:|---:|")
    for kind, count in written.items():
        print(f"| {kind} | {count:,} | {named[kind]:,} | {missed[kind]:,} |")
    print(f"| all | {written.total():,} | {named.total():,} | {missed.total():,} |")
    print(f"names of nobody read in these texts: {sum(read.decoys for read in every):,}")


if __name__ == "__main__":
    main()
