"""Proofs as ledgers: every displayed inequality with both sides computed, and what it gives away.

A ledger is a function of the theorem's parameters under the decorator `proves`, in the module of its paper:

    @proves("2.1", Saboteur("noise scale", "half the noise", ...), ...)
    def ledger_2_1(alpha=1.0, h=0.2, d=1, mechanism=CubeLaplace):
        ...
        return params, (
            Step("ones in B", "an array B has at most 2^d ones", ones.max(), 2.0**d,
                 subject="CubeLaplace", uses=("cubes",)),
            equation("sum", "the same in two ways", one, other, ", with errata 1"),
        )

A step is *counted* if it uses an assumption of the theorem. Then its left side is computed from a subject (a
law, a mechanism, a sample, two people), its right side by the proof's formula, and it has a saboteur: an
assumption that, taken away, turns it red. A step with much slack may use assumptions that turn others red,
and not it. What uses no assumption is algebra: both sides are formulas, no law and no mechanism enters, and
it does not count. Nor does a step that follows from another one of the ledger.
"""

import functools
import html
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from ldp_lib._rounding import canonical

ROUNDING = 1e-9
"""Relative rounding error allowed when two computed sides are compared."""


@dataclass(frozen=True)
class Saboteur:
    """One assumption of a theorem taken away, and a twin that changes as much and keeps it.

    With `broken` some steps that use the assumption fail, and no others; with `kept` none does.

    Parameters
    ----------
    assumption : str
        Its name, as in `Step.uses`.
    change : str
        In words, what `broken` does.
    broken, kept : callable
        Functions without arguments, which return arguments of the ledger, a dict; what they do not name stays
        at its default.

    Examples
    --------
    >>> from ldp_lib.theory import sabotage
    >>> sabotage("2.1")["one draw for all entries of a report"]          # what fails, found by running it
    ('audit',)
    """

    assumption: str
    change: str
    broken: Callable[[], dict]
    kept: Callable[[], dict]


@dataclass(frozen=True)
class Step:
    """One line of a proof at one point of its parameter space.

    Parameters
    ----------
    name : str
        What `Ledger` finds the step by.
    claim : str
        The line in words and symbols.
    left, right : float
        Its computed sides.
    source : str
        Where it stands. In a ledger the source is the proof itself unless given, and ", ..." is added to
        that.
    relation : str
        "<=", the default, or "=".
    subject : str
        What the left side was computed from.
    uses : tuple of str
        Names of the assumptions without which the line may be false; empty for algebra. Taken away, each
        changes a side of the line, and one at least turns it red: others may be hidden by its slack
        (`sabotage` says what fails).
    saboteurs : tuple of Saboteur
        Those of the assumptions in `uses`; a ledger adds them.
    follows : str
        Name of a step of the same ledger from which this one follows, if any.
    certain : float
        What is certain without the theorem, such as 1 for a risk: from there on the right side promises
        nothing.

    Examples
    --------
    >>> step = Step("ones in B", "an array B has at most 2^d ones", left=1, right=2)
    >>> step.holds, step.slack, step.kind
    (True, 2.0, 'algebra')
    >>> Step("whole", "risk <= bound", left=0.02, right=1060, certain=1).promises
    False
    """

    name: str
    claim: str
    left: float
    right: float
    source: str = ""
    relation: str = "<="
    subject: str = ""
    uses: tuple[str, ...] = ()
    saboteurs: tuple[Saboteur, ...] = ()
    follows: str = ""
    certain: float = math.inf

    def __post_init__(self):
        for side in ("left", "right"):
            object.__setattr__(self, side, float(getattr(self, side)))

    @property
    def kind(self) -> str:
        """Counted, if the line uses an assumption; "follows" if it does from another one; or algebra."""
        return "follows" if self.follows else "counted" if self.uses else "algebra"

    @property
    def promises(self) -> bool:
        """Is the right side below what is certain anyway?"""
        return self.right < self.certain

    @property
    def holds(self) -> bool:
        """Is the line true here, up to rounding? A side that is not finite has no rounding error."""
        size = max(abs(self.left), abs(self.right))
        room, gap = ROUNDING * size if math.isfinite(size) else 0.0, self.right - self.left
        return bool({"<=": gap >= -room, "<": gap > room, "=": abs(gap) <= room}[self.relation])

    @property
    def slack(self) -> float:
        """The factor right / left that the line gives away: 1 is tight; infinity if left is not positive."""
        if math.isclose(self.left, self.right, rel_tol=ROUNDING):
            return 1.0
        return self.right / self.left if self.left > 0 else math.inf


