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
# Seconds are those of a machine that compiles STANDARD in half a second; slower ones get more.
STANDARD = "".join(f"#include <{h}>\n" for h in ("algorithm", "complex", "iostream", "string", "vector"))
BUDGETS = {"one": (1.5, 200), "ten": (3.0, 300), "forty": (5.0, 600)}

DROPS_PARTS = "x op= v would drop imaginary parts, as x is not complex: use real(v)"
DROPS_FRACTIONS = "x op= v would drop fractions, as x is not of floats: write x = astype<int>(x op v)"

# What a line of a program is told. x is of float, i of int, b of bool, z of complex numbers, u of unsigned bytes,
# h of halves.
REJECTED = [
    ("auto y = b - b;", "bool has no difference, negative or sign: use ^, != or !, or astype<int> first"),
    ("auto y = -b;", "bool has no difference, negative or sign"),
    ("auto y = x | 1;", "bits and shifts are for integers and bool: use astype<int>(x) first"),
    ("auto y = z < z;", "complex numbers have no order, no rounding and not every function: use real(x)"),
    ("auto y = 0 < x < 2;", "a < x < b compares the truth of a < x with b: write (a < x) && (x < b)"),
    ("auto y = sn::floor(z);", "complex numbers have no order, no rounding and not every function: use real(x)"),
    # x op= v stays of x's kind
    *((statement, DROPS_PARTS) for statement in (
        "x += z;", "x -= z;", "x *= z;", "x /= z;", "i += z;", "x *= std::complex<float>(0, 1);", "x(0) += z;",
        "x(i) -= z;", "x(b) *= z;", "x.at(i).add(z);", "x.at(i).subtract(z);", "x.at(i).multiply(z);",
        "x.at(i).divide(z);", "i.at(i).add(std::complex<double>(0, 1));")),
    *((statement, DROPS_FRACTIONS) for statement in (
        "i += x;", "i -= 0.5;", "i *= 2.0;", "i /= 2;", "i %= 0.5;", "b *= x;", "i(0) /= 2;", "i(i) += x;",
        "i(b) -= x;", "i.at(i).add(x);", "i.at(i).add(0.5);", "i.at(i).max(x);", "i.at(i).min(0.5);")),
    *((statement, "use |=, &= or ^= with bool values") for statement in (
        "b += i;", "b *= 2;", "b <<= 1;", "b(b) += 1;", "b(0) *= i;", "b.at(i).add(1);", "b.at(i).max(i);")),
    *((statement, "x op= v would drop signs, as x is unsigned") for statement in (
        "u += i;", "u(0) -= i;", "u(b) ^= i;", "u.at(i).add(i);")),
    # what is assigned is converted, but for imaginary parts
    *((statement, "complex numbers do not fit into an array that is not complex: assign real(z)") for statement in (
        "x(0) = z;", "x(0) = std::complex<float>(0, 1);", "x(i) = z;", "x(b) = z;", "b(b) = z;",
        "x(b) = z(b);", "x.at(i).set(z);", "x.at(i).set(std::complex<double>(0, 1));", "sn::put(x, {0}, z);",
        "sn::place(x, b, z);", "sn::putmask(i, b, z);", "sn::put_along_axis(x, i, z);", "sn::fill_diagonal(x, z);",
        "auto y = sn::full_like(x, std::complex<double>(0, 1));")),
    # what loops carry, and what their bodies are
    ("auto y = sn::fori_loop(0, 3, [](int k, auto v) { return v * k; }, x);",
     "the number of a round is an array, as a body is traced once for all rounds: take `auto i`"),
    ("auto y = sn::fori_loop(0, 3, [](auto, auto v) { return std::vector{v, v}; }, x);",
     "loops, cond and vmap take and give arrays, expressions and scalars, and a std::tuple, std::pair or"),
    ("auto y = sn::while_loop([](auto v) { return v[0] < 3; }, [](auto v) { return v; }, std::vector{x, x});",
     "loops, cond and vmap take and give arrays, expressions and scalars, and a std::tuple, std::pair or"),
    ("sn::fori_loop(0, 3, [](auto, auto v, auto w) { return std::pair(w, v); }, x, h);",
     "several are carried in a std::tuple: fori_loop(lo, hi, body, std::tuple(x, y)), body(i, x, y)"),
    ("sn::while_loop([](auto v, auto) { return sn::sum(v) < 3; }, [](auto v, auto w) { return std::pair(w, v); }, x, h);",
     "several are carried in a std::tuple: while_loop(condition, body, std::tuple(x, y)), body(x, y)"),
    *((f"auto e = x + 1; sn::eval({list});", "eval is of arrays: an expression is computed by whoever reads it, so")
      for list in ("e", "e, x", "x, e")),
    *((statement, "indices stand in parentheses: x(i), x(i, j)") for statement in (
        "auto y = x[0];", "double d = (x + 1)[i];", "x[0] = 2;")),
    ("auto y = sn::scan([](auto c, auto v) { return c + v; }, x(0), x);",
     "the body of a scan returns std::pair(carry, y) or std::tuple(carry, y)"),
    ("auto y = sn::fuse([](auto v) { return std::vector{v, v}; })(x);",
     "a fused function returns an array, an expression, or a std::tuple or std::pair of them"),
    ("auto y = sn::fuse([](auto v) { return v[0]; })(std::vector{x, x});",
     "arguments of a fused function are arrays and scalars"),
]
# What is no hole: kinds that fit, and what NumPy converts where it is assigned.
ACCEPTED = ["x += i;", "x += 1;", "x /= 2;", "x += x * 2.0;", "h += x;", "z *= x;", "i += b;", "i %= 3;", "b |= x > 0;",
            "b += b;", "u += 1;", "i += u;", "x(i) -= i;", "i(i > 0) |= 4;", "i(0) <<= 1;", "i(i) ^= 3;",
            "x.at(i).add(1);", "h.at(i).add(x);", "i(0) = 2.5;", "i(b) = x(b);", "i.at(i).set(x);", "z(b) = x(b);"]


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


