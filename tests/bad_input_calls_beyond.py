"""The public functions around densities and curators, as in `bad_input_calls`."""

import numpy as np
from sklearn.base import clone

from bad_input_kinds import LABELS, SKLEARN, call, people
from ldp_lib import nature, risk, theory, wavelets
from ldp_lib.estimation import (
    AdaptiveClassifier, LinearWaveletDensity, NoisyMajorityClassifier, PrivateSemiSupervised,
    StableHistogramDensity, StableVoronoiClassifier, ThresholdWaveletDensity, VoronoiClassifier,
    expected_failed_checks,
    labelled_sample_size, theorem_g,
)
from ldp_lib.nature import density, problem, space_problem
from ldp_lib.privacy import (
    LatticeLaplace, WaveletLaplace, audit, hockey_stick, lattice_laws, stability_delta, stability_histogram,
    stability_threshold,
)

X1 = people(1)
POINTS = X1[:, 0]
SEED = {"rng": (1, "rng")}
HAAR = WaveletLaplace(1.0, "haar", 2)
SUMS = HAAR.simulate_aggregate(POINTS, rng=1)
BASIS = wavelets.wavelet_basis("haar")
SINE, KINK, UNIFORM = problem("sine"), density("kink"), density("uniform")
ALPHA, N = {"alpha": (1.0, "positive")}, {"n": (1000, "whole")}
EPSILON = {"epsilon": (1.0, "positive")}
BUDGET = EPSILON | {"delta": (1e-3, "share")}
RECORDS = {"record_a": (0.1, "positive"), "record_b": (0.7, "positive")}


def density_calls():
    for name in ("uniform", "kink", "smooth", "jumps", "semicircle", "plateau", "blocks", "bumps",
                 "heavisine", "doppler",
                 "claw", "spikes", "departures"):
        law = density(name)
        yield call(f"{name}.pdf", law.pdf, x=(POINTS, "reals"))
        yield call(f"{name}.cdf", law.cdf, x=(POINTS, "reals"))
        yield call(f"{name}.sample", law.sample, n=(5, "whole"), **SEED)
        yield call(f"{name}.smoothness", law.smoothness, p=(2.0, "norm1"))
    yield call("density", density, name=("kink", "choice"))
    yield call("masses", KINK.masses, level=(3, "whole0"))
    yield call("coefficients", lambda j, kind: KINK.coefficients(BASIS, j, kind), j=(2, "whole0"),
               kind=("psi", "name"))
    for name in ("blocks", "bumps", "heavisine", "doppler"):
        yield call(f"density {name}", lambda lift, name=name: density(name, lift=lift).sup_norm,
                   lift=(9.0, "positive"))
    yield call("density spikes", lambda **given: density("spikes", **given).sup_norm,
               n_alpha2=(1e5, "positive"),
               s=(2.0, "positive"), p=(1.0, "positive"), amplitude=(1.0, "positive"), wavelet=("db2", "name"),
               level=(5, "optional"))
    yield call("density departures", lambda which: density("departures", which=which).sup_norm,
               which=("actual", "name"))


def own_calls():
    share, weight, bins = (((0.2, 0.9), "shares of bins"), ((1.0, 3.0), "weights of bins"), (5, "whole"))
    share, weight = ((np.array(values), kind) for values, kind in (share, weight))
    yield call("problem_from_eta", lambda **given: nature.problem_from_eta(**given).bayes_risk,
               {"eta": "eta|density", "density": "eta|density"}, eta=share, density=weight)
    yield call("problem_from_eta bins",
               lambda **given: nature.problem_from_eta(lambda X: X[:, 0], **given).bayes_risk, d=(1, "whole"),
               bins=bins)
    yield call("density_from_pdf", lambda **given: nature.density_from_pdf(**given).pdf(POINTS), pdf=weight,
               domain=((0, 1), "domain"))
    yield call("density_from_pdf bins",
               lambda bins: nature.density_from_pdf(lambda x: 1 + x, bins=bins).pdf(POINTS), bins=bins)


