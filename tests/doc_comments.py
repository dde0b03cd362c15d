"""Every public function says what it does, how it is called and what it throws.

    doc_comments.py ROOT         exit status 1 for a function of a public header that does not
    doc_comments.py --self-test  checks the checker

Public headers are read paragraph by paragraph: lines up to a blank one outside of braces. A paragraph that declares
functions has a comment (///) in it, with code between backquotes for each name that is new in the header; a function
that is told where it was called from, and so may throw, is in a paragraph that says "Throws", or that refers to one
before it ("The same", "NumPy's name"). Classes need a comment.
"""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True

PUBLIC = "engine/include/sinter"
NAME = r"([a-z_][a-z_0-9]*)"
FUNCTION = re.compile(rf"^(?:requires\(.*\) )?(?:inline |constexpr |\[\[nodiscard\]\] |static )*"
                      rf"(?!return |using |else |typedef |namespace |template )[a-zA-Z_][\w:<>, *&()]*?[ *&]{NAME}\(")
NAMED = re.compile(rf"^inline constexpr detail::named_\w+(?:<.*>)? {NAME};")
CLASS = re.compile(rf"^(?:class|struct) (?:\[\[nodiscard\]\] )?{NAME}(?: final)?(?: :| \{{|$)")
REFERS = ("The same", "the same", "NumPy's name", "as above", "like it", "NumPy's other name")


def code_lines(text):
    """(number, line, depth of braces before it, inside of namespaces that are not sinter's own)."""
    depth, hidden = 0, []
    for number, line in enumerate(text.splitlines(), 1):
        opened = re.match(r"^(inline )?namespace ([a-z_:]*) ?\{", line)
        closed = re.match(r"^\}  // namespace", line)
        if opened:
            hidden.append("detail" in opened.group(2) or not opened.group(2))
            yield number, "", 0, True
            continue
        if closed:
            hidden.pop()
            yield number, "", 0, True
            continue
        yield number, line, depth, any(hidden)
        bare = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'|//.*', "", line)
        depth += bare.count("{") - bare.count("}")


def paragraphs(text):
    """Lists of (number, line) at the top level, hidden namespaces left out."""
    part = []
    for number, line, depth, hidden in code_lines(text):
        if hidden or (depth == 0 and not line.strip()):
            if part:
                yield part
            part = []
        elif depth == 0:
            part.append((number, line))
    if part:
        yield part


def declared(line):
    """The function or class that a line at the top level declares, and which of them it is."""
    for kind, pattern in (("class", CLASS), ("function", NAMED), ("function", FUNCTION)):
        found = pattern.match(line)
        if found and "operator" not in line.split("(")[0] and not line.startswith("#"):
            return kind, found.group(1)
    return None, None


def faults(header, text):
    explained, documented = set(), False
    for part in paragraphs(text):
        comment = " ".join(line[3:] for _, line in part if line.startswith("///"))
        code = "\n".join(line for _, line in part if not line.startswith("//"))
        refers = any(words in comment for words in REFERS)
        for number, line in part:
            kind, name = declared(line)
            if not name or f"friend" in line:
                continue
            where = f"{header}:{number}: {name}"
            if not comment:
                if name not in explained and not code.rstrip().endswith(";") or kind == "function":
                    if name not in explained:
                        yield f"{where} has no comment"
                continue
            if kind == "class":
                explained.add(name)
                continue
            if "`" not in comment and name not in explained and not refers:
                yield f"{where} has no example"
            if "location where" in code and not re.search(r"[Tt]hrows", comment) and name not in explained and not refers:
                yield f"{where} may throw and does not say what"
            explained.add(name)


SELF_TEST = """namespace sinter {
namespace detail {
int inner(int);
}  // namespace detail

/// Good. Throws shape_error. `good(x)`
array<float> good(const any_array& x, location where = location::current());
template <class X>
auto good(X&& x, location where = location::current()) {
  return x;
}

array<float> bare(int n);

/// No example. Throws shape_error.
void without(int n);

/// Says nothing of what it throws. `silent(x)`
void silent(int n, location where = location::current());

/// The same for two.
void good_too(int n, location where = location::current());

struct unexplained {
  int a;
};

}  // namespace sinter
"""


def self_test():
    found = [f.split(": ", 1)[1] for f in faults("h", SELF_TEST)]
    expected = ["bare has no comment", "without has no example", "silent may throw and does not say what"]
    if found[:3] != expected:
        print(f"expected {expected}, found {found}")
        return 1
    return 0


def main():
    if sys.argv[1] == "--self-test":
        sys.exit(self_test())
    root, count = Path(sys.argv[1]), 0
    for header in sorted((root / PUBLIC).glob("*.hpp")):
        for fault in faults(header.relative_to(root), header.read_text(encoding="utf-8")):
            print(fault)
            count += 1
    print(f"{count} faults")
    sys.exit(count > 0)


main()
