"""Checks what the sources include, and how long files and lines are.

    layering.py ROOT          reports file:line of every breach; exit status 1 if there is one
    layering.py --self-test   checks that the checker can fail
"""

import re
import sys
import tempfile
from pathlib import Path

LAYERS = {
    "ir": {"ir"},
    "codegen": {"codegen", "ir"},
    "runtime": {"runtime"},
    "engine": {"engine", "ir", "codegen", "runtime"},
}
FOLDERS = [*LAYERS, "tests", "bench", "samples"]
SUFFIXES = {".cpp", ".hpp", ".h", ".def", ".inc", ".cu", ".cuh"}
PUBLIC = "engine/include/sinter/"
MAX_LINES = 400
MAX_COLUMNS = 100
MAX_COLUMNS_IN_TABLES = 120  # one op, one row

# Vendor headers and the folders whose .cpp files may include them; "" is any folder.
VENDORS = [
    (re.compile(r"(cuda|nvrtc|cublas|cusolver|cufft|cusparse|curand|cupti|nvml|nvJitLink|nvtx|"
                r"nvToolsExt|vector_types|library_types|driver_types|nccl|cudnn)", re.I),
     ("runtime/cuda/", "codegen/nvrtc/", "tests/fake_cuda/"), "CUDA"),
    (re.compile(r"(llvm|llvm-c|lld|clang)/"), ("codegen/llvm/", "runtime/llvm/"), "LLVM"),
    (re.compile(r"(openblas/)?(cblas|lapacke?|openblas_config|f77blas)"), ("runtime/cpu/",), "BLAS"),
    (re.compile(r"(cub|thrust|cccl)/"), ("runtime/cuda/",), "CUB"),
    (re.compile(r"hwy/"), ("runtime/cpu/",), "Highway"),
    (re.compile(r"sleef"), ("runtime/llvm/", "runtime/cpu/", "codegen/llvm/"), "SLEEF"),
    (re.compile(r"(png|zlib|zstd|jpeglib)\b"), ("samples/",), "image"),
    (re.compile(r"zip\.h"), ("runtime/files/",), "libzip"),
    (re.compile(r"nlohmann/"), ("engine/files/safetensors_header.cpp",), "JSON"),
    (re.compile(r"fmt/"), ("",), "fmt"),
]

# Folders whose headers may include their vendor's: they are compiled into one module, and nobody else
# includes them.
PRIVATE = {"codegen/llvm/": "LLVM", "runtime/llvm/": "LLVM"}

INCLUDE = re.compile(r'\s*#\s*include\s*(<[^>]+>|"[^"]+")')
CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)")
# C and POSIX headers that are not C++ standard headers all have a dot in their names.
STANDARD = re.compile(r"<[a-z0-9_]+>$")
C_STANDARD = re.compile(r"<(stdint|stddef|string|math|assert|limits|float|errno|stdio|stdlib|time|"
                        r"ctype|signal|setjmp|stdarg|fenv|inttypes|wchar|stdatomic)\.h>$")


def public_ir_headers(root):
    """The headers of ir that are installed: those forwarded to from ir/include/sinter/ir."""
    return {f"ir/{forward.name}" for forward in (root / "ir/include/sinter/ir").glob("*")}


