#!/usr/bin/env python3
"""Draws the suite's results: docs/performance.md, the figures beside it and the table in README.md, from
JSON alone.

    report.py [--docs docs] [FILE.jsonl ...]

Without files it takes those in docs/performance/. Rows of one device that stand in one file were measured in one
run and are compared; peers in a file of their own (NAME-peers.jsonl beside NAME.jsonl) are marked as another run.
The same files give the same page.
"""

import argparse
import json
import math
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

OURS = ("sinter", "sinter_unfused")
INK, SOFT, GRID = "#1b2733", "#5f6b76", "#d9dee3"
COLOURS = {"sinter": "#c2410c", "sinter_unfused": "#f0a27a", "best peer": "#2563a8"}
PEER_COLOURS = {"cupy": "#2f855a", "cupy_fused": "#66a182", "jax": "#6b46c1", "torch": "#2563a8",
                "torch_compile": "#63a4dd", "torch_cg": "#9cc3e6", "numba": "#b7791f", "numpy": "#2f855a",
                "numexpr": "#718096"}


# ---------------------------------------------------------------- data

class Run:
    """The rows of one file, and the peers that stand beside them."""

    def __init__(self, path):
        self.name = path.stem
        self.same_run = True
        rows = read(path)
        beside = path.with_name(path.stem + "-peers.jsonl")
        if beside.exists():
            rows += read(beside)
            self.same_run = False
        self.env = next((r for r in rows if r.get("workload") == "env" and "device" in r), {})
        self.ceilings = {}
        for r in rows:
            if r.get("workload") == "ceiling" and r.get("peer") == "hand":
                self.ceilings.setdefault(r["name"], []).append(r["value"])
        self.ceilings = {k: sorted(v)[len(v) // 2] for k, v in self.ceilings.items()}
        self.cells = {}
        for r in rows:
            if r.get("gpu_us") and r.get("workload") not in ("ceiling", "env", "init"):
                self.cells.setdefault((r["workload"], str(r["size"])), {})[r["peer"]] = r
        self.checks = [r for r in rows if r.get("peer") in OURS and "check_ok" in r]
        self.errors = [r for r in rows if r.get("peer") in OURS and r.get("status") == "error"]

    def largest(self):
        """The size of each workload that moves or computes most."""
        most = {}
        for (work, size), cell in self.cells.items():
            if "sinter" not in cell:
                continue
            r = cell["sinter"]
            weight = (r.get("bytes_sweep") or r["bytes_min"], r.get("flops", 0))
            if work not in most or weight > most[work][0]:
                most[work] = (weight, size, cell)
        return {work: (size, cell) for work, (_, size, cell) in most.items()}

    def peers(self):
        names = {p for cell in self.cells.values() for p in cell}
        return [p for p in PEER_COLOURS if p in names]


def read(path):
    with open(path) as f:
        return [json.loads(line) for line in f if line.strip().startswith("{")]


def us(row):
    return row["gpu_us"] if row else None


def best_peer(cell):
    rows = [(r["gpu_us"], p) for p, r in cell.items() if p not in OURS and r.get("check_ok") is not False]
    return min(rows) if rows else (None, None)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def speed(row):
    return (row.get("bytes_sweep") or row["bytes_min"]) / row["gpu_us"] * 1e-3  # GB/s


# ---------------------------------------------------------------- figures

class Svg:
    def __init__(self, width, height):
        self.size, self.parts = (width, height), []

    def line(self, x1, y1, x2, y2, colour=GRID, width=1.0):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                          f'stroke="{colour}" stroke-width="{width:g}"/>')

    def path(self, points, colour, width):
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="{width:g}"/>')

    def dot(self, x, y, colour, r=2.5):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:g}" fill="{colour}"/>')

    def bar(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{height:.1f}" '
                          f'fill="{colour}"/>')

    def text(self, x, y, words, anchor="start", colour=INK, size=11, weight="normal"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" '
                          f'font-size="{size}" font-weight="{weight}">{escape(words)}</text>')

    def legend(self, x, y, entries):
        for name, colour in entries:
            self.bar(x, y - 7, 14, 7, colour)
            self.text(x + 18, y, name, colour=SOFT)
            x += 30 + 6.6 * len(name)

    def save(self, path):
        w, h = self.size
        path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" '
                        f'font-family="Helvetica, Arial, sans-serif"><rect width="{w}" height="{h}" fill="white"/>\n'
                        + "\n".join(self.parts) + "\n</svg>\n")


def elements(label):
    """The abscissa of a size."""
    try:
        return float(label)
    except ValueError:
        return None


NOT_A_LENGTH = ("random_create", "random_inv", "matmul_f32", "matmul_tf32", "svd")


