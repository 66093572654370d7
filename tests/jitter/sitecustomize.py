"""Another processor, played by this one: what a processor may round as it likes is moved by a last bit.

Python imports a module of this name when it starts. With LDP_JITTER=7 in the environment

* the loops of numpy's and SciPy's elementwise functions of doubles (exp, log, sin, power with `**`, erf,
  betainc, ...) are replaced: each result moves by a last bit up, down or not at all, which its own bits, its
  place in the array and the seed 7 decide, so that a failure comes again;
* so are the functions of `math`;
* sums are added, and products of matrices multiplied, from the last term to the first.

What every library agrees on stays: results with few binary digits, such as exp(0) = 1, 2**-3 or hypot(3, 4),
and what is not finite. Basic arithmetic and roots are rounded correctly by every processor.
"""

import ctypes
import functools
import math
import os
import struct
import sys

FUNCTIONS = ("exp exp2 expm1 log log1p log2 log10 sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh "
             "arccosh arctanh power float_power hypot cbrt arctan2 logaddexp logaddexp2").split()
SPECIAL = ("bdtr bdtrc betainc betaincc betainccinv betaincinv betaln binom boxcox entr erf erfc erfcinv "
           "erfcx erfinv exp10 exp2 expit exprel gamma gammainc gammaincc gammaincinv gammaln kl_div log1p "
           "log_expit log_ndtr logit loggamma ndtr ndtri pdtr pdtrc poch psi rel_entr stdtr "
           "xlog1py xlogy").split()
PLAIN = ("exp exp2 expm1 log log1p log2 log10 sin cos tan asin acos atan atan2 sinh cosh tanh pow hypot cbrt "
         "gamma lgamma erf erfc").split()
SAME_LIBRARY = ("_reached_by_numpy",)
"""Who calls the C library's logarithm because numpy's sampler, which is not moved, calls it, too."""
FEW_DIGITS = (1 << 20) - 1
"""A result whose last twenty binary digits are 0 is taken for one that is exact."""


@functools.cache
def nudges(seed):
    """-1, 0 or +1 for each pattern of a result's last twenty binary digits."""
    import numpy as np

    return np.random.default_rng(seed).integers(-1, 2, FEW_DIGITS + 1, dtype=np.int8)


def moved(values, seed):
    """`values`, a strided array of doubles, changed in place by -1, 0 or +1 last bit each."""
    import numpy as np

    bits = values.view(np.int64)
    last = bits & FEW_DIGITS     # 0 of infinity, and of what is no number
    bits += nudges(seed).take(last + np.arange(len(bits)), mode="wrap") * (last != 0)


LOOP = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_ssize_t),
                        ctypes.POINTER(ctypes.c_ssize_t), ctypes.c_void_p)


def replace(function, types, make):
    """Let `make(old)` be the loop of the ufunc `function` for these type numbers; False if it has none."""
    import numpy as np

    capsule = ctypes.pythonapi.PyCapsule_GetPointer
    capsule.restype, capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(capsule(np._core._multiarray_umath._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    swap = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int),
                            ctypes.POINTER(ctypes.c_void_p))(table[30])     # PyUFunc_ReplaceLoopBySignature
    old = ctypes.c_void_p()
    signature = (ctypes.c_int * len(types))(*types)
    nothing = LOOP(lambda *_: None)
    if swap(function, ctypes.cast(nothing, ctypes.c_void_p), signature, ctypes.byref(old)) != 0:
        return False
    new = LOOP(make(LOOP(old.value)))
    # numpy holds the address only, and calls it until the process has ended.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(new))
    swap(function, ctypes.cast(new, ctypes.c_void_p), signature, ctypes.byref(ctypes.c_void_p()))
    return True


class Strided:
    """Doubles in memory, the first at `address`, with these lengths and steps in bytes; for numpy."""

    def __init__(self, address, shape, strides):
        kind = "<f8" if sys.byteorder == "little" else ">f8"
        self.__array_interface__ = {"data": (address, False), "shape": shape, "strides": strides,
                                    "typestr": kind, "version": 3}