def wavelet_calls():
    build = dict(wavelet=("haar", "name"), calibration=("tight", "name"), nu=(1.5, "positive"),
                 domain=((0, 1), "domain"),
                 noise=("lattice", "name"))
    yield call("WaveletLaplace", lambda **given: WaveletLaplace(**given).scales_by_level,
               alpha=(1.0, "budget"), **build,
               levels=(2, "whole0"), scales=("common", "name"))
    X = {"X": (POINTS, "reals")}
    yield call("wavelet encode", HAAR.encode, **X)
    yield call("wavelet privatize", HAAR.privatize, **X, **SEED)
    yield call("wavelet privatize_blocks", lambda X, rng: list(HAAR.privatize_blocks(X, rng=rng)), **X,
               **SEED)
    yield call("wavelet count", HAAR.count, **X)
    yield call("wavelet simulate_aggregate", HAAR.simulate_aggregate, **X, **SEED)
    yield call("aggregate wavelet", HAAR.aggregate, reports=(HAAR.encode(POINTS)[:, :], "matrix"))
    yield call("wavelet add_noise", HAAR.add_noise, aggregate=(SUMS, "sums"), **SEED)
    yield call("wavelet privacy_loss", HAAR.privacy_loss, x=(0.1, "share"), x2=(0.8, "share"))
    yield call("wavelet worst_pair", audit.worst_pair, mechanism=(HAAR, "mechanism"), candidates=(X1, "X1"))
    yield call("wavelet epsilon_lower_bound", audit.epsilon_lower_bound, mechanism=(HAAR, "mechanism"),
               **RECORDS,
               n=(200, "whole"), confidence=(0.9, "share"), **SEED)
    yield call("wavelet betrayal_attack", audit.betrayal_attack, mechanism=(HAAR, "mechanism"), **RECORDS,
               n=(20, "whole"),
               **SEED)
    for function in (audit.trade_off, audit.privacy_loss_distribution):
        yield call(f"wavelet {function.__name__}", function, mechanism=(HAAR, "mechanism"), **RECORDS)
    for name in ("phi", "psi"):
        yield call(f"basis {name}", getattr(BASIS, name), x=(POINTS, "reals"))
    yield call("basis values", BASIS.values, x=(POINTS, "line"), j=(2, "whole0"), kind=("psi", "name"))
    yield call("basis translates", BASIS.translates, j=(2, "whole0"))
    yield call("basis integral", BASIS.integral, kind=("psi", "name"), x=(POINTS, "reals"))
    yield call("wavelet_basis", wavelets.wavelet_basis, {"name": "wavelet"}, name=("haar", "name"))


def fitted_pdf(rule):
    return lambda **given: rule(**given).fit(POINTS).pdf(POINTS)