def speed_against_size(run, path):
    curves = {}
    for (work, size), cell in run.cells.items():
        n = elements(size)
        if n is None or "sinter" not in cell or work in NOT_A_LENGTH:
            continue
        for peer, row in cell.items():
            curves.setdefault(work, {}).setdefault(peer, []).append((n, speed(row)))
    curves = {w: c for w, c in curves.items() if len(c["sinter"]) > 2}
    if not curves:
        return False
    columns, width, height = 3, 300, 210
    rows = (len(curves) + columns - 1) // columns
    svg = Svg(columns * width + 20, rows * height + 30)
    svg.legend(20, 18, [(p, COLOURS[p]) for p in OURS] + [(p, PEER_COLOURS[p]) for p in run.peers()])
    for i, (work, lines) in enumerate(sorted(curves.items())):
        panel(svg, 20 + i % columns * width, 30 + i // columns * height, width - 30, height - 40, work, lines)
    svg.save(path)
    return True


def panel(svg, x0, y0, w, h, work, lines):
    points = [p for line in lines.values() for p in line]
    lo, hi = (math.floor(math.log10(min(p[0] for p in points))), math.ceil(math.log10(max(p[0] for p in points))))
    low, high = (math.floor(math.log10(min(p[1] for p in points))), math.ceil(math.log10(max(p[1] for p in points))))
    left, top = x0 + 34, y0 + 20

    def at(p):
        return (left + (math.log10(p[0]) - lo) / (hi - lo) * (w - 34),
                top + (high - math.log10(p[1])) / (high - low) * (h - 34))
    svg.text(left, y0 + 12, work, weight="bold")
    for k in range(low, high + 1):
        _, y = at((10 ** lo, 10 ** k))
        svg.line(left, y, x0 + w, y)
        svg.text(left - 4, y + 4, f"{10.0 ** k:g}", "end", SOFT, 9)
    for k in range(lo, hi + 1):
        x, y = at((10 ** k, 10 ** low))
        svg.text(x, y + 13, f"1e{k}", "middle", SOFT, 9)
    for peer in [p for p in PEER_COLOURS if p in lines] + [p for p in reversed(OURS) if p in lines]:
        line = sorted(lines[peer])
        svg.path([at(p) for p in line], COLOURS.get(peer, PEER_COLOURS.get(peer)), 2.2 if peer == "sinter" else 1.2)
        for p in line:
            svg.dot(*at(p), COLOURS.get(peer, PEER_COLOURS.get(peer)), 2.6 if peer == "sinter" else 1.8)


def bars(path, title, rows, limit, unit, marks=()):
    """rows: (label, [(value, colour)], mark or None)"""
    step, left, width = 22, 190, 560
    svg = Svg(left + width + 90, 60 + step * len(rows))
    svg.text(10, 16, title, weight="bold")
    for value, label in marks:
        x = left + value / limit * width
        svg.line(x, 40, x, 50 + step * len(rows), SOFT if label == "ceiling" else GRID)
        svg.text(x, 36, label or f"{value:g}", "middle", SOFT, 9)
    for i, (label, values, dot) in enumerate(rows):
        y = 48 + i * step
        svg.text(left - 8, y + 11, label, "end")
        thick = 16 / len(values)
        for k, (value, colour) in enumerate(values):
            svg.bar(left, y + k * thick, min(value, limit) / limit * width, thick - 1, colour)
        if dot is not None:
            svg.dot(left + min(dot, limit) / limit * width, y + 8, COLOURS["best peer"], 4)
        svg.text(left + min(max(v for v, _ in values), limit) / limit * width + 6, y + 12, unit(values[0][0]),
                 colour=SOFT, size=9)
    svg.save(path)


READ_ONLY = {"norm", "sum_all", "sum_rows", "sum_cols", "var_flat", "colprod", "colstats", "logsumexp"}
THREE = {"saxpy_f32", "saxpy_i64", "vecadd_f64", "chain5", "chain20", "chain50", "npb_compute", "npb_go_fast"}


def ceiling_of(run, work):
    kind = "sum" if work in READ_ONLY else "triad" if work in THREE else "copy"
    return run.ceilings.get(kind)


def fraction_of_ceiling(run, path):
    rows = []
    for work, (size, cell) in run.largest().items():
        top = ceiling_of(run, work)
        if not top or cell["sinter"]["bytes_min"] < 3e7 or work.startswith(("matmul", "gemm", "svd")):
            continue
        values = [(speed(cell[p]) / top, COLOURS[p]) for p in OURS if p in cell]
        best, _ = best_peer(cell)
        moved = cell["sinter"].get("bytes_sweep") or cell["sinter"]["bytes_min"]
        rows.append((f"{work} {size}", values, moved / best * 1e-3 / top if best else None))
    rows.sort(key=lambda r: -r[1][0][0])
    if rows:
        bars(path, "Fraction of the hand-written ceiling (dot: best peer)", rows, 1.25, lambda v: f"{100 * v:.0f}%",
             [(0.25, ""), (0.5, ""), (0.75, ""), (1.0, "ceiling")])
    return bool(rows)


def fused_against_unfused(run, path):
    rows = []
    for work, (size, cell) in run.largest().items():
        if "sinter_unfused" in cell:
            rows.append((f"{work} {size}", us(cell["sinter_unfused"]) / us(cell["sinter"])))
    rows.sort(key=lambda r: -r[1])
    shown = [(label, [(max(math.log2(r), 0.0), COLOURS["sinter" if r >= 1 else "sinter_unfused"])], None, r)
             for label, r in rows]
    if shown:
        ratios = {label: r for label, _, _, r in shown}
        top = max(1.0, math.ceil(max(v[0][0] for _, v, _, _ in shown)))
        marks = [(k, f"{2 ** k}x") for k in range(int(top) + 1)]
        bars(path, "Times faster fused than one kernel an operation", [(a, b, c) for a, b, c, _ in shown], top,
             lambda v: "", marks)
        del ratios
    return bool(shown)


# ---------------------------------------------------------------- the page

def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
                     + ["| " + " | ".join(r) + " |" for r in rows])


