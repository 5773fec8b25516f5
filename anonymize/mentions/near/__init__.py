"""Misspelt names: which words of texts are one edit from a word of a name, and in which forms names with them are looked for.

edits.py       words one edit from others
misspelt.py    forms of names and of their words with one word misspelt, as texts write it
"""
