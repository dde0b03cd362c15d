"""Writes docs/coverage.md: which functions of the Python array API standard, CuPy and JAX sinter has.

    coverage.py ROOT            prints the page
    coverage.py ROOT --write    writes it
    coverage.py ROOT --check    exit status 1 if the page is not what would be written

What is present is read from the public headers and from ir/ops.def, errors from docs/accuracy.md.
"""

import difflib
import re
import sys
from pathlib import Path

# ---- what there is to have

ARRAY_API = {
    "Elementwise": """abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert
        bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide
        equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less
        less_equal log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor maximum
        minimum multiply negative nextafter not_equal positive pow real reciprocal remainder round sign
        signbit sin sinh sqrt square subtract tan tanh trunc""",
    "Constants": "e inf nan newaxis pi",
    "Creation": """arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones
        ones_like tril triu zeros zeros_like""",
    "Data types": "astype broadcast_arrays broadcast_to can_cast finfo iinfo isdtype result_type",
    "Indexing": "take take_along_axis",
    "Manipulation": """broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat
        reshape roll squeeze stack tile unstack""",
    "Linear algebra": "matmul matrix_transpose tensordot vecdot",
    "Searching": "argmax argmin count_nonzero nonzero searchsorted where",
    "Sets": "unique_all unique_counts unique_inverse unique_values",
    "Sorting": "argsort sort",
    "Statistics": "cumulative_prod cumulative_sum max mean min prod std sum var",
    "Utilities": "all any diff",
    "Inspection": "__array_namespace_info__",
    "Extension linalg": """linalg.cholesky linalg.cross linalg.det linalg.diagonal linalg.eigh linalg.eigvalsh
        linalg.inv linalg.matmul linalg.matrix_norm linalg.matrix_power linalg.matrix_rank
        linalg.matrix_transpose linalg.outer linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd
        linalg.svdvals linalg.tensordot linalg.trace linalg.vecdot linalg.vector_norm""",
    "Extension fft": """fft.fft fft.ifft fft.fftn fft.ifftn fft.rfft fft.irfft fft.rfftn fft.irfftn fft.hfft
        fft.ihfft fft.fftfreq fft.rfftfreq fft.fftshift fft.ifftshift""",
}

