#!/usr/bin/env python3
"""Compiles and runs every ```cpp block of the README and the docs.

A block with a main is a program; any other is the body of one. A ```text block right after it is
what it must print.

    snippets.py --source ROOT --library BUILD/lib --work FOLDER --cxx g++ [--flags ...]
    snippets.py --self-test ...    checks that wrong snippets fail
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

FENCE = re.compile(r"^```(\w*)\s*$")

BODY = """#include <sinter/sinter.hpp>

#include <cstdio>
#include <iostream>
#include <vector>

namespace sn = sinter;

int main() {
#line %d "main.cpp"
%s
}
"""


class Snippet:
    def __init__(self, page, line, code):
        self.page, self.line, self.code, self.prints = page, line, code, None

    def name(self):
        return f"{self.page}:{self.line}"

    def program(self):
        if re.search(r"^int main\(", self.code, re.MULTILINE):
            return self.code
        return BODY % (1, self.code)


def blocks(text):
    """(language, line of its first line, text, text between the last block and this one)."""
    language, start, lines, between = None, 0, [], []
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if language is None and fence:
            language, start, lines = fence[1], number + 1, []
        elif language is not None and line.strip() == "```":
            yield language, start, "\n".join(lines), "\n".join(between)
            language, between = None, []
        elif language is not None:
            lines.append(line)
        else:
            between.append(line)
    if language is not None:
        raise SystemExit(f"a block that begins at line {start - 1} never ends")


def snippets_of(page, text):
    found, last = [], None
    for language, line, code, between in blocks(text):
        if language == "cpp":
            found.append(Snippet(page, line, code))
        if language == "text" and last == "cpp" and not between.strip():
            found[-1].prints = code
        last = language
    return found


def run(command, folder, environment=None):
    return subprocess.run(command, cwd=folder, env=environment, timeout=300, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def problem_of(snippet, options, folder):
    """Why a snippet fails, or None."""
    pathlib.Path(folder, "main.cpp").write_text(snippet.program(), encoding="utf-8")
    library = os.path.abspath(options.library)
    built = run([options.cxx, "-std=c++20", *shlex.split(options.flags), "main.cpp", "-o", "main",
                 f"-I{options.source}/engine/include", f"-I{options.source}/ir/include",
                 f"-L{library}", "-lsinter", f"-Wl,-rpath,{library}"], folder)
    if built.returncode != 0:
        return f"does not compile\n{built.stdout}"
    ran = run(["./main"], folder, dict(os.environ, SINTER_CACHE_DIR=os.path.join(folder, "cache")))
    if ran.returncode != 0:
        return f"exits with {ran.returncode}\n{ran.stdout}"
    if snippet.prints is not None and ran.stdout.rstrip() != snippet.prints.rstrip():
        return f"prints\n{ran.stdout}\ninstead of\n{snippet.prints}"
    return None


def check(snippets, options):
    """Runs them all; the problems, by snippet."""
    def one(item):
        folder = os.path.abspath(os.path.join(options.work, str(item[0])))
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        return item[1], problem_of(item[1], options, folder)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [(s, p) for s, p in pool.map(one, enumerate(snippets)) if p]


def self_test(options):
    fence = "```"
    page = f"""
{fence}cpp
std::puts("as it should be");
{fence}
{fence}text
as it should be
{fence}
{fence}cpp
no_such_function();
{fence}
{fence}cpp
return 3;
{fence}
{fence}cpp
std::puts("something");
{fence}
{fence}text
something else
{fence}
{fence}cpp
sn::sum(sn::ones<float>(3), {{.axis = 1}});
{fence}
"""
    snippets = snippets_of("self-test", page)
    failed = [(s.line, p.splitlines()[0]) for s, p in check(snippets, options)]
    expected = ["does not compile", "exits with 3", "prints", "exits with"]
    good = len(snippets) == 5 and len(failed) == 4
    good = good and all(p.startswith(e) for (_, p), e in zip(failed, expected))
    print("wrong snippets fail" if good else f"self-test: {failed}")
    return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("source", "library", "work", "cxx"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--flags", default="-O1")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test(options)
    root = pathlib.Path(options.source)
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    snippets = [s for p in pages
                for s in snippets_of(str(p.relative_to(root)), p.read_text(encoding="utf-8"))]
    if not snippets:
        print("no snippet was found")
        return 1
    failed = check(snippets, options)
    for snippet, problem in failed:
        print(f"{snippet.name()}: {problem}\n")
    print(f"{len(snippets)} snippets, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
