"""What privacy costs on real data: the survey of this collection and data sets of scikit-learn, one table.

Two public features of each, scaled by public bounds. Rules learn from one half of the people and are tried
on the other; the table shows the mean accuracy over surveys, and behind +- how much one survey is away from
it. Local rules see one report a person (`AdaptiveClassifier`, which chooses no bandwidth); a curator, who is
trusted with the data, releases noisy majorities (`NoisyMajorityClassifier`, side chosen before: 1/8); without
privacy stand a histogram on the same cells and logistic regression.

Small data sets teach little under local privacy. Below each of them stands what 50,000 people of the same
law would teach: the teaching half, drawn from with replacement. (A histogram then knows that half by heart;
it is tried on the other one all the same.)

    python examples/real_data.py [--surveys 20]
"""

import argparse

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.linear_model import LogisticRegression

from ldp_lib.estimation import AdaptiveClassifier, HistogramClassifier, NoisyMajorityClassifier, PublicBox
from ldp_lib.nature import problem

BUDGETS = 1.0, 2.0, 4.0
CROWD = 50_000


def data_sets():
    """(name, X in [0, 1]^2, y) of each; bounds are what textbooks say, not what the data say."""
    X, y = problem("cps", features=("age", "education")).people(rng=0)
    yield "survey: full-year work", X, y
    table = load_breast_cancer()
    yield "breast cancer", PublicBox([5, 5], [30, 40]).fit_transform(table.data[:, :2]), table.target
    table = load_diabetes(scaled=False)
    X = PublicBox([15, 60], [45, 140]).fit_transform(table.data[:, 2:4])
    yield "diabetes above 140", X, table.target > 140
    table = load_wine()
    X = PublicBox([10, 0], [15, 2000]).fit_transform(table.data[:, [0, 12]])
    yield "wine, cultivar 0", X, table.target == 0
    table = load_iris()
    yield "iris virginica", PublicBox([0, 0], [8, 3]).fit_transform(table.data[:, 2:]), table.target == 2


def rules(seed):
    """Fresh rules, name -> rule; the noise of this survey comes from the seed: the people are simulated."""
    found = {f"local {alpha:g}": AdaptiveClassifier(alpha, rng=seed) for alpha in BUDGETS}
    found |= {f"curator {alpha:g}": NoisyMajorityClassifier(alpha, side=1 / 8, rng=seed) for alpha in BUDGETS}
    return found | {"histogram": HistogramClassifier(h=1 / 8), "logistic": LogisticRegression()}


def accuracies(X, y, surveys, crowd=None):
    """{rule: accuracies on the half that did not teach, (surveys,)}; of the other one `crowd` are drawn."""
    table = {}
    for seed in range(surveys):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(y))
        teach, test = np.array_split(order, 2)
        if crowd:
            teach = rng.choice(teach, crowd)
        for name, rule in rules(seed).items():
            right = rule.fit(X[teach], y[teach]).predict(X[test]) == y[test]
            table.setdefault(name, []).append(right.mean())
    return table


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--surveys", type=int, default=20, help="repeats, 2 or more; 20 unless given")
    surveys = parser.parse_args().surveys
    print(f"{'':24} {'people':>7} {'majority':>8}", *(f"{name:>11}" for name in rules(0)))
    for name, X, y in data_sets():
        y = y.astype(int)
        for crowd in (None,) if len(y) > CROWD else (None, CROWD):
            people, found = crowd or len(y) // 2, accuracies(X, y, surveys, crowd)
            cells = (f"{np.mean(values):.3f}+-{np.std(values, ddof=1):.3f}" for values in found.values())
            print(f"{'' if crowd else name:24} {people:7,} {max(y.mean(), 1 - y.mean()):8.3f}",
                  *(f"{cell:>11}" for cell in cells))


if __name__ == "__main__":
    main()