CUPY = {
    "Creation": """empty empty_like eye identity ones ones_like zeros zeros_like full full_like array asarray
        asanyarray ascontiguousarray copy fromfile fromfunction fromiter fromstring loadtxt genfromtxt arange
        linspace logspace geomspace meshgrid mgrid ogrid diag diagflat tri tril triu vander""",
    "Manipulation": """copyto shape reshape ravel ndarray.flat ndarray.flatten moveaxis rollaxis swapaxes
        ndarray.T transpose atleast_1d atleast_2d atleast_3d broadcast broadcast_to broadcast_arrays
        expand_dims squeeze asarray concatenate stack vstack hstack dstack column_stack row_stack split
        array_split dsplit hsplit vsplit tile repeat delete append resize unique trim_zeros flip fliplr flipud
        reshape roll rot90 pad require""",
    "Indexing": """c_ r_ nonzero where indices mask_indices tril_indices tril_indices_from triu_indices
        triu_indices_from ix_ ravel_multi_index unravel_index diag_indices diag_indices_from take
        take_along_axis choose compress diag diagonal select lib.stride_tricks.as_strided place put
        put_along_axis putmask fill_diagonal flatiter lib.stride_tricks.sliding_window_view""",
    "Bits and logic": """bitwise_and bitwise_or bitwise_xor invert left_shift right_shift packbits unpackbits
        binary_repr all any isfinite isinf isnan isneginf isposinf iscomplex iscomplexobj isfortran isreal
        isrealobj isscalar logical_and logical_or logical_not logical_xor allclose isclose array_equal
        array_equiv greater greater_equal less less_equal equal not_equal""",
    "Mathematics": """sin cos tan arcsin arccos arctan hypot arctan2 degrees radians unwrap deg2rad rad2deg
        sinh cosh tanh arcsinh arccosh arctanh around round rint fix floor ceil trunc prod sum nanprod nansum
        cumprod cumsum nancumprod nancumsum diff gradient ediff1d cross trapz exp expm1 exp2 log log10 log2
        log1p logaddexp logaddexp2 i0 sinc signbit copysign frexp ldexp nextafter lcm gcd add reciprocal
        positive negative multiply divide power subtract true_divide floor_divide float_power fmod mod modf
        remainder divmod angle real imag conj conjugate maximum fmax amax nanmax minimum fmin amin nanmin
        convolve clip sqrt cbrt square absolute fabs sign heaviside nan_to_num real_if_close interp""",
    "Products": """dot vdot inner outer matmul tensordot einsum kron trace linalg.matrix_power linalg.cholesky
        linalg.qr linalg.svd linalg.eigh linalg.eigvalsh linalg.norm linalg.det linalg.matrix_rank
        linalg.slogdet linalg.solve linalg.tensorsolve linalg.lstsq linalg.inv linalg.pinv
        linalg.tensorinv""",
    "Statistics": """ptp percentile quantile median average mean std var nanmedian nanmean nanstd nanvar corrcoef
        correlate cov histogram histogram2d histogramdd bincount digitize""",
    "Sorting and searching": """sort lexsort argsort msort sort_complex partition argpartition argmax nanargmax
        argmin nanargmin argwhere nonzero flatnonzero where searchsorted extract count_nonzero""",
    "Sets": "unique in1d intersect1d isin setdiff1d setxor1d union1d",
    "Functional": "apply_along_axis vectorize piecewise",
    "Polynomials": "polyval polyfit roots poly1d",
    "Input and output": """load save savez savez_compressed array_repr array_str array2string
        set_printoptions format_float_positional format_float_scientific base_repr""",
    "Windows": "bartlett blackman hamming hanning kaiser",
    "Random": """random.uniform random.normal random.integers random.standard_normal
        random.standard_exponential random.gamma random.beta random.binomial random.poisson random.choice
        random.permutation random.permuted random.shuffle random.multivariate_normal random.standard_cauchy random.laplace
        random.logistic random.gumbel random.rayleigh random.lognormal random.weibull random.pareto random.power
        random.triangular random.wald random.geometric random.hypergeometric random.logseries
        random.multinomial random.negative_binomial random.noncentral_chisquare random.noncentral_f
        random.dirichlet random.chisquare random.f random.standard_gamma random.standard_t random.vonmises
        random.zipf random.default_rng""",
    "Fourier": """fft.fft fft.ifft fft.fft2 fft.ifft2 fft.fftn fft.ifftn fft.rfft fft.irfft fft.rfft2 fft.irfft2
        fft.rfftn fft.irfftn fft.hfft fft.ihfft fft.fftfreq fft.rfftfreq fft.fftshift fft.ifftshift""",
}

JAX = {"Control flow": "cond fori_loop lax.map scan switch vmap while_loop"}

# Not all of it: what has no other name in the lists above.
SCIPY = {"Special functions": "logsumexp softmax log_softmax"}

# ---- what a NumPy user would write otherwise

CALLS = {
    "std": "`.correction` is NumPy's `ddof`", "var": "`.correction` is NumPy's `ddof`",
    "nonzero": "a `std::vector`, an array an axis; `auto [i, j] = nonzero<2>(x)`",
    "unravel_index": "a `std::vector`, an array an axis; `auto [i, j] = unravel_index<2>(k, shape)`",
    "indices": "a `std::vector`, an array an axis; `auto [i, j] = indices<2>(shape)`",
    "power": "negative elements of an integer exponent give 0, 1 or -1",
    "meshgrid": "of two or three a tuple, of more a `std::vector`",
    "gradient": "of a vector, along `.axis`, or of a spacing for each axis; `gradients` gives all axes",
    "histogram": "weights are the third argument", "bincount": "weights are the second argument",
    "pad": "constant, edge, reflect, symmetric, wrap", "arange": "`arange(10)` is of `int`",
    "softmax": "over all axes, as SciPy's, unless `.axis` names some: `softmax(x, -1)`",
    "log_softmax": "over all axes, as SciPy's, unless `.axis` names some: `log_softmax(x, {.axis = 1})`",
}

