"""Tries every case, and writes down what is said: `python -m tests.catalogue`."""

import json

from tests.catalogue import MESSAGES, PAGE, cases, page, tried

told = {case.id: tried(case) for case in cases()}
MESSAGES.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
PAGE.write_text(page(told), encoding="utf-8")
