"""Anonymising, and the threat model of its first version: what is promised, against whom, and what is not.

The attacker has every published file, this code, the public register of companies with their names and codes, and every
annual report. The attacker does not have the release key, the sealed identity map or the noise ledger.

Promised:

- *Codes* (`codes.py`): a pseudonym says nothing about its code without the key. The few million possible codes can be
  hashed in seconds, so no hash without a secret would do; here it is HMAC-SHA256 under a subkey that nothing else
  uses. Two releases with different keys share pseudonyms by chance only. No pseudonym is a code of the raw tables.
- *Names* (`names/`): invented from pseudonymous code, key and industry, never from the original, of which nothing is
  translated, punned on or kept. What a name does tell is the industry, which is published anyway.
- *Prose* (`prose.py`): every name, alias and code that the raw tables list is replaced wherever it stands, by the same
  map as in the tables. The escape scan (`validation/escapes.py`) searches every published byte for what was missed.
- *Dates* (`dates.py`): day and month are drawn anew; the year and the order of an entity's dates are real.
- *Order*: rows and ids are published in a keyed order, never in that of the raw tables.
- *Exact search*: the low digits of a figure are not the original's, and what follows from other figures follows from
  the perturbed ones (`figures/`), so that an identity cannot undo the noise.

Not promised:

- **Digit noise does not stop linkage.** It keeps three significant digits, and the attacker needs no equal figure,
  only the nearest one. On 436 real listed companies (2014) the nearest neighbour in one published figure finds the
  company of 94 % of the records, in seven figures 99 %, and with one digit kept still 93 %, while every
  Kolmogorov-Smirnov test passes with p = 0.9999. Whoever has the annual reports can name the firms of such a release.
  It is pseudonymised data (GDPR, WP216), not anonymous data: publish it only where that is enough.
- Industry, place, ownership, exchange and years are kept as they are, and together may single a firm out.
- Prose keeps what no table lists: a plant, an award or a customer may give a firm away to a reader who knows it.
- Statistics of cells with one or two firms are published, from perturbed figures.
- Whoever gets the key can undo codes and names, and with them everything else. Keep it as you keep the originals.
"""
