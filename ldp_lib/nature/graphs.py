"""Finite metric spaces: the vertices of a graph with the lengths of shortest paths; trees among them."""

import math
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from ldp_lib._arguments import numeric, real, require_memory, whole
from ldp_lib.nature.spaces import MetricSpace


class GraphMetric(MetricSpace):
    """The vertices 0, ..., n - 1 of a connected graph; a point is the number of a vertex, shape (n, 1).

    edges : (m, 2), the vertices that each edge joins.  lengths : (m,), > 0.

    `paths` : (n, n), the distances.  `doubling_dimension` is computed: the largest number of balls that the
    greedy cover of any ball takes, an upper bound.
    """

    def __init__(self, edges, lengths):
        ends = numeric("edges", edges)
        if ends.ndim != 2 or ends.shape[1] != 2 or not ((ends >= 0) & (ends == np.floor(ends))).all():
            raise ValueError(f"edges has shape {ends.shape}; it must be (m, 2), two vertices a row.")
        weights = numeric("lengths", lengths)
        if weights.shape != (len(ends),) or not ((weights > 0) & np.isfinite(weights)).all():
            raise ValueError(f"lengths has shape {weights.shape}; give every edge a finite length > 0.")
        self.edges, self.lengths = ends.astype(np.intp), weights
        n = int(self.edges.max()) + 1
        require_memory(f"The distances of {n:,} vertices", 24.0 * n * n, "Use a smaller graph.")
        # SciPy 1.14 finds paths in matrices with 32-bit indices only.
        graph = csr_array((weights, tuple(self.edges.T.astype(np.int32))), shape=(n, n))
        self.paths = dijkstra(graph, directed=False)
        if not np.isfinite(self.paths).all():
            raise ValueError("edges leaves some vertices unconnected; join them, and leave no number out.")

    def __repr__(self):
        return f"{type(self).__name__}({len(self.paths)} vertices)"

    @property
    def diameter(self):
        """The largest distance."""
        return float(self.paths.max())

    @cached_property
    def doubling_dimension(self):
        """log2 of the largest greedy cover of a ball by balls of half its radius."""
        most = 1
        for centre in range(len(self.paths)):
            for radius in np.unique(self.paths[centre])[1:]:
                uncovered = self.paths[centre] <= radius
                near = self.paths <= radius / 2
                balls = 0
                while uncovered.any():
                    uncovered &= ~near[np.argmax(near @ uncovered.astype(float))]
                    balls += 1
                most = max(most, balls)
        return math.log2(max(most, 2))

    def contains(self, X):
        """Whether each row of X is the number of a vertex."""
        return (X[:, 0] >= 0) & (X[:, 0] < len(self.paths)) & (X[:, 0] == np.floor(X[:, 0]))

    def distance(self, a, b):
        """Lengths of shortest paths."""
        return self.paths[np.asarray(a)[..., 0].astype(np.intp), np.asarray(b)[..., 0].astype(np.intp)]

    def nearest(self, X, centres):
        """Number of the nearest centre of each row of X, (n,); the first of several."""
        return self.paths[:, centres[:, 0].astype(np.intp)].argmin(axis=1)[X[:, 0].astype(np.intp)]

    def packing(self, r):
        """Greedy in the order of the vertices."""
        r = real("r", r, above=0)
        centres, free = [], np.ones(len(self.paths), bool)
        while free.any():
            centres.append(int(np.argmax(free)))
            free &= self.paths[centres[-1]] > r
        return np.array(centres, dtype=float)[:, None]


class BinaryTree(GraphMetric):
    """A tree in which every vertex of depth below `depth` has two children, half as far as its parent.

    Vertex 0 is the root; the children of v are 2 v + 1 and 2 v + 2, at distance 2^-(depth of the child).
    """

    def __init__(self, depth=5):
        self.depth = whole("depth", depth, least=1, most=10)
        child = np.arange(1, 2 ** (self.depth + 1) - 1)
        super().__init__(np.column_stack([(child - 1) // 2, child]), 2.0 ** -np.floor(np.log2(child + 1)))