def slowness(root, cxx, folder):
    """How many times slower this machine is than the one that the budgets are for; at least 1."""
    source = Path(folder) / "standard.cpp"
    source.write_text(STANDARD, encoding="utf-8")
    words = command(root, cxx, source, "-O2", "-c", "-o", os.devnull)
    return max(1.0, min(cost(words)[0] for _ in range(3)) / 0.5)


def within_budget(root, cxx, folder, name, slow):
    seconds, megabytes = BUDGETS[name]
    seconds *= slow
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
        # It may have become slower since it was asked.
        seconds = max(seconds, BUDGETS[name][0] * slowness(root, cxx, folder))
    fits = least <= seconds and most <= megabytes
    print(f"{name}: {least:.2f} s (at most {seconds:.1f}), {most:.0f} MB (at most {megabytes})", "" if fits else "too much")
    return fits


PARAMETERS = ", ".join(f"sn::array<{t}> {v}" for v, t in [
    ("x", "float"), ("i", "int"), ("b", "bool"), ("z", "std::complex<float>"), ("u", "unsigned char"),
    ("h", "sn::float16")])


def told(root, cxx, folder, statements):
    """Exit status and words of a compiler that is given these statements."""
    source = Path(folder) / "program.cpp"
    body = "\n  ".join(statements)
    source.write_text("#include \"all.hpp\"\nnamespace sn = sinter;\n"
                      f"void f({PARAMETERS}) {{\n  {body}\n}}\n", encoding="utf-8")
    return cost(command(root, cxx, source, "-fsyntax-only"))[2:]


def rejected(root, cxx, folder):
    header, good = Path(folder) / "all.hpp", True
    header.write_text("#include <sinter/sinter.hpp>\n", encoding="utf-8")  # read once, where a compiler can
    cost(command(root, cxx, header, "-x", "c++-header", "-o", f"{header}.gch"))
    for statement, words in REJECTED:
        status, text = told(root, cxx, folder, [statement])
        if status == 0 or words not in text:
            print(f"{statement}\n  {'compiles' if status == 0 else 'is not told: ' + words}")
            good = False
    status, text = told(root, cxx, folder, ACCEPTED)
    if status != 0:
        print(text)
        good = False
    print(f"{len(REJECTED)} programs must not compile, {len(ACCEPTED)} statements must")
    return good


def main():
    root, cxx = Path(sys.argv[1]), sys.argv[2]
    good = True
    with tempfile.TemporaryDirectory() as folder:
        slow = slowness(root, cxx, folder)
        print(f"this machine is {slow:.2f} times slower than the one that the seconds are for")
        for name in BUDGETS:
            good = within_budget(root, cxx, folder, name, slow) and good
        good = rejected(root, cxx, folder) and good
    sys.exit(not good)


main()