def density_estimator_calls():
    shared = dict(alpha=(1.0, "positive"), wavelet=("haar", "name"), calibration=("tight", "name"),
                  nu=(1.5, "positive"),
                  domain=((0, 1), "domain"), noise=("lattice", "name"), rng=(1, "rng"), times=(1, "whole"))
    yield call("LinearWaveletDensity", fitted_pdf(LinearWaveletDensity), {"level": "levels?"}, **shared,
               level=(2, "whole0"), scales=("common", "name"))
    yield call("ThresholdWaveletDensity", fitted_pdf(ThresholdWaveletDensity), **shared,
               levels=(3, "optional"),
               first_level=(1, "whole0"), scales=("by_level", "name"), rule=("hard", "name"),
               sup_bound=(4.0, "positive"),
               g=(1.0, "positive"), factor=(2.0, "positive"))
    linear = LinearWaveletDensity(1.0, "haar", 2, rng=1)
    yield call("WaveletDensity.fit", lambda X: clone(linear).set_params(rng=1).fit(X).pdf(POINTS), SKLEARN,
               X=(X1, "X1"))
    fit = LinearWaveletDensity(1.0, "haar", 2, rng=1).fit(POINTS)
    yield call("score", fit.score, SKLEARN, X=(POINTS[:, None], "X1"))
    yield call("expected_failed_checks", expected_failed_checks, estimator=(linear, "estimator"))
    yield call("WaveletDensity.pdf", fit.pdf, x=(POINTS, "reals"))
    yield call("WaveletDensity.standard_error", fit.standard_error, x=(POINTS, "reals"))
    yield call("WaveletDensity.interval", fit.interval, x=(POINTS, "reals"), confidence=(0.9, "share"))
    yield call("people_for_width density",
               lambda width, height: risk.people_for_width(linear, width, height=height),
               {"height": "height|width"}, width=(0.5, "positive"), height=(1.0, "positive"))
    yield call("WaveletDensity.grid_pdf", fit.grid_pdf, depth=(3, "whole0"))
    yield call("WaveletDensity.fit_aggregate",
               lambda aggregate: linear.fit_aggregate(aggregate).coefficients_,
               aggregate=(SUMS, "sums"))
    yield call("theorem_g", lambda r: theorem_g(r, BASIS), r=(2.0, "positive"))
    yield call("mise", lambda density_estimator, density, n, r: risk.mise(density_estimator, density, n, r),
               {"density_estimator": "density estimator"}, density_estimator=(linear, "estimator"),
               density=(UNIFORM, "problem"), n=(100, "whole"), r=(2, "positive"))
    yield call("best_level", risk.best_level, density=(UNIFORM, "problem"), n=(100, "whole"),
               alpha=(1.0, "positive"), wavelet=("haar", "name"))
    yield call("mise simulated", lambda **given: risk.mise(linear, UNIFORM, 100, 1, **given),
               repeats=(2, "whole"),
               cells=(4, "optional"), **SEED)


def space_calls():
    line, tree = nature.Line(), nature.BinaryTree(2)
    for space, X in ((nature.Interval(), X1), (line, X1), (nature.Circle(), X1 * 0.99),
                     (nature.CantorSet(), np.rint(X1)),
                     (nature.Sphere(), np.tile(np.eye(3), (4, 1))), (tree, np.rint(X1 * 5))):
        name = type(space).__name__
        kind = "X3" if space.width == 3 else "X1"
        yield call(f"{name}.validate", space.validate, X=(X, kind))
        yield call(f"{name}.voronoi", lambda r, space=space, X=X: space.voronoi(r).locate(X),
                   r=(0.3, "positive"))
    yield call("BinaryTree", lambda depth: nature.BinaryTree(depth).paths, depth=(2, "whole"))
    yield call("GraphMetric", lambda edges, lengths: nature.GraphMetric(edges, lengths).paths,
               {"edges": "edges|lengths"},
               edges=(np.array([[0, 1], [1, 2]]), "edges"), lengths=(np.array([1.0, 2.0]), "lengths"))
    yield call("space_problem", space_problem, name=("sphere", "choice"))
    yield call("space_problem tree", lambda **given: space_problem("tree", **given).bayes_risk,
               depth=(2, "whole"),
               amplitude=(0.4, "fraction"))
    for name in ("interval", "circle", "cantor", "heavy_tails"):
        yield call(f"space_problem {name}",
                   lambda name=name, **given: space_problem(name, **given).bayes_risk,
                   amplitude=(0.4, "fraction"), frequency=(1, "whole"))
    yield call("space_problem sphere", lambda **given: space_problem("sphere", **given).bayes_risk,
               amplitude=(0.4, "fraction"))
    for name, X, kind in (("circle", X1 * 0.99, "X1"), ("sphere", np.tile(np.eye(3), (4, 1)), "X3"),
                          ("heavy_tails", X1, "X1")):
        law = space_problem(name)
        yield call(f"{name} eta", law.eta, X=(X, kind))
        yield call(f"{name} sample", law.sample, n=(5, "whole"), **SEED)
    for name, params in (("threshold",
                          dict(place=(0.4, "share"), width=(0.2, "positive"), flip=(0.1, "fraction"))),
                         ("hidden_threshold", dict(n=(100, "whole"), flip=(0.1, "fraction")))):
        yield call(f"problem {name}", lambda name=name, **given: problem(name, **given).bayes_risk,
                   {"place": "place|width"}, **params)


