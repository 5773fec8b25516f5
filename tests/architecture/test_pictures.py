"""The pictures of README and docs show what there is."""

import json

from tests.pictures.shown import SHOWN, shown


def test_no_picture_is_older_than_what_it_shows() -> None:
    """What decides what is seen has not changed since the pictures were made, and no picture was changed by hand."""
    made, now = json.loads(SHOWN.read_text(encoding="utf-8")), shown()
    assert {name: now[name] == made.get(name) for name in now} == dict.fromkeys(now, True), "run `make pictures`"