def number(x):
    if x is None or x != x:
        return ""
    return f"{x:.0f}" if x >= 1000 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def summary(run):
    fused, ahead, cupy, by_peer = [], [], [], {}
    for cell in run.cells.values():
        ours = us(cell.get("sinter"))
        if not ours:
            continue
        if "sinter_unfused" in cell:
            fused.append(us(cell["sinter_unfused"]) / ours)
        best, _ = best_peer(cell)
        if best:
            ahead.append(best / ours)
        for p, r in cell.items():
            if p not in OURS:
                by_peer.setdefault(p, []).append(us(r) / ours)
    rows = [("unfused", str(len(fused)), number(geometric_mean(fused)), share(fused))]
    rows += [(p, str(len(by_peer[p])), number(geometric_mean(by_peer[p])), share(by_peer[p]))
             for p in PEER_COLOURS if p in by_peer]
    if ahead:
        rows.append(("**the best peer of each row**", str(len(ahead)), f"**{number(geometric_mean(ahead))}**",
                     share(ahead)))
    return table(("against", "rows", "geometric mean of times faster", "rows ahead"), rows)


def share(ratios):
    return f"{100 * sum(r >= 1 for r in ratios) / len(ratios):.0f}%" if ratios else ""


def behind(run):
    rows = []
    for (work, size), cell in run.cells.items():
        best, name = best_peer(cell)
        if best and "sinter" in cell and best < us(cell["sinter"]):
            rows.append((best / us(cell["sinter"]), work, size, number(us(cell["sinter"])), name, number(best)))
    rows.sort()
    return table(("workload", "size", "sinter, us", "best peer", "us", "ratio"),
                 [(w, s, a, p, b, number(r)) for r, w, s, a, p, b in rows]) if rows else "None."


def everything(run):
    rows = []
    for (work, size), cell in sorted(run.cells.items()):
        if "sinter" not in cell:
            continue
        ours, unfused = cell["sinter"], cell.get("sinter_unfused")
        best, name = best_peer(cell)
        rows.append((work, size, number(us(ours)), number(us(unfused)),
                     number(us(unfused) / us(ours)) if unfused else "", number(best), name or "",
                     number(best / us(ours)) if best else "", f"{ours.get('kernels', 0):.0f}",
                     number(ours["bytes"] / ours["bytes_min"]) if ours.get("bytes") else "",
                     number(ours.get("first_call_ms"))))
    return table(("workload", "size", "fused, us", "unfused, us", "times", "best peer, us", "", "times", "launches",
                  "bytes / least", "first call, ms"), rows)


def for_readme(runs):
    """Fused against unfused, every workload at its largest size, two to a line."""
    out = []
    for run in runs:
        cells = [(w, size, us(c["sinter"]), us(c["sinter_unfused"])) for w, (size, c) in sorted(run.largest().items())
                 if "sinter_unfused" in c]
        if not cells:
            continue
        ratios = [u / f for _, _, f, u in cells]
        out += [f"On {run.env.get('title') or run.name} ({len(cells)} workloads at their largest size; geometric mean "
                f"{number(geometric_mean(ratios))}):", ""]
        texts = [f"{w} {size} | {number(f)} | {number(u)} | {number(u / f)}" for w, size, f, u in cells]
        texts += [" | | | "] * (-len(texts) % 2)
        half = len(texts) // 2
        out += [table(("workload", "fused, us", "unfused, us", "times") * 2,
                      [(a, b) for a, b in zip(texts[:half], texts[half:])]), ""]
    return "\n".join(out).rstrip()


BEGIN, END = "<!-- suite: made by bench/suite/report.py -->", "<!-- suite: end -->"


