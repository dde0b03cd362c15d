"""Every public function says what it does and how it is called.

    doc_comments.py ROOT         exit status 1 for a function of a public header that does not
    doc_comments.py --self-test  checks the checker

Public headers are read paragraph by paragraph: lines up to a blank one outside of braces. A paragraph that declares
functions has a comment (///) in it, or another one of the same header that declares them too has, with code between
backquotes unless it refers to what is before it ("The same", "NumPy's name"), and with what is thrown ("Throws",
"errors") unless it refers likewise or the header's opening comment says it for all of them. Classes that are used by name need a
comment; options have one a member, where its name does not say it.
"""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True

PUBLIC = "engine/include/sinter"
NAME = r"([a-z_][a-z_0-9]*)"
FUNCTION = re.compile(rf"^(?:template <.*> )?(?:requires\(.*\) )?(?:inline |constexpr |\[\[nodiscard\]\] |static )*"
                      rf"(?!return |using |else |typedef |namespace |template )[a-zA-Z_][\w:<>, *&()]*?[ *&]{NAME}\(")
NAMED = re.compile(rf"^inline constexpr detail::named_\w+(?:<.*>)? {NAME};")
CLASS = re.compile(rf"^(?:class|struct) (?:\[\[nodiscard\]\] )?{NAME}(?: final)?(?: :| \{{|$)")
REFERS = ("The same", "the same", "NumPy's name", "as above", "like it", "NumPy's other name")

THROWS = re.compile(r"\b([Tt]hrow(s|n|ing)?|[Ee]rrors?)\b")


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


def declarations(text):
    """(line number, kind, name, comment) of all that is declared."""
    for part in paragraphs(text):
        comment = " ".join(line[3:] for _, line in part if line.startswith("///"))
        for number, line in part:
            kind, name = declared(line)
            options = kind == "class" and (name.split("_")[0] == "options" or name.endswith("_options"))
            if name and not options and not (kind == "class" and line.endswith(";")):
                yield number, kind, name, comment


def opening(text):
    """The comment a header begins with."""
    lines = text.splitlines()
    start = 1 if lines and lines[0].startswith("#pragma") else 0
    end = next((n for n in range(start, len(lines)) if not lines[n].startswith("//")), len(lines))
    return " ".join(line.lstrip("/") for line in lines[start:end])


def faults(header, text):
    throws_alike = THROWS.search(opening(text))
    all_of_it = list(declarations(text))
    explained = {name for _, _, name, comment in all_of_it if comment}
    shown = {name for _, _, name, comment in all_of_it
             if "`" in comment or any(words in comment for words in REFERS)}
    throwing = {name for _, _, name, comment in all_of_it
                if THROWS.search(comment) or any(words in comment for words in REFERS)}
    reported = set()
    for number, kind, name, comment in all_of_it:
        if name in reported:
            continue
        if name not in explained:
            reported.add(name)
            yield f"{header}:{number}: {name} has no comment"
        elif kind == "function" and name not in shown:
            reported.add(name)
            yield f"{header}:{number}: {name} has no example"
        elif kind == "function" and not throws_alike and name not in throwing:
            reported.add(name)
            yield f"{header}:{number}: {name} does not say what it throws"


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

/// Says what it is and no more. `silent(3)`
void silent(int n);

/// Silent as well, but for a longer comment that says how terrors end. `silent_too(3)`
inline constexpr detail::named_function silent_too;

/// The same for two.
void good_too(int n, location where = location::current());

struct unexplained {
  int a;
};

}  // namespace sinter
"""


def self_test():
    found = [f.split(": ", 1)[1] for f in faults("h", SELF_TEST)]
    expected = ["bare has no comment", "without has no example", "silent does not say what it throws",
                "silent_too does not say what it throws", "unexplained has no comment"]
    if found != expected:
        print(f"expected {expected}, found {found}")
        return 1
    alike = [f.split(": ", 1)[1] for f in faults("h", "#pragma once\n// All throw axis_error.\n\n" + SELF_TEST)]
    if alike != [f for f in expected if "throws" not in f]:
        print(f"of a header that says what all throw: {alike}")
        return 1
    return 0


def main():
    if sys.argv[1] == "--self-test":
        sys.exit(self_test())
    root, count, seen = Path(sys.argv[1]), 0, 0
    for header in sorted((root / PUBLIC).glob("*.hpp")):
        text = header.read_text(encoding="utf-8")
        seen += len(list(declarations(text)))
        for fault in faults(header.relative_to(root), text):
            print(fault)
            count += 1
    print(f"{count} faults in {seen} declarations")
    sys.exit(count > 0 or seen < 300)


main()
