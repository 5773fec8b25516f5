"""Legal forms at the end of company names, and what is left of a name without them: prose drops them as a rule."""

import re

CHINESE_FORMS = ("有限", "责任", "股份", "集团", "控股", "总", "公司")
ENGLISH_FORMS = (
    *("ag", "co", "companies", "company", "corp", "corporation", "gmbh", "group", "holding", "holdings", "inc"),
    *("incorporated", "jointstock", "limited", "llc", "llp", "lp", "ltd", "nv", "plc", "pte", "pty", "sa", "se"),
)
"""Of what legal forms are made (ISO 20275 has them all), and what goes with them."""

DISTINCTIVE_WORDS, DISTINCTIVE_LETTERS, DISTINCTIVE_WITH_CHINESE = 2, 8, 5
"""What a name without its legal form must have to be nobody else's: words and letters, or characters if one is Chinese. Our
choice: with these, nothing in the builds of both environments is a false alarm of the escape scan; `上海电力` would be one."""

_FORM = re.compile(rf"(?:{'|'.join(CHINESE_FORMS)})+$|(?:[\s,.]+(?:{'|'.join(ENGLISH_FORMS)})\b\.?)+$", re.IGNORECASE)
_CHINESE = re.compile(r"[\u3400-\u9fff]")


def without_legal_form(name: str) -> str:
    """Return the name without its legal form, or an empty text where what is left could be anybody's."""
    part = _FORM.sub("", name)
    if _CHINESE.search(part):
        return part if len(part) >= DISTINCTIVE_WITH_CHINESE else ""
    letters = sum(character.isalnum() for character in part)
    return part if len(part.split()) >= DISTINCTIVE_WORDS and letters >= DISTINCTIVE_LETTERS else ""