# ---- other names for the same thing

NAMES = {
    "std": "stddev", "array": "asarray", "asanyarray": "asarray", "ascontiguousarray": "copy",
    "trapz": "trapezoid", "around": "round", "fabs": "abs", "mgrid": "indices",
    "load": "load_npy", "save": "save_npy", "ndarray.T": "T", "ndarray.flatten": "ravel",
    "row_stack": "vstack", "isrealobj": "isdtype", "iscomplexobj": "isdtype",
    "array2string": "to_string", "lib.stride_tricks.sliding_window_view": "sliding_window_view",
    "diag_indices": "diagonal", "broadcast": "broadcast_shapes",
    "random.standard_normal": "random.normal", "random.standard_cauchy": "random.cauchy",
    "delete": "delete_", "tril_indices_from": "tril_indices", "triu_indices_from": "triu_indices",
    "in1d": "isin", "power": "pow", "lax.map": "vmap",
}

# Not functions of an array library in C++, with the reason.
LEFT_OUT = {
    "__array_namespace_info__": "asks a Python module for itself; in C++ the headers say it",
    "copyto": "`x = y`: arrays are values", "ndarray.flat": "`ravel`, `to_host`", "flatiter": "`ravel`, `to_host`",
    "fromiter": "`asarray` takes any range", "fromstring": "`asarray` of what the program parsed",
    "fromfile": "`load_npy`; raw bytes by `asarray`", "isscalar": "a C++ type is one or is not",
    "isfortran": "arrays have no order in memory that a program could see", "require": "the same",
    "lib.stride_tricks.as_strided": "out of bounds at the first mistake; `sliding_window_view`, slices",
    "c_": "`concatenate` and slices", "r_": "`concatenate` and slices", "ogrid": "`arange` and `newaxis`",
    "mask_indices": "`where` with a mask", "binary_repr": "text of an int", "base_repr": "text of an int",
    "format_float_positional": "`to_string`", "format_float_scientific": "`to_string`",
    "msort": "`sort(x, {.axis = 0})`", "poly1d": "a Python class", "real_if_close": "its dtype depends on values",
    "trim_zeros": "its shape depends on values",
    "vectorize": "a C++ function of arrays is one already", "rollaxis": "`moveaxis`",
    "switch": "`cond` in `cond`, or a C++ switch",
    "diag_indices_from": "`diagonal`", "apply_along_axis": "functions take axes",
}

# What is no part of a fused kernel: library calls and what must be in memory.
BOUNDARY = """matmul dot inner tensordot einsum cov corrcoef sort argsort lexsort partition argpartition unique
    unique_all unique_counts unique_inverse unique_values median quantile percentile nanmedian searchsorted
    nonzero argwhere flatnonzero tril_indices triu_indices polyfit roots load_npy save_npy savez savez_compressed to_string from_dlpack isin union1d intersect1d setdiff1d
    setxor1d in1d histogram bincount random.multivariate_normal random.permutation random.shuffle
    random.permuted""".split()
# Of sn::linalg and sn::fft what is no call.
NO_CALLS = """linalg.cross linalg.diagonal linalg.matrix_transpose linalg.outer linalg.trace linalg.vecdot
    fft.fftfreq fft.rfftfreq fft.fftshift fft.ifftshift""".split()
