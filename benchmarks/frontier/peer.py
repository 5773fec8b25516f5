"""Synthesizers of others; run by the interpreter of the peers' own environment, which has pandas and not Silt.

Argument: a name of `PEERS`, with epsilon after a colon for `mst`. Each line of the input names a CSV file of originals
(industries, and figures as signed logarithms), where the synthetic one goes, and a seed; each line of the output says that it
is there. What a peer leaves open is left at its default. Peers are imported where they are used: each takes seconds.
"""

# ruff: noqa: NPY002, PLC0415
import sys
import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

INDUSTRY = "industry"

DELTA = 1e-6
EDGES = np.array(
    [-24, -22, -20, -16, -0.5, 0.5, 16, 17.5, 18.5, 19.5, 20.5, 21.5, 22, 22.5, 23, 23.5, 24, 24.5, 25, 26, 28]
)
"""Public edges of bins of signed logarithms; an epsilon of its own would be needed to choose them by the data."""


def copula(table: pd.DataFrame, random: np.random.Generator) -> pd.DataFrame:
    """SDV's Gaussian copula with beta margins, its default; one for each industry, as its conditional sampling has it."""
    from copulas.multivariate import GaussianMultivariate
    from copulas.univariate import BetaUnivariate

    made = []
    for industry, rows in table.groupby(INDUSTRY):
        model = GaussianMultivariate(distribution=BetaUnivariate, random_state=int(random.integers(2**31)))
        model.fit(rows.drop(columns=INDUSTRY))
        made.append(model.sample(len(rows)).assign(**{INDUSTRY: industry}))
    return pd.concat(made)


def forest(table: pd.DataFrame, random: np.random.Generator) -> pd.DataFrame:
    """Adversarial random forest (Watson et al. 2023), arfpy's defaults."""
    vars(np)["in1d"] = np.isin  # NOTE: arfpy 0.1.1 was written for numpy 1, where it still had this name.
    from arfpy import arf

    model = arf.arf(table, verbose=False, random_state=int(random.integers(2**31)))
    model.forde()
    return model.forge(n=len(table))


def trees(table: pd.DataFrame, random: np.random.Generator) -> pd.DataFrame:
    """Synthpop's default (Nowok et al. 2016): each column from those before it, a value of the leaf of a CART; minbucket 5."""
    from sklearn.tree import DecisionTreeRegressor

    start = table[INDUSTRY].sample(len(table), replace=True, random_state=random).to_numpy()
    labels = pd.Series(sorted(table[INDUSTRY].unique()))
    before, after = (pd.DataFrame({each: column == each for each in labels}) for column in (table[INDUSTRY], start))
    for column in table.columns.drop(INDUSTRY):
        tree = DecisionTreeRegressor(min_samples_leaf=5, random_state=int(random.integers(2**31)))
        leaves = tree.fit(before, table[column]).apply(before)
        donors = {leaf: table[column].to_numpy()[leaves == leaf] for leaf in np.unique(leaves)}
        drawn = [random.choice(donors[leaf]) for leaf in tree.apply(after)]
        before, after = before.assign(**{column: table[column]}), after.assign(**{column: drawn})
    return after[list(table.columns.drop(INDUSTRY))].assign(**{INDUSTRY: start})


def mst(table: pd.DataFrame, random: np.random.Generator, epsilon: float) -> pd.DataFrame:
    """MST (McKenna, Miklau and Sheldon 2021) at (epsilon, `DELTA`): noisy marginals, a tree of pairs chosen privately, mbi.

    One firm more or less changes each marginal by one. zCDP, a third each: single columns, the choice, pairs. The names of the
    industries and the number of firms count as known.
    """
    from mbi import Dataset, Domain, LinearMeasurement
    from mbi.estimation import MirrorDescent

    labels = sorted(table[INDUSTRY].unique())
    figures = list(table.columns.drop(INDUSTRY))
    codes = {INDUSTRY: pd.Categorical(table[INDUSTRY], categories=labels).codes.astype(np.int64)}
    codes |= {column: np.searchsorted(EDGES[1:-1], table[column].to_numpy()) for column in figures}
    domain = Domain(list(codes), [len(labels), *[len(EDGES) - 1] * len(figures)])
    data = Dataset(codes, domain)
    third = (np.sqrt(np.log(1 / DELTA) + epsilon) - np.sqrt(np.log(1 / DELTA))) ** 2 / 3

    def measured(cliques: list[tuple[str, ...]]) -> list[LinearMeasurement]:
        sd = float(np.sqrt(len(cliques) / (2 * third)))
        counts = (np.asarray(data.project(clique).datavector()) for clique in cliques)
        return [
            LinearMeasurement(count + sd * random.standard_normal(count.shape), clique, sd)
            for clique, count in zip(cliques, counts, strict=True)
        ]

    singles = measured([(column,) for column in codes])
    chosen = _spanning_tree(data, singles, third, random)
    model = MirrorDescent().estimate(domain, singles + measured(chosen), known_total=float(len(table)), iters=500)
    np.random.seed(int(random.integers(2**31)))
    drawn = model.synthetic_data(rows=len(table)).to_dict()
    made = {column: _within(drawn[column], random) for column in figures}
    return pd.DataFrame({INDUSTRY: np.asarray(labels)[drawn[INDUSTRY]], **made})


def _spanning_tree(data: Any, singles: list[Any], budget: float, random: np.random.Generator) -> list[tuple[str, str]]:
    """Choose pairs that are far from independent, one after the other, by the exponential mechanism (Gumbel)."""
    columns = [measurement.clique[0] for measurement in singles]
    shares = {
        name: np.maximum(np.asarray(one.noisy_measurement), 0) for name, one in zip(columns, singles, strict=True)
    }
    rows = data.records
    scores = {}
    for pair in combinations(columns, 2):
        alone = np.outer(*(shares[name] / max(shares[name].sum(), 1) for name in pair)) * rows
        joint = np.asarray(data.project(pair).datavector()).reshape(alone.shape)
        scores[pair] = np.abs(joint - alone).sum()
    step = np.sqrt(8 * budget / (len(columns) - 1))
    component = {name: place for place, name in enumerate(columns)}
    tree = []
    while len(tree) < len(columns) - 1:
        open_ = [pair for pair in scores if component[pair[0]] != component[pair[1]]]
        pair = open_[int(np.argmax([step * scores[each] / 2 + random.gumbel() for each in open_]))]
        tree.append(pair)
        old, new = component[pair[0]], component[pair[1]]
        component = {name: new if place == old else place for name, place in component.items()}
    return tree


def _within(bins: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Draw evenly within bins; the one around zero is zero."""
    low, high = EDGES[:-1][bins], EDGES[1:][bins]
    return np.where((low < 0) & (high > 0), 0.0, low + (high - low) * random.random(len(bins)))


PEERS = {"copula": copula, "forest": forest, "trees": trees, "mst": mst}


def main() -> None:
    """Answer each line of the input."""
    warnings.simplefilter("ignore")
    name, _, epsilon = sys.argv[1].partition(":")
    given = (float(epsilon),) if epsilon else ()
    for line in sys.stdin:
        source, target, seed = line.rstrip("\n").split("\t")
        np.random.seed(int(seed))
        made = PEERS[name](pd.read_csv(source), np.random.default_rng(int(seed)), *given)
        made.to_csv(target, index=False)
        print("done", flush=True)


if __name__ == "__main__":
    main()
