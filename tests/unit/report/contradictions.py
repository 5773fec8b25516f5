"""An oracle for the first screen: what each card may say, worked out from the figures of reports alone.

It knows the rules of verdicts and no wording but the first word of an answer. It reads the page as a reader does: cards, the
table of gates, and what is marked as failed in the sections below.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from math import comb
from typing import Any

from scipy.stats import binomtest

from anonymize.policy import POLICIES
from pipeline.wording import percent
from tests.unit.report.expected_words import Pair, Reports, faithful, hard, is_sure, rejections, safe, statistics
from validation.attacks.limits import REPORTED_ONLY, names_owners

FAITHFUL, SAFE, HARD = "Faithful", "Safe", "How hard"
_OF_FRESH = "Would another draw look alike?"

_SECTIONS = {FAITHFUL: ("ks", "beyond-ks", "consistency"), SAFE: ("privacy",), HARD: ("noise",)}
"""Card -> the sections that hold its evidence."""


@dataclass(frozen=True, kw_only=True)
class Card:
    """A card as it is read."""

    tone: str
    answer: str
    shown: tuple[str, ...]
    because: str
    """What is shown, and what opens."""
    has_tick: bool


def contradictions(reports: Reports, page: bytes, *, policy: str, is_demonstration: bool) -> list[str]:
    """Return in what the first screen of a page says something else than the figures of its reports."""
    text = page.decode()
    cards, gates = cards_of(text), gates_of(text)
    expected = {
        FAITHFUL: faithful(reports, is_sampled=POLICIES[policy].samples_records),
        SAFE: safe(reports.get("privacy"), is_demonstration=is_demonstration),
        HARD: hard(reports),
    }
    failed = {name: failures_below(text, sections) for name, sections in _SECTIONS.items()}
    return [
        *(
            f"{name}: {cards[name].answer!r}, not {word!r}"
            for name, word in expected.items()
            if name in cards and not _is(cards[name], word)
        ),
        *(
            f"{name}: {card.because!r} has {pair}"
            for name, card in cards.items()
            for pair in _unknown(name, card, reports)
        ),
        *(
            f"{name}: {failed[name]} below are failed"
            for name in cards
            if failed[name] and expected[name] not in _REFUSALS
        ),
        *_of_gates(text, gates),
        *_of_limits(reports.get("privacy") or {}),
        *_unsaid(reports.get("privacy") or {}, text),
        *_of_few(reports.get("noise") or {}, text),
        *_of_changes(reports.get("noise") or {}, text),
        *_of_attacks(reports.get("privacy") or {}, text),
        *_of_steps(text, cards[SAFE]),
        *_of_fresh(reports, text, cards[FAITHFUL]),
        *_of_sizes(reports.get("ks") or {"tests": []}),
        *_of_samples(reports.get("ks") or {"tests": []}, text),
        *([] if cards[SAFE].shown[1].startswith("Not promised: ") else ["Safe: what is not promised"]),
        *(
            ["Faithful: more than two sentences"]
            if sum(
                not sentence.startswith(("For “Yes”, ", "“Yes” cannot be reached here: "))
                for sentence in cards[FAITHFUL].shown
            )
            > len("12")
            else []
        ),
        *(["How hard: a tick"] if HARD in cards and cards[HARD].has_tick else []),
        *_of_untried(reports, gates),
        *_of_the_curators(reports, text, cards, is_sampled=POLICIES[policy].samples_records),
        *_of_recoverable(reports.get("noise") or {}, text),
        *_of_one(text),
        *(f"of nothing: {found}" for found in re.findall(r"\b(?:[Aa]ll 0|0 of 0)\b", first_screen(text))),
    ]


_REFUSALS = ("No", "Not as promised")


_UNPUBLISHED = "hether figures resemble the originals is not published"


def first_screen(text: str) -> str:
    """Return the page until the table of gates ends."""
    return (
        text.partition('<section id="gates">')[0] + text.partition('<section id="gates">')[2].partition("</section>")[0]
    )


def cards_of(text: str) -> dict[str, Card]:
    """Return the cards by the beginning of their questions."""
    found = {}
    for tone, content in re.findall(r'(?s)<section class="card (\w+)"[^>]*>(.*?)</section>', text):
        question, answer, *_ = (_plain(part) for part in re.findall(r"(?s)<(?:h2|p)[^>]*>(.*?)</(?:h2|p)>", content))
        shown, _, further = (
            tuple(map(_plain, re.findall("(?s)<li>(.*?)</li>", part))) for part in content.partition("<details")
        )
        name = FAITHFUL if question == _OF_FRESH else next(name for name in _SECTIONS if question.startswith(name))
        said = re.sub("^[✓!✗] ", "", answer)
        found[name] = Card(
            tone=tone, answer=said, shown=shown, because=" ".join(shown + further), has_tick="✓" in answer
        )
    return found


def gates_of(text: str) -> list[tuple[str, ...]]:
    """Return the rows of the table of gates that are judged: claim, verdict, figure."""
    return [row for row in _rows_of_gates(text) if not row[1].startswith("reported only")]


def _rows_of_gates(text: str) -> list[tuple[str, ...]]:
    rows = re.findall(r"(?s)<tr>(.*?)</tr>", text.partition('<section id="gates">')[2].partition("</section>")[0])
    return [found for row in rows if (found := tuple(map(_plain, re.findall(r"(?s)<td[^>]*>(.*?)</td>", row))))]


def failures_below(text: str, sections: Sequence[str]) -> int:
    """Return how many cells and sentences of some sections are marked as failed."""
    parts = [_section(text, name) for name in sections]
    return sum(len(re.findall(r'class="(?:[^"]* )?(?:exceeded|failed)[" ]', part)) for part in parts)


def _plain(html: str) -> str:
    return unescape(" ".join(re.sub(r"<[^>]*>", " ", html).split()))


def _is(card: Card, expected: str) -> bool:
    return not expected or bool(re.match(rf"{expected}\b", card.answer))


def _of_gates(text: str, gates: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield what the sentence on promises says that the table of gates does not."""
    counts = {word: sum(row[1] == word for row in gates) for word in ("passed", "FAILED", "nothing to compare")}
    promised = re.search(r'(?s)<p class="promised.*?</p>', text)
    said = _plain(promised.group()) if promised else ""
    is_refused = "Refused, nothing published" in text
    if is_refused != ("Built as promised: no." in said):
        yield f"promised: {said!r} of a page that is {'' if is_refused else 'not '}refused"
    if len(gates) != len(table := _rows_of_gates(text)):
        yield f"promised: {len(gates)} gates over a table of {len(table)} rows"
    if gates and f"{counts['passed']} of {len(gates)} gates hold" not in said:
        yield f"promised: {said!r}, not {counts}"
    if (f", {counts['FAILED']} failed" in said) != bool(counts["FAILED"]):
        yield f"promised: {said!r}, not {counts}"
    if "Built as promised: yes" in said and re.search("to compare|to look at|may be published|others found", said):
        yield f"promised: {said!r} is a yes to what was not tried or not published"
    if any(" 0 with a limit" in figure and word == "passed" for _, word, figure in gates):
        yield "an attack without a limit has passed"
    if counts["FAILED"] and not is_refused:
        yield "promised: a gate failed, and the build is not refused"
    if not counts["FAILED"] and re.search(r"\bFAILED\b", text):  # a script, too, may write it
        yield "FAILED, and no gate is"

    yield from (
        f"{claim}: {figure!r} has passed, and nobody says how many may"
        for claim, word, figure in gates
        if word == "passed"
        and re.search(r"(?<![\d,])[1-9][\d,]* (?:of [\d,]+ [^;]*|shown to )differ\b", figure)
        and " allowed)" not in figure
    )


