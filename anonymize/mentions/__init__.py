"""Where prose names somebody: one finder for what is replaced in originals and for what is searched in published files.

    normal_form.py    the form in which one name written in several ways is the same
    aligned.py        texts beside their normal forms, with the place in the text of each character of these
    ordinary.py       words that say nothing by themselves
    forms.py          in which forms what identifies somebody is looked for, and how far their writing may stray
    finding.py        the finder: candidates, what each must be besides its letters, which of several counts
    measuring.py      which names are ordinary words in a corpus, and which words of names are nobody else's
    codes.py          codes, in the forms of a declaration's examples and in forms of no example
    labels.py         words behind which digits are somebody's number
    contacts.py       hosts, addresses and telephone numbers, and invented ones
    called.py         former and short names that a text itself tells
    near/             names that texts misspell by one letter, or write with a gap within a word
    report.py         what was found: counts for everybody, places for the curator

What takes the place of a mention is given (`Term`); reading a build's tables is `anonymize/prose/replacing.py`.
"""