BOUNDARY_NOTES = {
    "fori_loop": "one kernel, fused, where the body is elementwise; else a plan a round",
    "while_loop": "one kernel, fused, where the body is elementwise; else a plan a round",
    "scan": "one kernel where the step is elementwise; else a plan a round",
    "cond": "fused where the branches cost little; else one of them is computed",
    "vmap": "as what it maps",
    "dot": "`matmul` where both sides keep an axis, else one fused sum",
    "diag": "fused; off the main diagonal of a vector, an update",
}
for _name in ("inner", "tensordot", "einsum"):
    BOUNDARY_NOTES[_name] = BOUNDARY_NOTES["dot"]

# ---- reading the code

PUBLIC = "engine/include/sinter"
FUNCTION = re.compile(r"^(?:template.*>\s*)?(?:inline |constexpr |static |\[\[nodiscard\]\] )*"
                      r"(?:auto|void|bool|[a-z_:]+_t|any_array|array<[^()]*>|std::[a-z:_]+(?:<[^()]*>)?|dtype|"
                      r"[a-z_]+_info|std::string|list|detail::[a-z_]+(?:<[^()]*>)?)&? ([a-z_0-9]+)\(")
NAMED = re.compile(r"inline constexpr detail::named_[a-z_]+(?:<[^;]*>)? ([a-z_0-9]+);")
USING = re.compile(r"^using detail::([a-z_0-9]+);")
SAME = re.compile(r"^using sinter::([a-z_0-9]+);")
CONSTANT = re.compile(r"^inline constexpr (?:double|newaxis_t) ([a-z_]+)[ {]")
ALIAS = re.compile(r"^using ([a-z_]+) = generator;")
CLASS = re.compile(r"^class (?:\[\[nodiscard\]\] )?([a-z_]+)")
NAMESPACE = re.compile(r"^namespace ([a-z_:]+) \{")


TEXT = re.compile(r"//.*|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)'")


def functions_of(header, patterns=(FUNCTION, NAMED, USING, SAME, CLASS, CONSTANT, ALIAS)):
    """The names a public header declares, with those of nested namespaces as `linalg.inv`."""
    found, spaces, depth = set(), [], 0  # spaces: (the depth of its braces, its names)
    for line in header.read_text(encoding="utf-8").splitlines():
        code = TEXT.sub("", line)
        opened = NAMESPACE.match(line)
        if opened:
            spaces.append((depth, opened.group(1).split("::")))
        depth += code.count("{") - code.count("}")
        while spaces and depth <= spaces[-1][0]:
            spaces.pop()
        inner = [s for _, names in spaces for s in names if s not in ("sinter", "fmt")]
        if opened or "detail" in inner:
            continue
        for pattern in patterns:
            match = pattern.match(line)
            if match:
                found.add(".".join([*inner, match.group(1)]))
    if depth:
        sys.exit(f"{header.name}: its braces are not understood, so neither is what it declares")
    return found


def ops(root):
    """The elementwise functions: the rows of the op table that are not internal."""
    table = (root / "ir/ops.def").read_text(encoding="utf-8")
    rows = re.findall(r"SINTER_OP\((\w+), \d, \w+, \w+, ([^,]*),", table)
    return {name for name, traits in rows if "internal" not in traits}


def present(root):
    found = {"T", "shape"} | ops(root)
    for header in sorted((root / PUBLIC).glob("*.hpp")):
        found |= functions_of(header)
    return found


def errors(root):
    """{function: [float32 / float64 on the CPU, the same on a GPU]}; a GPU's bound where nothing was measured."""
    table = {}
    for line in (root / "docs/accuracy.md").read_text(encoding="utf-8").splitlines():
        cells = [c.strip(" *") for c in line.strip("|").split("|")]
        if not line.startswith("| ") or not re.fullmatch(r"\w+", cells[0]) or cells[0] == "function":
            continue
        entry = table.setdefault(cells[0], ["", ""])
        if len(cells) == 3:
            entry[0] = f"{cells[1]} / {cells[2]}"
        elif len(cells) == 5:
            entry[1] = " / ".join(cells[i] or f"< {cells[i + 1]}.5" for i in (1, 3))
    return table