def _of_untried(reports: Reports, gates: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield each gate that has passed although most of its attempts were on too little to show anything."""
    filters = [each for each in (reports.get("noise") or {}).get("filters", []) if each["limit"] and each["records"]]
    attacks = [each for each in (reports.get("privacy") or {}).get("attacks", []) if each["limit"] != REPORTED_ONLY]
    few = {
        "attempts?: ": [
            not each["is_detected"] and binomtest(each["successes"], each["records"]).proportion_ci(0.9).high > 0.6
            for each in filters
        ],
        "attacks?: ": [each.get("highest_kept") == 1 for each in attacks if each["passed"] is not None],
    }
    for _, word, figure in gates:
        for what, every in few.items():
            tried = every.count(False)
            is_open = bool(every) and word != "FAILED" and tried <= len(every) / 2
            if (
                re.search(what, figure)
                and is_open
                and word != f"too few to say: {tried} of {len(every)} could be tried"
            ):
                yield f"{figure}: {word!r}, and {tried} of {len(every)} could be tried"


def _of_the_curators(reports: Reports, text: str, cards: Mapping[str, Card], *, is_sampled: bool) -> Iterator[str]:
    """Yield what a page of sampled records does not say of its other half: each compares with something else."""
    of = [
        reports[name].get("compared_with", "the originals")
        for name in ("ks", "distributions", "consistency")
        if name in reports
    ]
    is_of_fresh = any(each.startswith("fresh draws") for each in of)
    if is_of_fresh and "curator/reports/report.html" not in first_screen(text):
        yield "fresh draws: nobody says where the comparison with the originals is"
    is_apart = is_sampled and bool(of) and not is_of_fresh
    said = re.findall(r"Counted here: gates (on the originals|whose outcome may be published)[.;]", text)
    expected = ["on the originals"] * is_apart + ["whose outcome may be published"] * is_of_fresh
    if said != ([] if "Refused, nothing published" in text else expected):
        yield f"promised: gates {said} of a page that is{'' if is_apart else ' not'} the curator's"
    if is_apart != (HARD not in cards):
        yield f"How hard: {'a card' if is_apart else 'no card'}"
    if is_apart and "<code>database/</code>" in first_screen(text):
        yield "the curator's page speaks of tables that are not there"
    if (reports.get("privacy") or {}).get("doors") and "alone in theirs" in text and "points to no company" not in text:
        yield "records are alone in their class, and nobody says what that means of sampled ones"


def _of_recoverable(noise: Mapping[str, Any], text: str) -> Iterator[str]:
    """Yield a page without a cleaner's findings that does not say how many changes its tables call recoverable."""
    rules, cards = noise.get("rules", []), cards_of(text)
    marked = sum(rule["cells"] for rule in rules if rule["recoverable"])
    every = sum(rule["cells"] for rule in rules)
    is_measured = every and not noise.get("cleaner") and HARD in cards and cards[HARD].tone == "measure"
    if is_measured and f"{marked:,} of {every:,} can surely be undone" not in cards[HARD].because:
        yield f"How hard: {cards[HARD].because!r}, and {marked} of {every} changes are marked as recoverable"


def _of_one(text: str) -> Iterator[str]:
    """Yield each single thing that is counted in the plural."""
    seen = _plain(re.sub("(?s)<(script|style).*?</\\1>", "", first_screen(text)))
    yield from re.findall(
        r"(?<![\d,.])1 (?:samples|tests|records|attacks|attempts|cells|rows|identifiers|changes)\b", seen
    )


def _of_limits(privacy: Mapping[str, Any]) -> Iterator[str]:
    """Yield each attack whose highest rate that keeps the limit is not where its test fails."""
    for attack in privacy.get("attacks", []):
        if (most := attack.get("highest_kept")) is not None and (attack["rate"] <= most) != attack["passed"]:
            yield f"{attack['attack']}: passed is {attack['passed']} at {attack['rate']}, and the limit stands at {most}"


def _of_attacks(privacy: Mapping[str, Any], text: str) -> Iterator[str]:
    """Yield each number of attacks that is not that of all, or of those on owners: everywhere one number is said of each."""
    said = " ".join([_plain(first_screen(text)), *map(_plain, re.findall('(?s)<p class="verdict.*?</p>', text))])
    attacks = privacy.get("attacks", [])
    owners = sum(bool(attack.get("records")) and names_owners(attack) for attack in attacks)
    yield from (
        f"{found} attacks{on} of {len(attacks)}, of which {owners} are on owners"
        for found, on in re.findall(r"([\d,]+) attacks?\b( on owners)?", said)
        if _int(found) != (owners if on else len(attacks))
    )


def _of_steps(text: str, safe: Card) -> Iterator[str]:
    """Yield a step that releases what is not plainly safe."""
    steps = text.partition('<section aria-labelledby="next"')[2].partition("</section>")[0]
    if "silt release" in steps and not safe.answer.startswith("Yes"):
        yield f"next: a release, though safe says {safe.answer!r}"


def _of_fresh(reports: Reports, text: str, card: Card) -> Iterator[str]:
    """Yield what is said of originals where a release was compared with fresh draws, but that nothing is shown of them."""
    of = [reports[name] for name in ("ks", "distributions", "consistency") if name in reports]
    if not any(each.get("compared_with", "").startswith("fresh draws") for each in of):
        return
    seen = re.sub("(?s)<script.*?</script>", "", text)
    said = ". ".join([_plain(_section(seen, name)) for name in _SECTIONS[FAITHFUL]] + [card.because])
    for words in ("about the originals: only the curator has a comparison with the originals", _UNPUBLISHED):
        said = said.replace(words, "")
    yield from (f"of fresh draws: {found}" for found in re.findall(r"(?i)[^.]*\boriginals?\b[^.]*", said))
    if "is not published" not in card.because and card.answer.startswith(("Yes", "Partly")):
        yield f"Faithful: {card.because!r} does not say that likeness to the originals is not published"
    yield from (f"of the curator's gates: {found}" for found in re.findall("every gate held", seen))


def _section(text: str, name: str) -> str:
    return text.partition(f'<section id="{name}" class="part">')[2].partition("</section>")[0]


def _of_sizes(ks: Mapping[str, Any]) -> Iterator[str]:
    """Yield each test whose p is below what two samples of so few figures can have, or above p by Holm."""
    for test in ks["tests"]:
        least, p_value = 2 / comb(test["n"] + test["n_anonymised"], test["n"]), test["p_value"]
        if not 0.999 * least <= p_value <= test["p_holm"]:
            yield f"p {p_value} of {test['n']} and {test['n_anonymised']} figures: at least {least}, by Holm {test['p_holm']}"


def _of_samples(ks: Mapping[str, Any], text: str) -> Iterator[str]:
    """Yield how many samples are tested at two levels, where the first screen counts their tests as if all were different."""
    of = ("measure", "group", "year", "n", "n_anonymised", "statistic", "p_value")
    every, tests = len({tuple(test[name] for name in of) for test in ks["tests"]}), len(ks["tests"])
    for counted in re.findall(rf"of {tests:,} (?:KS )?tests?\b( \([\d,]+ different)?", _plain(first_screen(text))):
        if counted != (f" ({every:,} different" if every < tests else ""):
            yield f"{every} different samples in {tests} tests: {counted!r}"


def _unsaid(privacy: Mapping[str, Any], text: str) -> Iterator[str]:
    """Yield each family of attacks whose success stands under nothing that is not promised."""
    below = _plain(_section(text, "privacy").partition("Not promised, or not hidden.")[2].partition("<h3>")[0])
    for each in privacy.get("attacks", []):
        if each["limit"] == REPORTED_ONLY and is_sure(each) and f"{each['family']}, " not in below:
            yield f"not promised: nothing of {each['family']}, of which {each['attack']} finds {each['rate']}"
    if cards_of(text)[SAFE].answer.startswith("No: ") and '<p class="verdict passed"' in _section(text, "privacy"):
        yield "Safe is no, and its section has passed"
    account = privacy.get("account")
    if account and f"{100 * account['largest_area']:.4g}% of pairs" not in cards_of(text)[SAFE].because:
        yield f"not promised: no word of an area of {account['largest_area']}"


def _of_few(noise: Mapping[str, Any], text: str) -> Iterator[str]:
    """Yield each attempt that is called no better than guessing though it may sort more than six rows of ten rightly."""
    few = {
        f"{each['attack']}: {percent(each['rate'])} of {each['records']:,} rows"
        for each in noise.get("filters", [])
        if each["records"] and binomtest(each["successes"], each["records"]).proportion_ci(0.9).high > 0.6
    }
    found = re.findall(r"No better than guessing\. ([^:.]+: [\d.]+% of [\d,]+ rows)", _plain(_section(text, "noise")))
    yield from (f"noise: {each!r} says nothing" for each in found if each in few)
    yield from (
        f"rate: {each!r}" for each in re.findall("between 0% and 100%: passed", _plain(_section(text, "noise")))
    )


def _of_changes(noise: Mapping[str, Any], text: str) -> Iterator[str]:
    """Yield each count of changes that is another than noise made, and that nobody says why the ledger has more entries."""
    entries = sum(rule["cells"] for rule in noise.get("rules", []))
    changes = cleaner["changes"] if (cleaner := noise.get("cleaner")) else entries
    made = re.findall(r"\bmade ([\d,]+) changes?\b", _plain(re.sub("(?s)<script.*?</script>", "", text)))
    yield from (f"{found} changes, not {changes}" for found in made if _int(found) != changes)
    if changes != entries and not re.search(rf"\b{changes:,} changes in {entries:,} entries\b", _plain(text)):
        yield f"{changes} changes and {entries} entries, and nobody says why"


# --- so many of so many ------------------------------------------------------------------------------------------------


def _unknown(name: str, card: Card, reports: Reports) -> Iterator[Pair]:
    """Yield each count of a card that no report has."""
    known = set(_PAIRS[name](reports))
    for some, every in re.findall(r"([\d,]+) of ([\d,]*\d)\b", f"{card.answer} {card.because}"):
        if (pair := (_int(some), _int(every))) not in known:
            yield pair


def _int(text: str) -> int:
    return int(text.replace(",", ""))


def _of_faithful(of: Reports) -> Iterator[Pair]:
    ks, shapes, agreement = (of.get(name) for name in ("ks", "distributions", "consistency"))
    for each in [ks, *ks.get("events", {}).values()] if ks else []:
        yield rejections(each)[0]
    if shapes:
        yield from ((shapes["judged"][name], shapes["judged"]["samples"]) for name in ("equivalent", "different"))
    if agreement:
        cells, bounded = (sum(each[name] for each in agreement["aggregates"]) for name in ("cells", "bounded_cells"))
        yield cells - bounded, cells
        yield from ((bounded, cells), (sum(each["near"] for each in agreement["aggregates"]), cells))
        yield sum(each["outside"] for each in agreement["aggregates"]), bounded
        yield from (statistics(agreement, is_judged=each)[0] for each in (True, False))
        exact = [not each["disagreeing"] for part in ("totals", "chain") for each in agreement[part] if each["cells"]]
        exact += [not each["max_residual"] for each in agreement["identities"] if each["records"]]
        yield sum(exact), len(exact)
        yield sum(not each["disagreeing"] for each in agreement["totals"]), len(agreement["totals"])


def _of_safe(of: Reports) -> Iterator[Pair]:
    attacks = (of.get("privacy") or {}).get("attacks", [])
    yield from ((each["successes"], each["records"]) for each in attacks if "records" in each)


def _of_hard(of: Reports) -> Iterator[Pair]:
    noise = of.get("noise") or {}
    cells = [(rule["cells"], bool(rule["recoverable"])) for rule in noise.get("rules", [])]
    names, busy = ({rule["rule"] for rule in noise.get("rules", []) if rule["cells"] >= most} for most in (0, 1))
    yield len(names - busy), len(names)
    yield sum(count for count, is_marked in cells if is_marked), sum(count for count, _ in cells)
    if cleaner := noise.get("cleaner"):
        yield cleaner["mended"], cleaner["recoverable"]
    rates = (of.get("expectations") or {}).get("rules", [])
    yield sum(each["passed"] for each in rates), len(rates)


_PAIRS: Mapping[str, Callable[[Reports], Iterator[Pair]]] = {FAITHFUL: _of_faithful, SAFE: _of_safe, HARD: _of_hard}
