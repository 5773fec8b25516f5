"""How counts and shares read, and the one warning, in errors, reports, charts and on pages alike.

A share that was found is rounded, one that somebody chose is written digit for digit. Other values in words belong to
`validation/wording.py`.
"""

FOUND_AGAIN = "companies can be found again"
"""What a reader must see first of real companies under invented names: in a verdict, on a page, on a card."""

LEAST_SHOWN = 0.0005
"""Share from which a tenth of a per cent shows."""


def percent(share: float) -> str:
    """Return a share that was found, so that only 0 reads as 0% and only 1 as 100%."""
    if share in {0, 1}:
        return f"{share:.0%}"
    if share < LEAST_SHOWN:
        return "under 0.1%"
    return f"{share:.1%}" if share < 1 - LEAST_SHOWN else "over 99.9%"


def exact_percent(share: float) -> str:
    """Return a share that somebody chose, with six digits at most."""
    return f"{100 * share:.6g}%"


def counted(count: int, noun: str) -> str:
    """Return so many of something, the noun in the plural unless it is one."""
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def with_article(noun: str) -> str:
    """Return a noun after its indefinite article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
