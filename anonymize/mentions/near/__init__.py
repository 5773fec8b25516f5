"""Names that are misspelt or in pieces: words one edit from one of a name, forms of names with them, and gaps within words.

edits.py       words one edit from others
apart.py       in which pieces the letters of a name may stand
misspelt.py    forms of names and of their words with one word misspelt, as texts write it
"""