def approximations(root):
    """{op: is it, or what its formula calls, right to a few ulp only}"""
    lines = (root / "ir/ops.def").read_text(encoding="utf-8").splitlines()
    table = "\n".join(line for line in lines if not line.lstrip().startswith("//"))
    rows = re.findall(r'SINTER_OP\((\w+), \d, \w+, \w+, ([^,]*), \w+, \d+,\s*((?:"[^"]*"\s*)+),', table)
    known = {name: "approximate" in traits for name, traits, _ in rows}
    for name, _, formula in rows:
        known[name] = known[name] or any(known.get(called) for called in re.findall(r"(\w+)\(", formula))
    return known


# ---- the page

class Page:
    def __init__(self, root):
        self.have = present(root)
        self.errors = errors(root)
        self.approximate = approximations(root)

    def row(self, name):
        """The cells of a function, and whether it counts as present, left out or missing."""
        ours = NAMES.get(name, name)
        if ours not in self.have:
            ours = ours if ours in self.have else name
        short = ours.split(".")[-1]
        if ours in self.have:
            boundary = ours in BOUNDARY or (ours.startswith(("linalg.", "fft.")) and ours not in NO_CALLS)
            how = BOUNDARY_NOTES.get(short, "boundary" if boundary else "fused")
            called = "" if ours == name else f"`{ours.replace('.', '::')}`"
            if name in CALLS:
                called = "; ".join(filter(None, (called, CALLS[name])))
            cpu, gpu = self.errors.get(ours, ["", ""])
            if not cpu and self.approximate.get(ours) is False:
                cpu = gpu = "exact"
            return "yes", [f"`{name}`", "yes", called, how, cpu, gpu]
        if name in LEFT_OUT:
            return "left out", [f"`{name}`", "no", LEFT_OUT[name], "", "", ""]
        return "missing", [f"`{name}`", "not yet", "", "", "", ""]

    def section(self, title, groups):
        lines, counts = [], {"yes": 0, "left out": 0, "missing": 0}
        for group, names in groups.items():
            lines += [f"\n### {group}\n", "| function | here | as, or why not | fused | CPU ulp | GPU ulp |",
                      "|---|---|---|---|---|---|"]
            for name in names.split():
                kind, cells = self.row(name)
                counts[kind] += 1
                lines.append("| " + " | ".join(cells) + " |")
        head = (f"\n## {title}\n\n{counts['yes']} present, {counts['missing']} not yet, "
                f"{counts['left out']} without a meaning here.\n")
        return head + "\n".join(lines) + "\n"

    def text(self):
        head = """# Coverage

Written by `tests/coverage.py` from the public headers, ir/ops.def and [accuracy.md](accuracy.md); a test
compares. *Fused*: it becomes part of the kernels around it; *boundary*: a library call, or something that
must be in memory. Errors are the largest found, in units in the last place, float32 / float64 (with "<" a documented
bound, where none was measured); *exact*: to the last bit, or written out in terms of what is. No number: made of the functions above, or not measured.
"""
        return (head + self.section("Python array API standard 2024.12", ARRAY_API)
                + self.section("CuPy", CUPY) + self.section("JAX", JAX)
                + self.section("SciPy, of which this is here", SCIPY))


def main():
    root = Path(sys.argv[1])
    text = Page(root).text()
    page = root / "docs/coverage.md"
    if "--write" in sys.argv:
        page.write_text(text, encoding="utf-8")
    elif "--check" in sys.argv:
        old = page.read_text(encoding="utf-8") if page.exists() else ""
        for line in difflib.unified_diff(old.splitlines(), text.splitlines(), "docs/coverage.md", "code", lineterm="",
                                         n=0):
            print(line)
        if old != text:
            print("run: tests/coverage.py . --write")
        sys.exit(old != text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
