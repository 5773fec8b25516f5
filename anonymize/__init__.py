"""Anonymising, and the threat model: what is promised, against whom, at what cost, and what is not promised.

The attacker has every published file of both variants, this code, the public register of companies (names, codes, places,
exchanges, owners, dates) and every annual report, that is, the originals themselves. The attacker does not have the release
key, the sealed identity map, the noise ledger, or any other file of the curator.

Promised under every policy, and attacked in every build (`validation/attacks`, limits in `validation/attacks/limits.py`):

- *Codes* (`codes.py`): a pseudonym discloses nothing about its code without the key. The few million possible codes can be
  hashed in seconds, so that a hash without a secret would not do; here it is HMAC-SHA256 under a subkey of its own. Two
  releases with different keys, or under different policies, share pseudonyms by chance only. No pseudonym is a code of the
  raw tables. A release binds its key, which is refused for the release of a second set of originals, because the two could be
  joined (`keys/key_uses.py`). Builds are drafts: two of one key, before and after a correction, show what was corrected.
- *Names* (`names/`): invented from pseudonymous code, key and industry, never from the original. Characters, pinyin and
  sound of a pseudonym find its original no more often than guessing within the industry.
- *Prose* (`prose/replacing.py`, `mentions/`): every name, alias and code that the raw tables list is replaced in any
  writing, and so are rare words of names, addresses of companies, and former names that texts state. Possible names that
  may be ordinary words or numbers are left and listed for the curator. The escape scan (`validation/escapes`) searches
  every published byte by the same finder, and for listed names by a second one as well, and blocks publishing. Ordinary
  words that it mistakes for a company can be exempted: declared with a reason, counted, and never if they are written as a
  distinctive name.
- *Further kinds of entities* (`Environment.further`): codes and names as above, each kind under a key of its own; a text
  that is a code of two kinds has two pseudonyms. Names of people with two Chinese characters are replaced in prose, but not
  searched for, because many are ordinary words. Codes that are short, or digits alone, are replaced and searched for in
  columns of codes only, unless a pattern says how they stand in prose.
- *Order*: rows and ids are in a keyed order. Its rank correlation with any column of the originals is chance.
- *Columns*: nothing is published that nobody decided on (`pipeline/model/treatments.py`). Attributes of entities that are not
  declared public are quasi-identifiers. Whatever a declaration says, each published column is compared with each raw one.
- *Events* (`figures/events.py`): no time of an event is the original's, numbers of events are
  replaced, and totals of events in a panel are taken from the published events.
- *Figures of few digits* (`figures/alone.py`), under `lsd`, if the panel says which may stay (`Panel.may_stay`): no entity is
  found by one or two figures that it alone has in its period, looked up exactly, but for zeros and what is named there.
- *Exact search*: a published figure with more digits than are kept equals its original by chance only. Outputs of
  identities are computed from published figures (`figures/closure.py`), so that an identity cannot undo the noise.

Promised under `guarded` besides (`policy.py`), at the cost named. The attacker has read this code (Kerckhoffs), has the figures
of all companies but one, and may make as many releases of the originals as he likes under keys of his own:

- *One door* (`synthesis/account.py`): everything published is a function of the release key, the declaration, what is stated
  as known to everybody (how many companies there are, and the industry of each), and of noised statistics of the originals,
  which are all published as `model.json`. Each is a sum over companies of bounded vectors, with Gaussian noise; together they
  satisfy zero-concentrated differential privacy with the budget that `privacy.json` states (rho, Bun and Steinke 2016), for
  one company replaced by another of its industry, with all its years. A walk over the steps of a build shows that originals
  reach nothing published but through declared doors (`assets/making/flow.py`).
- *Owners* (`synthesis/`): he names the owner of a record no more often than guessing within its industry, with all figures of
  all years, a register, and two releases. Cost: ratios, ranks and histories of companies are not published.
- *Figures*: what he learns of a company's figures is bounded by the budget, whatever he does. At the default he guesses about
  0.2 to 1.6 points more of them within a tenth than if another company stood in its place, by key (`benchmarks/learnt`,
  measured on us-listed). Cost: industries of some 40 companies are described by their location and spread alone.
- *Attributes* (`synthesis/entities`): places, sub-industries, owners, dates, years reported, tables that list a firm, and rows
  of further tables are drawn from noised counts; whoever has all other firms tells one category of a firm from another
  at most 5 points better than by guessing. Categories that too few have to stand out from the noise are left out, unless the
  declaration lists them (`known`). Cost: attributes come apart unless they are declared to belong together.
- *Events* (`synthesis/events/`): rows are sampled, and so is the number of an entity's rows; an entity counts once in every
  statistic, however many rows it has.
- *Prose* (`prose/writing.py`): no sentence about a company is an original's: each text is composed from key and published
  attributes alone, or left out.
- *Reports*: what is published compares the release with fresh draws from the same statistics. Comparisons with the originals
  are the curator's; of gates the outcome is published: kept or not.

Promised under neither:

- **`lsd`, the paper's mechanism, does not stop linkage.** It keeps three significant digits, and the attacker needs no
  equal figure, only the nearest one: on 436 real listed companies (2014) one published figure finds the company of 94 % of
  the records, seven figures 99 %, the pattern of zeros and gaps all of them, while every Kolmogorov-Smirnov test passes
  with p = 0.9999. Such a release is pseudonymised data (GDPR, WP216), not anonymous data, as the first line of `privacy.json`
  says. A measure of three digits or fewer equals the original's to the last digit; that line counts such measures.
  Industry, place, owner, exchange and years are kept as they are, and `privacy.json` reports the size of their classes.
- Under `guarded`, membership is not hidden: the default budget bounds no test of it well. Whoever has all other companies tells
  whether a company or another of its industry is among the originals of us-listed with an area under the curve of
  0.86 to 0.94 by the likelihood ratio. Nor is hidden how many companies there are, and how many of each industry report
  figures.
- The outcomes of gates look at originals, have no noise, and are in no budget: a bit each, and all alike in what is published.
  Codes and names are functions of the originals' under the key.
- Under `lsd`, events lead to their company: their number stays as it is, and days that moved by whole weeks are found by
  trying all weeks. All 16 airlines of the 336,776 flights from New York in 2013 are named by either, and 35 % of single
  flights by four figures (guessing: 17 %). Figures of no more digits than are kept stay as they are.
- Under `lsd`, prose keeps what no table lists: a plant, an award or a customer may give a firm away to a reader who knows
  it. Texts that are about no company (policies) keep their sentences under both policies.
- The number of aliases of a firm is not drawn anew; no shipped environment publishes aliases.
- Whoever gets the key can undo codes and names, and with them everything else. Keep it as you keep the originals.
"""
