"""Every public function is compared with NumPy, or stands here with the reason why not.

    numpy_compared.py ROOT      exit status 1, and what is missing

What is public is read from the headers (coverage.py). What is compared is read from the tables of the drivers: a row
`{"name", ...}` or `{"name:form", ...}` of a test that asks tests/numpy for what it compares with; every table fails if
a row of it was compared with nothing. The elementwise driver looks at the whole op table itself.
"""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import coverage  # noqa: E402

# Drivers without a table of functions: which ones they compare, each of which they have to call.
CALLED = {
    "tests/unit/files/numpy_files.cpp": "load_npy load_npz save_npy savez savez_compressed save_safetensors",
    "tests/unit/files/numpy_text.cpp": "loadtxt genfromtxt load_csv savetxt save_csv",
    "tests/unit/engine/numpy_print.cpp": "to_string array_repr array_str",
    "tests/unit/engine/numpy_language.cpp": "can_cast",
    "tests/dlpack/peer.cpp": "from_dlpack to_dlpack to_dlpack_unversioned",
    "tests/unit/numpy/types.cpp": "finfo iinfo result_type isdtype",
}

# What NumPy has no counterpart of.
NOT_NUMPYS = {
    "no function of arrays: it evaluates, shows, measures or sets up":
        """current_device device_of devices dump eval explain fuse fusion get_print_options get_printoptions
        limit_memory memory session_statistics set_printoptions status synchronize timer trim tuning use""",
    "allows what NumPy never does: products and sums rounded once": "fast",
    "of C++: memory, ranges and types that a Python program has not":
        """as_span from_interface from_mdspan from_pointer from_range interface_of load_safetensors shape to
        to_device_mdspan to_mdspan visit""",
    "JAX's: tests/unit/engine has each beside the loop it stands for": "cond fori_loop scan vmap while_loop",
    "numbers of another generator: tests/unit/random has moments, distributions and independence":
        """random.bernoulli random.beta random.binomial random.categorical random.cauchy random.chisquare
        random.choice random.dirichlet random.exponential random.f random.gamma random.generator random.geometric
        random.gumbel random.integers random.laplace random.logistic random.lognormal random.logseries
        random.multinomial random.multivariate_normal random.negative_binomial random.noncentral_chisquare
        random.normal random.pareto random.permutation random.permuted random.poisson random.power random.rayleigh
        random.shuffle random.standard_exponential random.standard_gamma random.standard_t random.triangular
        random.truncated_normal random.uniform random.wald random.weibull""",
    "SciPy's: tests/unit/linalg has them beside what they are":
        """linalg.expm linalg.lu linalg.lu_factor linalg.lu_solve linalg.null_space linalg.solve_triangular""",
    "SciPy's or C's: tests/unit/ir has them beside formulas in long double": "erfcinv erfinv fma ndtr ndtri",
}


# Any declaration at the margin that is no member's: more than what coverage.py looks for.
DECLARED = re.compile(r"^(?=[a-zA-Z])(?!template|using|namespace|class|struct|enum|requires \(|SINTER_)(?!.*>::)(?:requires\(.*\) )?"
                      r"[\w:<>,&* ()\[\]]*[ &*]([a-z_0-9]+)\(")


def rows_of(text):
    return {name for name in re.findall(r'\{"([\w.]+)(?::\w+)?",', text)}


def compared(root):
    """{function: the driver that compares it}"""
    found = {name: "tests/unit/numpy/elementwise.cpp" for name in coverage.ops(root)}
    for driver in sorted((root / "tests/unit").rglob("*.cpp")):
        text = driver.read_text(encoding="utf-8")
        if re.search(r"compare_calls\(|oracle_folder\(", text) and driver.name != "numpy_scatter.cpp":
            found |= dict.fromkeys(rows_of(text), driver.relative_to(root).as_posix())
    for driver, names in CALLED.items():
        text = (root / driver).read_text(encoding="utf-8")
        for name in names.split():
            if not re.search(rf"\b{name}(?:<\w+>)?\(", text):
                sys.exit(f"{driver} does not call {name}")
            found[name] = driver
    return found


def main():
    root = Path(sys.argv[1])
    patterns = (coverage.FUNCTION, coverage.NAMED, coverage.USING, DECLARED)
    public = {"T"} | coverage.ops(root)
    for header in sorted((root / coverage.PUBLIC).glob("*.hpp")):
        public |= coverage.functions_of(header, patterns)
    have = compared(root)
    excused = {name: why for why, names in NOT_NUMPYS.items() for name in names.split()}
    faults = [f"{name}: compared with NumPy by no driver, and no reason given" for name in public - set(have) - set(excused)]
    for name in excused:
        if name in have and name not in coverage.ops(root):
            faults.append(f"{name}: {have[name]} compares it, so it needs no reason")
        elif name not in public and name not in coverage.present(root):
            faults.append(f"{name}: a reason for a function that is not there")
    for fault in sorted(faults):
        print(fault)
    print(f"{len(public)} public functions, {len(public & set(have))} compared with NumPy")
    sys.exit(bool(faults))


main()
