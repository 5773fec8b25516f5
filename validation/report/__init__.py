"""What is said of a variant: its reports as types, and the pages on which a curator, an evaluator and an auditor read them.

    documents/   what each report holds, and its JSON Schema
    head/        the first screen: verdicts, gates, what failed, what to do next
    pages.py     `report.html` of all sections; `ks.html`, `consistency.html`, `privacy.html`, `noise.html` of one each
    data_docs.py the pages of expectations, and their index
    sections/    what each section says, one module each: a finding is worded here and nowhere else
    templates/   the HTML of each section, one template each; styles; `scripts/`, which open cells and sort tables
    data/        what each table holds, for looking at it
    charts/      what drawings are made of: plots and small drawings; the frontier
    labels.py    names in two languages
    html.py      tables and other forms, and how templates are filled

Without a script everything but the curves and the tail of the longest table still stands on the page. Nothing here computes or
judges a figure: reports and the manifest hold them all. What is absent from a build is said to be.
"""
