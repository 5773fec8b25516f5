"""Markdown of a release: what users have written is text in it."""

from types import SimpleNamespace

from pipeline.release.metadata.pages import page


def test_texts_of_users_are_no_markup() -> None:
    """A cell keeps to its place; no HTML, link or picture comes of it, and what cannot be seen is shown."""
    hostile = "![a](http://b)<img src=x>|&lt;\n# c\u202e\x1b"
    column = SimpleNamespace(
        name="a|b", is_key=False, type="text", unit=hostile, meaning=hostile, refers_to="", fate="kept"
    )
    record = SimpleNamespace(path="database/a.csv", records=1)
    file = SimpleNamespace(record=record, description=hostile, columns=[column])
    described = SimpleNamespace(title=hostile, version="1.0.0", measures=[])
    text = page("data_dictionary.md", described=described, files=[file]).decode()
    shown = r"!\[a](http://b)\<img src=x>\|\&lt; # c\u202e\x1b"
    assert text.count(shown) == 4
    assert rf"| `a\|b` | text | {shown} | {shown} | kept |" in text.splitlines()
