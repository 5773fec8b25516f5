"""The first screen of the page: what the release is, three verdicts, what to do next; of a refused build what failed, first.

gates.py      everything that had to hold, one row each
verdicts.py   faithful, safe, hard: what gates and figures come to, in a sentence each
failures.py   of a gate that did not hold: the worst that was found beside its limit, and the likely cause
top.py        puts them together, with what the reader does next
"""
