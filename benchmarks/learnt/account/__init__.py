"""What the account of a sampled release discloses: attackers who have all that others report, this code, and no key.

replayed.py  an account read back from `model.json`: what passed, and what sums would have passed without noise
evidence.py  what is left of all statistics without the others, of several releases; membership by its likelihood
expected.py  what it lets expect of any number of a company, and what another company in its place would
figures.py   the figures of a panel and their signs
events.py    how many events an entity has, what stands in them, and whether they are there at all
"""
