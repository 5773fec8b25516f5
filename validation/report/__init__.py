"""`report.html`: one page for one variant, on which its curator, its evaluator and its auditor see whether it is good.

`page` puts the page together: `gates` (the verdict first), then a section each in `tests_page` (KS), `beyond_ks`,
`agreement` (consistency), `attacked` (privacy), `noise`, `recovery` (the ladder), `met` (expectations) and `provenance`.
`samples` embeds the tests, `heat_map` draws them, `tables` and `words` give all of them one form. `report.js` opens cells
and sorts tables; without it everything but the curves and the tail of the longest table still stands on the page.

Nothing here computes or judges a figure: reports and the manifest hold them all. What is absent from a build is said to be.
"""