def curator_calls():
    counts = np.array([0, 1, 30, 500])
    shared = dict(threshold=("sufficient", "name"), noise=("lattice", "name"))
    yield call("stability_histogram", stability_histogram, counts=(counts, "counts0"), **BUDGET, **shared,
               **SEED)
    for function in (stability_delta, stability_threshold):
        yield call(function.__name__, function, **BUDGET, **shared)
    yield call("hockey_stick", hockey_stick, pairs=([([0.75, 0.25], [0.25, 0.75])], "pairs"),
               epsilon=(1.0, "nonnegative"))
    yield call("lattice_laws", lattice_laws, value=(3, "lattice"), other=(4, "lattice"),
               noise=(LatticeLaplace(2.0), "noise"))
    noise = {"noise": ("lattice", "name"), "rng": (1, "rng")}

    def scores(rule):
        def fit(**given):
            fitted = rule(**given).fit(X1, LABELS)
            return fitted.decision_function(X1) if hasattr(fitted, "decision_function") else fitted.pdf(X1)
        return fit

    yield call("NoisyMajorityClassifier", scores(NoisyMajorityClassifier), **EPSILON, side=(0.2, "budget"),
               **noise)
    yield call("VoronoiClassifier", scores(VoronoiClassifier), {"radius": "radius|r[.]"}, **EPSILON,
               space=(nature.Interval(), "space"),
               radius=(0.2, "positive"), **noise)
    yield call("StableVoronoiClassifier", scores(StableVoronoiClassifier), **BUDGET,
               space=(nature.Line(), "space"),
               radius=(0.2, "positive"), threshold=("sufficient", "name"), **noise)
    yield call("StableHistogramDensity", scores(StableHistogramDensity), **BUDGET, side=(0.5, "positive"),
               threshold=("sufficient", "name"), **noise)
    for rule in (NoisyMajorityClassifier(rng=1), VoronoiClassifier(space=nature.Interval(), rng=1),
                 StableVoronoiClassifier(space=nature.Interval(), rng=1)):
        yield call(f"{type(rule).__name__}.fit",
                   lambda X, y, rule=rule: clone(rule).fit(X, y).decision_function(X1), SKLEARN,
                   X=(X1, "X1"), y=(LABELS, "labels"))
    many = np.random.default_rng(1).random((3000, 1))
    some = np.where(np.arange(3000) < 2500, -1, many[:, 0] > 0.5)
    yield call("PrivateSemiSupervised",
               lambda **given: vars(PrivateSemiSupervised(**given).fit(many, some))["lower_"],
               {"accuracy": "accuracy|sample"},
               **BUDGET, hypotheses=("thresholds", "name"), accuracy=(0.3, "share"), failure=(0.1, "share"),
               side=(0.1, "positive"), **noise)
    fit = StableHistogramDensity(1.0, 1e-3, side=0.5, rng=1).fit(many)
    yield call("StableHistogramDensity.pdf", fit.pdf, SKLEARN, X=(X1, "X1"))
    yield call("StableHistogramDensity.sample", fit.sample, n=(5, "whole"), **SEED)
    yield call("labelled_sample_size", labelled_sample_size, hypotheses=("thresholds", "name"),
               accuracy=(0.1, "share"),
               failure=(0.1, "share"), **EPSILON)
    yield call("people_needed", risk.people_needed, {"rules": "classifier|alpha|h |rules"},
               rules=(NoisyMajorityClassifier(side=0.25), "classifier"), problem=(SINE, "problem"),
               target=(0.1, "share"),
               most=(1000, "whole"))
    yield call("people_needed simulated",
               lambda **given: risk.people_needed(AdaptiveClassifier(4.0), SINE, 0.2, **given),
               repeats=(2, "whole"), **SEED)
    yield call("expected_l1_error", risk.expected_l1_error,
               estimator=(StableHistogramDensity(1.0, 1e-3, side=0.25, normalise=False), "estimator"),
               problem=(SINE, "problem"), n=(100, "whole"))
    yield call("mean_count_error", risk.mean_count_error, counts=(counts, "counts0"), **BUDGET, **shared,
               target=(3.0, "nonnegative"))
    yield call("noisy_majority_probabilities", risk.noisy_majority_probabilities, {"q": "q|p", "p": "p|q"},
               n=(100, "counts"), p=(0.3, "probabilities"), q=(0.2, "probabilities"), scale=(4.0, "scales"),
               granularity=(2.0**-8, "nonnegative"))


