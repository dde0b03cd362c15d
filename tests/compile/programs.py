"""Compiles programs as a user would: what they cost, and what they are told if they must not compile.

    programs.py ROOT CXX

Costs are seconds of processor time and megabytes, the least of a few tries, as other programs on the machine make a
compiler slower and never faster.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TRIES = 6
BUDGETS = {"one": (1.5, 200), "ten": (3.0, 300), "forty": (5.0, 600)}

# What a line of a program is told. x is of float, i of int, b of bool, z of complex numbers.
REJECTED = [
    ("auto y = b - b;", "bool has no difference, negative or sign: use ^, != or !, or astype<int> first"),
    ("auto y = -b;", "bool has no difference, negative or sign"),
    ("auto y = x | 1;", "bits and shifts are for integers and bool: use astype<int>(x) first"),
    ("auto y = z < z;", "complex numbers have no order, no rounding and not every function: use real(x)"),
    ("auto y = sn::floor(z);", "complex numbers have no order, no rounding and not every function: use real(x)"),
]


def command(root, cxx, source, *options):
    includes = [f"-I{root / d}" for d in ("engine/include", "ir/include", "")]
    return [cxx, "-std=c++20", *includes, *options, str(source)]


def cost(words):
    """Seconds of processor time, megabytes, exit status and words of a run."""
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(words, stdout=said, stderr=said)
        _, status, used = os.wait4(child.pid, 0)
        said.seek(0)
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, status, said.read().decode(errors="replace")


def within_budget(root, cxx, name):
    seconds, megabytes = BUDGETS[name]
    source = root / "tests/compile" / f"{name}.cpp"
    if name == "forty":
        functions = set(re.findall(r"sn::([a-z_0-9]+)[(<]", source.read_text(encoding="utf-8"))) - {"array", "slice"}
        assert len(functions) >= 40, f"{source}: {len(functions)} functions only"
    least = most = None
    for _ in range(TRIES):
        took, room, status, text = cost(command(root, cxx, source, "-O2", "-c", "-o", os.devnull))
        if status != 0:
            print(text)
            return False
        least = took if least is None else min(least, took)
        most = room if most is None else min(most, room)
        if least <= seconds and most <= megabytes:
            break
    fits = least <= seconds and most <= megabytes
    print(f"{name}: {least:.2f} s (at most {seconds}), {most:.0f} MB (at most {megabytes})", "" if fits else "too much")
    return fits


def rejected(root, cxx, folder):
    parameters = ", ".join(f"sn::array<{t}> {v}" for v, t in [("x", "float"), ("i", "int"), ("b", "bool"),
                                                              ("z", "std::complex<float>")])
    good = True
    for n, (statement, words) in enumerate(REJECTED):
        source = Path(folder) / f"rejected{n}.cpp"
        source.write_text("#include <sinter/sinter.hpp>\nnamespace sn = sinter;\n"
                          f"void f({parameters}) {{ {statement} }}\n", encoding="utf-8")
        _, _, status, text = cost(command(root, cxx, source, "-fsyntax-only"))
        if status == 0 or words not in text:
            print(f"{statement}\n  {'compiles' if status == 0 else 'is not told: ' + words}")
            good = False
    print(f"{len(REJECTED)} programs must not compile")
    return good


def main():
    root, cxx = Path(sys.argv[1]), sys.argv[2]
    good = True
    for name in BUDGETS:
        good = within_budget(root, cxx, name) and good
    with tempfile.TemporaryDirectory() as folder:
        good = rejected(root, cxx, folder) and good
    sys.exit(not good)


main()