def write_readme(path, runs):
    if not path.exists():
        return
    text = path.read_text()
    if BEGIN in text and END in text:
        head, rest = text.split(BEGIN, 1)
        path.write_text(head + BEGIN + "\n" + for_readme(runs) + "\n" + END + rest.split(END, 1)[1])


def section(run, folder):
    out = [f"## {run.env.get('title') or run.name}", ""]
    status = run.env.get("status", "").strip()
    if status:
        out += [status, ""]
    if run.ceilings:
        out += ["Hand-written ceilings in the same run: " + ", ".join(
            f"{k} {v:.0f} GB/s" for k, v in sorted(run.ceilings.items())) + ".", ""]
    if not run.same_run:
        out += ["The peers were measured in another run on a machine of the same kind: good for orientation.", ""]
    wrong = [f"{r['workload']} {r['size']}" for r in run.checks if not r["check_ok"]]
    out += [f"Checked against double precision: {len(run.checks)} results, "
            + ("all right." if not wrong else "WRONG: " + ", ".join(wrong) + "."), ""]
    if run.errors:
        out += ["Failed: " + "; ".join(f"{r['workload']} {r['size']}: {r['error']}" for r in run.errors), ""]
    out += [summary(run), "", "### Behind the best peer", "", behind(run), ""]
    for draw, name, words in ((speed_against_size, "speed", "Speed against size, GB/s of the least bytes"),
                              (fraction_of_ceiling, "ceiling", "Fraction of the ceiling at the largest size"),
                              (fused_against_unfused, "fused", "Fused against unfused at the largest size")):
        path = folder / f"{run.name}-{name}.svg"
        if draw(run, path):
            out += [f"### {words}", "", f"![{words}]({folder.name}/{path.name})", ""]
    return out + ["### Every row", "", everything(run), ""]


PREFACE = """# Performance

Made by `bench/suite/report.py` from the JSON in [performance/](performance); do not edit. The workloads are in
`bench/suite`; `suite --help` says how to run them, `bench/suite/cpu_peers.py` puts a CPU's other libraries beside them.

Times are medians of calls back to back. "Unfused" is the same program with one kernel an operation
(`SINTER_FUSION=off`). "Least" bytes are every input read once and every output written once; a ratio above 1 is time
lost to something else. A first call plans, compiles and runs, with no kernel on disk.
"""


def self_test():
    """A page from three rows, whose numbers are known."""
    def row(size, peer, time, **more):
        return json.dumps({"workload": "saxpy_f32", "size": size, "peer": peer, "gpu_us": time,
                           **{"bytes_min": 4e7, **more}}) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder) / "docs"
        (docs / "performance").mkdir(parents=True)
        (Path(folder) / "README.md").write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
        (docs / "performance/gpu.jsonl").write_text(
            json.dumps({"workload": "ceiling", "peer": "hand", "name": "triad", "value": 4000}) + "\n"
            + row("1e6", "sinter", 10, check_ok=True) + row("1e6", "sinter_unfused", 40) + row("1e6", "jax", 5)
            + row("1e4", "sinter", 1, bytes_min=4e5) + row("1e4", "jax", 8)
            + row("1e4", "torch", 2, check_ok=False))
        pages = []
        for _ in range(2):
            make(sorted((docs / "performance").glob("*.jsonl")), docs)
            pages.append({f.name: f.read_text() for f in sorted(docs.rglob("*")) if f.is_file()})
        page, readme = pages[0]["performance.md"], (Path(folder) / "README.md").read_text()
        assert pages[0] == pages[1], "the same rows give another page"
        assert "| unfused | 1 | 4.00 | 100% |" in page, page
        assert "| **the best peer of each row** | 2 | **2.00** | 50% |" in page, page
        assert "| saxpy_f32 | 1e6 | 10.0 | jax | 5.00 | 0.50 |" in page, page
        assert "all right" in page and "gpu-ceiling.svg" in pages[0], page
        assert "old" not in readme and "| saxpy_f32 1e6 | 10.0 | 40.0 | 4.00 |" in readme, readme
        assert readme.startswith("before") and readme.endswith("after\n"), readme
    print("report: fine")


def make(files, docs):
    folder = docs / "performance"
    runs = [Run(f) for f in files if not f.stem.endswith("-peers")]
    lines = [PREFACE]
    for run in runs:
        lines += section(run, folder)
    write_readme(docs.parent / "README.md", runs)
    (docs / "performance.md").write_text("\n".join(lines).rstrip() + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--docs", type=Path, default=Path(__file__).resolve().parents[2] / "docs")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        self_test()
        return
    folder = options.docs / "performance"
    folder.mkdir(parents=True, exist_ok=True)
    make(options.files or sorted(folder.glob("*.jsonl")), options.docs)


if __name__ == "__main__":
    main()