def theory_calls():
    besov = dict(s=(2.0, "positive"), p=(2.0, "norm"), r=(2.0, "positive"))
    for function in (theory.density_exponent, theory.noisy_data_exponent, theory.linear_density_exponent):
        yield call(function.__name__, function, **besov)
    size = dict(n=(1000, "counts"), alpha=(1.0, "scales"))
    yield call("density_rate", theory.density_rate, **size, **besov)
    yield call("adaptive_density_rate", theory.adaptive_density_rate, **size, **besov, nu=(1.5, "positive"))
    yield call("density_elbows", theory.density_elbows, s=(1.0, "positive"), r=(2.0, "positive"))
    yield call("crossover_alpha", theory.crossover_alpha, n=(1000, "positive"), s=(1.0, "positive"))
    yield call("linear_level", theory.linear_level, n=(1000, "positive"), **ALPHA, s=(1.0, "positive"))
    for family in (theory.DenseFamily, theory.SparseFamily):
        yield call(family.__name__, lambda family=family, **given: family(**given).bound, **N, **ALPHA,
                   s=(2.0, "positive"), p=(2.0, "positive"), r=(2.0, "positive"), wavelet=("db4", "name"),
                   q=(2.0, "positive"), L=(50.0, "positive"), domain=((0, 1), "domain"),
                   contraction=("dominating", "name"))
        member = family(1000, 1.0, 2, 2, 2)
        extra = {"signs": (np.ones(member.m),
                           "signs")} if family is theory.DenseFamily else {"k": (member.translates[0],
                                                                                 "half")}
        yield call(f"{family.__name__}.pdf", member.pdf, x=(POINTS, "line"), **extra)
    yield call("coefficient_deviation", theory.coefficient_deviation, n=(100, "counts"), j=(2, "counts"),
               sigma=(4.0, "scales"), B=(2.0, "scales"), psi_max=(1.0, "scales"), g=(2.0, "scales"))
    yield call("log_noisy_tail", theory.log_noisy_tail, n=(100, "counts"), x=(3.0, "scales"),
               q=(0.1, "probabilities"),
               a=(1.0, "nonnegative"))
    counts = (np.array([0.0, 1.0, 30.0]), "counts0")
    yield call("histogram_error", theory.histogram_error, counts=counts, **BUDGET,
               target=(3.0, "nonnegative"))
    yield call("histogram_error_bound", theory.histogram_error_bound, counts=counts, **BUDGET)
    yield call("histogram_threshold", theory.histogram_threshold, **BUDGET)
    yield call("pcl_bound", theory.pcl_bound, **N, **EPSILON, d=(1, "whole"), L=(1.0, "nonnegative"),
               beta=(1.0, "positive"))
    yield call("people_for_pcl", theory.people_for_pcl, risk=(0.5, "share"), **EPSILON, d=(1, "whole"),
               L=(1.0, "nonnegative"), beta=(1.0, "positive"))
    target = dict(error=(0.1, "share"), failure=(0.05, "share"))
    yield call("net", theory.net, **target, hypotheses=("thresholds", "name"))
    yield call("labelled_people", theory.labelled_people, **target, **EPSILON,
               hypotheses=("thresholds", "name"))
    cell = dict(side=(0.1, "positive"), d=(1, "whole"), budget=(1.0, "positive"), model=("central", "name"))
    yield call("cell_signal", theory.cell_signal, n=(1000, "positive"), **cell)
    yield call("people_for_signal", theory.people_for_signal, signal=(10.0, "positive"), **cell)
    law = dict(edge=(0.3, "share"), share=(0.9, "fraction"), left=(0.8, "fraction"), right=(0.3, "fraction"))
    votes = dict(d=(1, "whole"), M=(10, "whole"), k=(10, "whole"), questions=(10, "whole"),
                 household=(1, "whole"), repeats=(1, "whole"))
    line = dict(n=(1000, "whole"), tail=(1.0, "positive"), shells=(3, "whole"), left=(0.8, "fraction"),
                right=(0.3, "fraction"), box=(1, "whole"), k=(5, "whole"), household=(1, "whole"),
                spread=(1.0, "positive"), radius=(0.2, "positive"))
    ledgers = {
        "wavelet-3.1": ALPHA | dict(wavelet=("db2", "name"), levels=(3, "whole"), nu=(1.5, "positive"),
                                    x=(0.3, "share"),
                                    x2=(0.7, "share")),
        "wavelet-4.1": N | ALPHA | dict(s=(1.0, "positive"), p=(2.0, "positive"), r=(2.0, "positive"),
                                        L=(1.0, "positive"),
                                        B=(2.0, "positive"), width=(1.0, "positive"), wavelet=("db2", "name"),
                                        x=(0.3, "share")),
        "wavelet-2.1": N | ALPHA | dict(s=(1.0, "positive"), p=(2.0, "positive"), r=(2.0, "positive"),
                                        wavelet=("db4", "name")),
        "wavelet-2.2": N | ALPHA | dict(s=(2.0, "positive"), p=(2.0, "positive"), r=(2.0, "positive"),
                                        wavelet=("db4", "name")),
        "wavelet-C.1": N | ALPHA | dict(j=(2, "whole"), wavelet=("db2", "name"), levels=(4, "whole"),
                                        nu=(1.5, "positive"), law=("kink", "name"), x=(0.5, "share"),
                                        B=(2.0, "positive"), g=(2.0, "positive"),
                                        copies=(2, "whole")),
        "wavelet-5.1": N | ALPHA | dict(levels=(3, "whole"), first_level=(1, "whole0"), nu=(1.5, "positive"),
                                        B=(2.0, "positive"), V=(4.0, "positive"), g=(2.0, "positive"),
                                        law=("kink", "name"), copies=(2, "whole")),
        "bayes-3.2": N | EPSILON | law | votes,
        "bayes-A.12": N | EPSILON | law | votes | dict(ddim=(1.0, "positive")),
        "bayes-A.13": BUDGET | line | dict(share=(0.5, "positive")),
        "bayes-A.14": BUDGET | dict(replaced=(1, "whole"), crowd=(9, "optional")),
        "bayes-A.15": BUDGET | line | dict(M=(10, "whole")),
        "bayes-4.3": BUDGET | dict(n=(5000, "whole"), d=(1, "whole"), tail=(1.0, "positive"),
                                   shells=(3, "whole"),
                                   box=(2, "whole")),
        "bayes-2.4": BUDGET | dict(count=(25, "whole")),
        "bayes-4.2": BUDGET | dict(people=(400, "whole"), cells=(4, "whole")),
        "bayes-4.11": EPSILON | target | dict(hypotheses=("thresholds", "name"), m=(1000, "optional")),
    }
    for name, arguments in ledgers.items():
        yield call(f"ledger {name}", lambda name=name, **given: theory.ledger(name, **given),
                   {"width": "width|B"}, **arguments)


CALLS = [*density_calls(), *own_calls(), *wavelet_calls(), *density_estimator_calls(), *space_calls(),
         *curator_calls(), *theory_calls()]