class Source:
    def __init__(self, root, path, public_ir):
        self.root = root
        self.path = path
        self.public_ir = public_ir
        self.name = path.relative_to(root).as_posix()
        self.top = self.name.split("/")[0]
        self.is_cpp = path.suffix in (".cpp", ".cu")
        self.public = self.name.startswith(PUBLIC) or self.name in public_ir

    def layer_of(self, spelled):
        """The layer that an include of ours names, or None when it isn't ours."""
        name = spelled[1:-1]
        if name.startswith("sinter/ir/"):
            return "ir"
        if name.startswith("sinter/"):
            return "engine"
        if spelled[0] == '"':
            beside = (self.path.parent / name).resolve()
            if beside.is_file() and beside.is_relative_to(self.root):
                return beside.relative_to(self.root).parts[0]
            if (self.root / name).is_file():
                return name.split("/")[0]
        first = name.split("/")[0]
        return first if first in LAYERS and "/" in name else None

    def breach(self, spelled, conditions):
        """What is wrong with this include, or None."""
        name = spelled[1:-1]
        for pattern, folders, vendor in VENDORS:
            if not pattern.match(name):
                continue
            if vendor == "fmt" and self.public and self.top == "engine":
                if any("__has_include(<fmt/" in text.replace(" ", "") for text in conditions):
                    return None
                return "fmt in a public header is not guarded by __has_include(<fmt/...>)"
            if self.top not in LAYERS and self.top != "samples":
                return None
            if self.top == "samples" and (vendor == "fmt" or "samples/" in folders):
                return None
            private = any(self.name.startswith(f) and v == vendor for f, v in PRIVATE.items())
            if not self.is_cpp and not private:
                return f"{vendor} header outside a .cpp file"
            if not any(self.name.startswith(folder) for folder in folders):
                return f"{vendor} header outside {' and '.join(folders)}"
            if vendor == "CUB" and self.path.suffix != ".cu":
                return "CUB header in what nvcc does not compile"
            return None
        layer = self.layer_of(spelled)
        if layer is None:
            return self.foreign_breach(spelled)
        if self.top in LAYERS and layer not in LAYERS[self.top]:
            return f"{self.top}/ may not include from {layer}/"
        for folder in PRIVATE:
            if self.top in LAYERS and name.startswith(folder) and not self.name.startswith(folder):
                return f"the headers of {folder} are its module's own"
        if name.startswith("sinter/ir/") and name.removeprefix("sinter/") not in self.public_ir:
            return "no such header in ir/include/sinter/ir"
        if self.public and spelled[0] == '"':
            # Public ir headers name each other so; that resolves in both trees.
            if self.top != "ir" or f"ir/{name}" not in self.public_ir:
                return "public headers include <sinter/...>, never private ones"
        if self.top == "samples" and not name.startswith(("sinter/", "samples/")):
            return "samples include public headers only"
        return None

    def foreign_breach(self, spelled):
        """Headers that are neither ours nor a known vendor's."""
        if STANDARD.match(spelled) or C_STANDARD.match(spelled):
            return None
        if self.top not in LAYERS:
            return None
        if spelled[0] == '"':
            return "no such file, from here or from the top"
        if self.public or self.top == "ir" or not self.is_cpp:
            where = "public headers" if self.public else f"{self.top}/"
            return f"not a standard header: {where} " + (
                "include the standard library only" if self.public or self.top == "ir"
                else "keeps system headers in .cpp files")
        return None


def check_file(source):
    lines = source.path.read_text(encoding="utf-8").splitlines()
    conditions = []
    columns = MAX_COLUMNS_IN_TABLES if source.path.suffix == ".def" else MAX_COLUMNS
    for number, line in enumerate(lines, 1):
        if len(line) > columns:
            yield number, f"{len(line)} columns, {columns} allowed"
        condition = CONDITION.match(line)
        if condition:
            word, text = condition.groups()
            if word in ("elif", "else", "endif") and conditions:
                conditions.pop()
            if word != "endif":
                conditions.append("" if word == "else" else text)
        include = INCLUDE.match(line)
        if include:
            problem = source.breach(include.group(1), conditions)
            if problem:
                yield number, f"{include.group(1)}: {problem}"
    reasoned = any(re.match(r"\s*// length: \S", line) for line in lines)
    if len(lines) > MAX_LINES and not reasoned:
        yield len(lines), (f"{len(lines)} lines, {MAX_LINES} allowed without a comment "
                           "`// length: <reason>`")


def check(root):
    """Every breach below root, as 'file:line: what'."""
    root = Path(root).resolve()
    found = []
    public_ir = public_ir_headers(root)
    forwards = root / "ir/include"
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and forwards not in path.parents:
                source = Source(root, path, public_ir)
                found += [f"{source.name}:{number}: {what}" for number, what in check_file(source)]
    return found


