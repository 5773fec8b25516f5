"""Legal forms at the end of company names, and names without them, as prose usually writes them."""

import re

CHINESE_FORMS = ("有限", "责任", "股份", "集团", "控股", "总", "公司")
ENGLISH_FORMS = (
    *("ag", "co", "companies", "company", "corp", "corporation", "gmbh", "group", "holding", "holdings", "inc"),
    *("incorporated", "jointstock", "limited", "llc", "llp", "lp", "ltd", "nv", "plc", "pte", "pty", "sa", "se"),
)
"""Words and letters of legal forms (ISO 20275 lists all forms), and words that stand beside them."""

DISTINCTIVE_WORDS, DISTINCTIVE_LETTERS, DISTINCTIVE_WITH_CHINESE = 2, 8, 5
"""A name without its legal form is distinctive with so many words and letters, or so many characters if one is Chinese. Our
choice: with these the escape scan has no false alarm in builds of both environments; `上海电力` would be one."""

_FORM = re.compile(rf"(?:{'|'.join(CHINESE_FORMS)})+$|(?:[\s,.]+(?:{'|'.join(ENGLISH_FORMS)})\b\.?)+$", re.IGNORECASE)
_CHINESE = re.compile(r"[\u3400-\u9fff]")


def bare(name: str) -> str:
    """Return the name without its legal form, whatever the rest is."""
    return _FORM.sub("", name)


def without_legal_form(name: str) -> str:
    """Return the name without its legal form; an empty text if the rest is not distinctive."""
    part = bare(name)
    if _CHINESE.search(part):
        return part if len(part) >= DISTINCTIVE_WITH_CHINESE else ""
    letters = sum(character.isalnum() for character in part)
    return part if len(part.split()) >= DISTINCTIVE_WORDS and letters >= DISTINCTIVE_LETTERS else ""
