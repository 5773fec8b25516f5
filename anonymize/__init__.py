"""Anonymising, and the threat model: what is promised, against whom, at what cost, and what is not promised.

The attacker has every published file of both variants, this code, the public register of companies (names, codes, places,
exchanges, owners, dates) and every annual report, that is, the originals themselves. The attacker does not have the release
key, the sealed identity map, the noise ledger, or any other file of the curator.

Promised under every policy, and attacked in every build (`validation/attacks`, limits in `limits.py`):

- *Codes* (`codes.py`): a pseudonym says nothing about its code without the key. The few million possible codes can be
  hashed in seconds, so no hash without a secret would do; here it is HMAC-SHA256 under a subkey that nothing else
  uses. Two releases with different keys, or under different policies, share pseudonyms by chance only. No pseudonym is a
  code of the raw tables. A key is refused for a second set of originals, which it would make joinable (`key_uses.py`).
- *Names* (`names/`): invented from pseudonymous code, key and industry, never from the original. Characters, pinyin and
  sound of a pseudonym find its original no more often than guessing within the industry.
- *Prose* (`prose.py`): every name, alias and code that the raw tables list is replaced wherever it stands, by the same
  map as in the tables. The escape scan (`validation/escapes`) searches every published byte for what was missed, in any
  case, width, script, separation or encoding, and blocks publishing.
- *Order*: rows and ids stand in a keyed order, whose rank correlation with any column of the originals is chance.
- *Exact search*: no published figure with more digits than are kept is the original's but by chance, and what follows from
  other figures follows from the published ones (`figures/closure.py`), so that an identity cannot undo the noise.

Promised under `guarded` besides (`policy.py`), at the cost named:

- *Figures* (`figures/guarded`): **this promise does not hold.** An attacker who looks for the nearest company names the owner
  of at most 15 % of the records. An attacker who has read `figures/guarded` and has the originals computes every firm's
  neighbours, which depend on no key, regresses each record on them, and names the owner of 94 % (1,684 of 1,792 records of
  four releases of us-listed). Ranks that `distributions.json` tells of each sub-industry name 99.8 % without any figure.
  Until the mechanism is another, treat `guarded` as pseudonymised data.
- *Quasi-identifiers* (`quasi_identifiers.py`): at least five companies read the same in everything that a register tells.
  Cost: most dates, cities and owners, and some provinces and sub-industries, are blank.
- *Small cells* (`pipeline/suppression.py`): statistics of fewer than three companies, or of one that has more than 85 %,
  are not published, nor what they follow from. Cost: empty cells.

Promised under neither:

- **`lsd`, the paper's mechanism, does not stop linkage.** It keeps three significant digits, and the attacker needs no equal
  figure, only the nearest one: on 436 real listed companies (2014) one published figure finds the company of 94 % of the
  records, seven figures 99 %, the pattern of zeros and gaps all of them, while every Kolmogorov-Smirnov test passes with
  p = 0.9999. Such a release is pseudonymised data (GDPR, WP216), not anonymous data. `privacy.json` says so in its first
  line. Industry, place, owner, exchange and years are kept as they are, and the size of their classes is told.
- Under `guarded`, that a figure occurs: an industry's largest revenue is still there, to three digits, in some record. Nor
  is anything proved against an attacker who knows more than the originals, as differential privacy would: what is promised
  is what the attacks measure.
- Two releases of the same originals under two keys: each is rebuilt from the same neighbours, and their records are nearer
  to each other than to the originals. Publish one release of the same tables, not two.
- Suppressed cells follow from the published records of the single firms, by whoever has both.
- Prose keeps what no table lists: a plant, an award or a customer may give a firm away to a reader who knows it.
- Whoever gets the key can undo codes and names, and with them everything else. Keep it as you keep the originals.
"""
