"""The page of a set of tasks: what is asked, what answers it, and what noise does to it.

    page.py      the page as a whole: sentence, counts, picture, list
    effects.py   which noise breaks which task, and what the naive reader answers on the way from noisy to clean
    evidence.py  the rows that an answer depends on, with noise marked

Belongs here: the form. Tasks are made in `pipeline/tasks`, what noise does to them is found in `validation/tasks`.
"""