GOOD = {
    "ir/include/sinter/ir/ops.hpp": "",
    "ir/include/sinter/ir/ops.def": "",
    "ir/graph.hpp": "#include <vector>\n#include <sinter/ir/ops.def>\n",
    "ir/ops.hpp": '#include "ops.def"\n',
    "ir/ops.def": "OP(add)\n",
    "ir/passes/cse.cpp": '#include "ir/graph.hpp"\n#include "cse.hpp"\n',
    "ir/passes/cse.hpp": "#include <cstdint>\n",
    "codegen/llvm/emit.cpp": '#include <llvm/IR/IRBuilder.h>\n#include "ir/graph.hpp"\n',
    "runtime/pool.cpp": '#include <sys/mman.h>\n#include <fmt/format.h>\n#include "pool.hpp"\n',
    "runtime/pool.hpp": "#include <mutex>\n",
    "codegen/llvm/coder.hpp": "#include <llvm/IR/Module.h>\n",
    "runtime/cuda/api.cpp": '#include <cuda.h>\n#include "runtime/pool.hpp"\n',
    "runtime/cuda/sort.cu": '#include <cub/cub.cuh>\n#include "runtime/pool.hpp"\n',
    "engine/plan.cpp": '#include "ir/graph.hpp"\n#include "runtime/pool.hpp"\n',
    "engine/include/sinter/format.hpp":
        "#if __has_include(<fmt/format.h>)\n#include <fmt/format.h>\n#endif\n",
    "engine/include/sinter/sinter.hpp":
        "#include <sinter/format.hpp>\n#include <sinter/ir/ops.hpp>\n",
    "engine/long.cpp": "// length: one table\n" + "\n" * 500,
    "samples/photo.cpp": "#include <png.h>\n#include <fmt/core.h>\n#include <sinter/sinter.hpp>\n",
    "tests/unit/ir/cse.cpp": '#include "tests/catch.hpp"\n#include "ir/graph.hpp"\n',
}
BAD = {
    "ir/bad_runtime.hpp": '\n#include "runtime/pool.hpp"\n',
    "ir/bad_engine.hpp": "\n#include <sinter/sinter.hpp>\n",
    "ir/bad_posix.cpp": "\n#include <unistd.h>\n",
    "ir/bad_relative.cpp": '\n#include "../runtime/pool.hpp"\n',
    "codegen/bad_runtime.cpp": '\n#include "runtime/pool.hpp"\n',
    "codegen/bad_vendor.cpp": "\n#include <nvrtc.h>\n",
    "codegen/bad_header.hpp": "\n#include <llvm/IR/Module.h>\n",
    "codegen/llvm/bad_other.hpp": "\n#include <nvrtc.h>\n",
    "runtime/cuda/bad_cub.cpp": "\n#include <cub/cub.cuh>\n",
    "engine/bad_cub.cu": "\n#include <thrust/sort.h>\n",
    "engine/bad_module.cpp": '\n#include "codegen/llvm/coder.hpp"\n',
    "runtime/bad_ir.cpp": "\n#include <sinter/ir/ops.def>\n",
    "runtime/bad_codegen.hpp": '\n  #  include "codegen/emit.hpp"\n',
    "runtime/bad_system.hpp": "\n#include <sys/mman.h>\n",
    "runtime/bad_fmt.hpp": "\n#include <fmt/format.h>\n",
    "engine/bad_missing.cpp": '\n#include "nowhere.hpp"\n',
    "engine/include/sinter/bad_fmt.hpp": "\n#include <fmt/format.h>\n",
    "engine/include/sinter/bad_ir.hpp": "\n#include <sinter/ir/graph.hpp>\n",
    "engine/include/sinter/bad_private.hpp": '\n#include "ir/graph.hpp"\n',
    "engine/include/sinter/bad_else.hpp":
        "#if __has_include(<fmt/format.h>)\n#else\n#include <fmt/format.h>\n#endif\n",
    "samples/bad_private.cpp": '\n#include "ir/graph.hpp"\n',
    "bench/bad_columns.cpp": "\n// " + "x" * 98 + "\n",
    "tests/bad_length.cpp": "\n" * 401,
}
BAD_LINES = {"engine/include/sinter/bad_else.hpp": 3, "tests/bad_length.cpp": 401}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**GOOD, **BAD}.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = check(folder)
    places = sorted(":".join(line.split(":")[:2]) for line in found)
    expected = sorted(f"{name}:{BAD_LINES.get(name, 2)}" for name in BAD)
    for place in expected:
        if place not in places:
            print(f"not reported: {place}")
    for line in found:
        if ":".join(line.split(":")[:2]) not in expected:
            print(f"reported by mistake: {line}")
    return places == expected


def main(arguments):
    if arguments == ["--self-test"]:
        return 0 if self_test() else 1
    found = check(arguments[0] if arguments else Path(__file__).parent.parent)
    print("\n".join(found) if found else "layering: no breach")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