def elementwise(seed, inputs, parts):
    """Make a loop whose results are moved."""
    import numpy as np

    def make(old):
        def loop(places, length, steps, data):
            # SciPy's loops move the places.
            results, count, step = places[inputs], length[0], steps[inputs]
            old(places, length, steps, data)
            for part in range(parts if count else 0):     # a complex number is two doubles
                moved(np.asarray(Strided(results + 8 * part, (count,), (step,))), seed)
        return loop
    return make


def backwards(reduce):
    """`numpy.add.reduce`, from the last term to the first."""
    import numpy as np

    def other(a, axis=None, dtype=None, out=None, keepdims=False, initial=np._NoValue, where=True):
        a = np.asanyarray(a)
        plain = type(a) is np.ndarray and a.dtype.kind in "fc" and where is True and a.ndim
        return reduce(np.flip(a, axis) if plain else a, axis, dtype, out, keepdims, initial, where)
    return other


PRODUCTS = {"matmul": ((1, 2), (2, 3), (1, 3)), "vecdot": ((1,), (1,), ()), "matvec": ((1, 2), (2,), (1,)),
            "vecmat": ((1,), (1, 2), (2,))}
"""Of both factors and the result: which of a loop's lengths are their shapes."""


def products(first, second, result):
    """Make a loop of a product that adds its terms from the last to the first: of copies, for BLAS."""
    import numpy as np

    summed, = {*first, *second} - {*result} or {*first}
    sides = (0, first, 3), (1, second, 3 + len(first))     # which, its lengths, where its strides begin

    def make(old):
        def loop(places, length, steps, data):
            last = 3 + len(first) + len(second)
            if not length[0]:
                return
            # Of one row after the other, the first of their axes.
            rows = [np.asarray(Strided(places[k], (length[0], *(length[i] for i in names)),
                                       (steps[k], *steps[at:at + len(names)]))) for k, names, at in sides]
            turned = [np.flip(factors, 1 + names.index(summed)).copy()
                      for factors, (_, names, _) in zip(rows, sides)]
            strides = [turned[0].strides[0], turned[1].strides[0], steps[2],
                       *turned[0].strides[1:], *turned[1].strides[1:], *steps[last:last + len(result)]]
            starts = turned[0].ctypes.data, turned[1].ctypes.data, places[2]
            old((ctypes.c_void_p * 3)(*starts), length, (ctypes.c_ssize_t * len(strides))(*strides), data)
        return loop
    return make


def plain(function, seed):
    """A function of `math` whose results are moved."""
    nudge, double, whole = memoryview(nudges(seed)), struct.Struct("=d"), struct.Struct("=q")

    @functools.wraps(function)
    def other(*arguments):
        result = function(*arguments)
        if sys._getframe(1).f_code.co_name in SAME_LIBRARY:
            return result
        bits, = whole.unpack(double.pack(result))
        last = bits & FEW_DIGITS
        return double.unpack(whole.pack(bits + nudge[last]))[0] if last else result
    return other


def install(seed):
    """Replace all of them in this process; return how many loops were."""
    import numpy as np
    import scipy.special

    real, complex_ = 12, 15     # the numbers of float64 and complex128
    count = 0
    for home, names in ((np, FUNCTIONS), (scipy.special, SPECIAL)):
        for function in {getattr(home, name) for name in names}:
            for kind, parts in ((real, 1), (complex_, 2)):
                make = elementwise(seed, function.nin, parts)
                count += function.nout == 1 and replace(function, [kind] * function.nargs, make)
    methods = np._core._methods
    methods.umr_sum = backwards(methods.umr_sum)     # what the methods `sum`, `mean` and `std` of arrays call
    np.sum = functools.wraps(np.sum)(lambda a, *given, **named: np.asanyarray(a).sum(*given, **named))
    for name, shapes in PRODUCTS.items():
        count += replace(getattr(np, name), [real] * 3, products(*shapes))
    for name in PLAIN:
        setattr(math, name, plain(getattr(math, name), seed))
    return count


if os.environ.get("LDP_JITTER", "0") != "0":
    install(int(os.environ["LDP_JITTER"]))