equation = functools.partial(Step, relation="=")
"""A `Step` whose two sides are equal."""
strict = functools.partial(Step, relation="<")
"""A `Step` whose left side is below the right one by more than rounding errors."""


def tightest(steps):
    """Of one line about several subjects the `Step` that comes closest to failing; of equals the first."""
    def room(step):
        gap = abs(step.left - step.right)  # of an equation that holds it is rounding alone
        return step.holds, -gap * (not step.holds) if step.relation == "=" else canonical(step.slack)
    return min(steps, key=room)


@dataclass(frozen=True, repr=False)
class Ledger:
    """A proof, executed: its steps at one set of parameters. Shows itself as a table.

    Parameters
    ----------
    theorem : str
        Its key in `ldp_lib.theory.LEDGERS`.
    params : dict
        Parameters of the theorem: name -> number or text.
    steps : tuple of Step
        The lines of the proof, in order.
    kind : str
        What the paper calls it; default "Theorem".

    Examples
    --------
    >>> print(Ledger("0", {"d": 1}, (Step("count", "1 <= 2^d", left=1, right=2),)))
    Theorem 0 at d = 1: every step holds (0 counted, 1 of algebra)
      count  1 <= 2  holds, slack 2 (loosest)
    """

    theorem: str
    params: dict
    steps: tuple[Step, ...]
    kind: str = "Theorem"

    @property
    def counted(self) -> tuple[Step, ...]:
        """The steps that use an assumption and do not follow from another one."""
        return tuple(step for step in self.steps if step.kind == "counted")

    @property
    def holds(self) -> bool:
        """Do all steps hold?"""
        return all(step.holds for step in self.steps)

    @property
    def loosest(self) -> Step:
        """The inequality with the largest finite slack."""
        finite = [step for step in self.steps if math.isfinite(step.slack)]
        return max(finite, key=lambda step: canonical(step.slack))     # of equals the first

    def __getitem__(self, name: str) -> Step:
        """The step of that name."""
        for step in self.steps:
            if step.name == name:
                return step
        raise KeyError(f"no step {name!r}; the steps are {', '.join(step.name for step in self.steps)}")

    def _title(self):
        values = ", ".join(f"{name} = {value}" if isinstance(value, str) else f"{name} = {value:g}"
                           for name, value in self.params.items())
        verdict = "every step holds" if self.holds else "a step FAILS"
        kinds = [step.kind for step in self.steps]
        counts = [f"{kinds.count(kind)} {words}" for kind, words in
                  (("counted", "counted"), ("follows", "that follow"), ("algebra", "of algebra"))
                  if kind in kinds or kind == "counted"]
        return f"{self.kind} {self.theorem} at {values}: {verdict} ({', '.join(counts)})"

    def _rows(self):
        for step in self.steps:
            verdict = "holds" if step.holds else "FAILS"
            mark = " (loosest)" if step is self.loosest and step.slack > 1 + ROUNDING else ""
            mark += "" if step.promises else f"; promises nothing, {step.certain:.4g} is certain"
            mark += f"; follows from {step.follows}" * bool(step.follows)
            yield (step.name, step.claim, f"{step.left:.6g} {step.relation} {step.right:.6g}",
                   f"{verdict}, slack {step.slack:.4g}{mark}", step.subject or step.kind, step.source)

    def __str__(self):
        rows = list(self._rows())
        widths = [max(len(row[column]) for row in rows) for column in (0, 2)]
        lines = (f"  {name:<{widths[0]}}  {sides:<{widths[1]}}  {verdict}"
                 for name, _, sides, verdict, *_ in rows)
        return "\n".join([self._title(), *lines])

    __repr__ = __str__

    def _repr_html_(self):
        """A table with a bar in each row: as long as the slack has decimals, six at most.

        Where the page is narrow the table scrolls, and the page does not.
        """
        head = "".join(f"<th scope='col' style='text-align:left;min-width:{width}em'>{title}</th>"
                       for title, width in COLUMNS.items())
        body = "".join(f"<tr>{_cells(row, step.slack)}</tr>"
                       for step, row in zip(self.steps, self._rows(), strict=True))
        return (f"<p>{html.escape(self._title())}</p><div role='group' aria-label='steps' tabindex='0' "
                "style='overflow-x:auto'>"
                f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>")


COLUMNS = {"step": 4, "claim": 14, "left, right": 6, "verdict": 9, "subject": 7, "source": 9}
"""Of a ledger's table, with their least widths in em."""


def _cells(row, slack):
    """The cells of a row, typeset but for the name, by which steps are asked for; the verdict has the bar."""
    decimals = min(max(math.log10(slack), 0.0), 6.0) if 0 < slack < math.inf else 0.0
    bar = f"<div aria-hidden='true' style='width:{decimals:.2f}em;height:.4em;background:#d55e00'></div>"
    name, *rest = map(html.escape, row)
    cells = [name, *map(typeset, rest)]
    cells[3] += bar if decimals else ""
    return "".join(f"<td style='text-align:left'>{cell}</td>" for cell in cells)


SYMBOLS = {
    "&lt;=": "≤", "&gt;=": "≥", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ",
    "eps": "ε", "epsilon": "ε", "eta": "η", "lambda": "λ", "Lam": "Λ", "mu": "μ", "nu": "ν", "phi": "φ",
    "varphi": "φ", "psi": "ψ", "sigma": "σ", "tau": "τ", "theta": "θ", "kappa": "κ", "rho": "ρ", "sqrt": "√",
    "infinity": "∞", "Omega": "Ω", "etahat": "η̂", "fhat": "f̂", "chat": "ĉ", "betahat": "β̂", "etabar": "η̄",
}
"""What words of formulas look like in a table."""


def typeset(formula):
    """A formula in words, escaped, as HTML with Greek letters, superscripts and subscripts.

    >>> typeset("n alpha^2 t^2 / 2^(2d+6) &lt;= lambda_j")
    'n α<sup>2</sup> t<sup>2</sup> / 2<sup>2d+6</sup> ≤ λ<sub>j</sub>'
    """
    formula = re.sub(r"&[lg]t;=|[A-Za-z]+", lambda word: SYMBOLS.get(word[0], word[0]), formula)
    inner = r"[^()]|\((?:[^()]|\([^()]*\))*\)"          # parentheses in parentheses in parentheses
    raised = rf"\(((?:{inner})*)\)|\{{([^{{}}]*)\}}|([+-]?\w+\*?)"
    for mark, tag in ((r"\^", "sup"), ("_", "sub")):
        formula = re.sub(f"{mark}(?:{raised})", rf"<{tag}>\1\2\3</{tag}>", formula)
    return formula


LEDGERS = {}
"""The ledgers of the modules imported so far, by theorem."""


PAPERS = {"": "Berrett & Butucea 2019", "wavelet": "Butucea et al. 2020", "bayes": "Bousquet et al. 2022"}
"""By what stands before the "-" in a theorem's key; any other paper stands there itself."""


def proves(theorem, *saboteurs, kind="Theorem"):
    """Decorator of a function that returns (params, steps): it returns their `Ledger`, and is in `LEDGERS`.

    theorem : the key there: the paper as in `PAPERS`, "-", and its number.  saboteurs : of the theorem's
    assumptions; the function has them as `saboteurs`.  kind : what the paper calls it.
    """
    paper, _, number = theorem.rpartition("-")
    proof = f"{PAPERS.get(paper, paper)}, proof of {kind} {number}"
    known = {saboteur.assumption for saboteur in saboteurs}

    def cited(step):
        unknown = set(step.uses) - known
        if unknown:
            raise ValueError(f"step {step.name!r} uses {', '.join(sorted(unknown))}, which no saboteur of "
                             f"{theorem} takes away; there are {', '.join(sorted(known))}.")
        source = proof + step.source if step.source[:1] in ("", ",") else step.source
        mine = tuple(saboteur for saboteur in saboteurs if saboteur.assumption in step.uses)
        return replace(step, source=source, saboteurs=mine)

    def register(function):
        @functools.wraps(function)
        def executed(*args, **given):
            params, steps = function(*args, **given)
            return Ledger(theorem, params, tuple(map(cited, steps)), kind)

        executed.saboteurs = saboteurs
        LEDGERS[theorem] = executed
        return executed

    return register
