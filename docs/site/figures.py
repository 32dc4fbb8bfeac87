# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""The figures in the documents: figures.py [--run BUILD [--only NAME]]

Makes docs/benchmarks.md, docs/figures/peers.svg and the table of README.md of the results in
docs/figures/*.json. With --run it first runs benches and races with few rounds, from a build folder that
has them, and writes those results. A test holds the pages against the results.
"""

import argparse
import datetime
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = "docs/figures"
PAGE, PICTURE, START = "docs/benchmarks.md", "docs/figures/peers.svg", "README.md"
OURS = re.compile(r"(?:steady|balanced|dynamic|async_bus|worker_pool|strand|process_pool|timer_scheduler|regatta|no death|one$|1 |\d+ )")
BEGIN, END = "<!-- made by script/docs --figures -->", "<!-- end -->"

# What each result comes from. {out} is the file that it writes.
POOL_TABLES = ("one outside thread", "batches of ten", "64-byte capture: time a task", "submitted by a task",
               "submit, then get all", "allocate, a vector", "uneven: time", "2 ms of idleness")
INVERSE = ("std_thread", "openmp_dynamic", "tbb", "asio", "balanced", "python_serial", "python_threads_1blas",
           "python_processes_1blas", "python_pool_map_1blas")
RUNS = {
    "pools": ["bench/bench_pools", "--rounds", "7", *(word for title in POOL_TABLES for word in ("--only", title))],
    "bus": ["bench/bench_bus", "--rounds", "7"],
    "worker_pool": ["bench/bench_worker_pool", "--rounds", "7"],
    "strand": ["bench/bench_strand", "--rounds", "7"],
    "fork": ["bench/bench_fork", "--rounds", "7"],
    "timers": ["bench/bench_timers", "--rounds", "7"],
    "process_pool": ["bench/bench_process_pool", "--rounds", "7"],
    "matmul": ["command/regatta", "race", "matmul", "--rounds", "12"],
    "compile": [str(ROOT / "bench/compile"), "--only", "programs", "--rounds", "3"],
    "inverse": ["command/regatta", "race", "inverse", "--rounds", "10", "--schemes", ",".join(INVERSE)],
}
PACKAGES = {"oneTBB": "libtbb-dev", "Boost": "libboost-dev", "moodycamel": "libconcurrentqueue-dev", "ReaderWriterQueue": "libreaderwriterqueue-dev", "Eigen": "libeigen3-dev",
            "ZeroMQ": "libzmq3-dev", "OpenMP (libgomp)": "libgomp1", "OpenBLAS": "libopenblas0-pthread", "CPython": "python3"}

# The table of the README: what is measured, its unit and the divisor of the times, and for each column
# the result, the table in it, and the row; of several rows that of the shortest time.
COLUMNS = ("Regatta", "oneTBB", "Asio", "OpenMP", "moodycamel", "Python")
COLOURS = {"oneTBB": "#0b57a4", "Asio": "#b35900", "OpenMP": "#0a7d4b", "moodycamel": "#8250df", "Python": "#cf222e"}
TBB, OPENMP = ("oneTBB enqueue", "oneTBB task_group"), ("OpenMP static", "OpenMP dynamic")
EXECUTE, WITHIN = "execute, one outside", "submitted by a task"
# How the names of a table's comparisons begin, where that is not how the table is looked up.
COMPARED = {EXECUTE: "execute", WITHIN: "within a worker", "submit, then get": "futures", "submission to begin": "wake", "a lone timer": "late"}
ROWS = (
    ("a task from outside", "ns", 1, {"Regatta": ("pools", EXECUTE, "steady_pool"), "oneTBB": ("pools", EXECUTE, *TBB), "Asio": ("pools", EXECUTE, "Boost.Asio thread_pool")}),
    ("a task from within a task", "ns", 1, {"Regatta": ("pools", WITHIN, "steady_pool"), "oneTBB": ("pools", WITHIN, *TBB), "Asio": ("pools", WITHIN, "Boost.Asio thread_pool")}),
    ("a task with a future", "ns", 1, {"Regatta": ("pools", "submit, then get", "steady_pool"), "oneTBB": ("pools", "submit, then get", *TBB), "Asio": ("pools", "submit, then get", "Boost.Asio thread_pool")}),
    ("a task of uneven length", "µs", 1000, {"Regatta": ("pools", "uneven", "balanced_pool"), "oneTBB": ("pools", "uneven", *TBB), "Asio": ("pools", "uneven", "Boost.Asio thread_pool")}),
    ("wake a worker on an idle CPU", "µs", 1000, {"Regatta": ("pools", "submission to begin", "steady_pool"), "oneTBB": ("pools", "submission to begin", *TBB), "Asio": ("pools", "submission to begin", "Boost.Asio thread_pool")}),
    ("fib(30), a fork a call", "ms", 1e6, {"Regatta": ("fork", "fib 30", "regatta_fork"), "oneTBB": ("fork", "fib 30", "tbb"), "OpenMP": ("fork", "fib 30", "openmp")}),
    ("a loop of 1,000 steps, no grain size", "ns", 1, {"Regatta": ("fork", "loop of 1000,", "regatta"), "oneTBB": ("fork", "loop of 1000,", "oneTBB", "oneTBB static"), "OpenMP": ("fork", "loop of 1000,", *OPENMP)}),
    ("a loop of 62 µs", "µs", 1000, {"Regatta": ("fork", "loop of 62 µs,", "regatta"), "oneTBB": ("fork", "loop of 62 µs,", "oneTBB", "oneTBB static"), "OpenMP": ("fork", "loop of 62 µs,", *OPENMP)}),
    ("a task of a graph that runs again", "ns", 1, {"Regatta": ("fork", "graph of 1024", "regatta"), "oneTBB": ("fork", "graph of 1024", "oneTBB"), "OpenMP": ("fork", "graph of 1024", "OpenMP tasks")}),
    ("sort of 10,000,000, each library's own", "ms", 1e6, {"Regatta": ("fork", "sort", "regatta_fork"), "oneTBB": ("fork", "sort", "tbb"), "OpenMP": ("fork", "sort", "openmp")}),
    *((f"a message of {size} bytes, {how}", "ns", 1, {
        column: ("bus", f"{size} B, 1 producer", row + ending)
        for column, row in (("Regatta", "async_bus, producer lane, visitor"), ("moodycamel", "moodycamel, tokens, bulk dequeue"))} | ({} if ending else {"moodycamel": ("bus", f"{size} B, 1 producer", "moodycamel, tokens, bulk dequeue", "moodycamel ReaderWriterQueue")}))
      for size in (24, 256) for how, ending in (("one by one", ""), ("64 a call", ", batches"))),
    ("a lone timer: how late", "µs", 1000, {"Regatta": ("timers", "a lone timer", "timer_scheduler"), "Asio": ("timers", "a lone timer", "Boost.Asio steady_timer")}),
    ("matrix product 512×512", "ms", 1e6, {"Regatta": ("matmul", "", "balanced"), "oneTBB": ("matmul", "", "tbb"), "Asio": ("matmul", "", "asio"), "OpenMP": ("matmul", "", "openmp_dynamic")}),
    ("four inverses 1000×1000", "ms", 1e6, {"Regatta": ("inverse", "", "balanced"), "oneTBB": ("inverse", "", "tbb"), "Asio": ("inverse", "", "asio"), "OpenMP": ("inverse", "", "openmp_dynamic"), "Python": ("inverse", "", *(one for one in INVERSE if one.startswith("python")))}),
    ("compile a first program, regatta::pools", "s", 1e9, {"Regatta": ("compile", "", "11_first_pool, regatta::pools"), "oneTBB": ("compile", "", "oneTBB")}),
    ("the same, from the headers alone", "s", 1e9, {"Regatta": ("compile", "", "11_first_pool"), "oneTBB": ("compile", "", "oneTBB")}),
)


def output_of(*words):
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def shortened(race):
    """Of the result of a race what the pages show."""
    keep = ("name", "scheme", "status", "reason", "version", "time_ns", "vs_baseline", "verdict", "summary")
    settings = {key: race[key] for key in ("schema", "workload", "settings", "workers", "rounds", "baseline", "noise_floor", "notes")}
    return settings | {"schemes": [{key: one[key] for key in keep} for one in race["schemes"]]}


def run(build, names):
    """Runs what is named and writes docs/figures/*.json."""
    (ROOT / FOLDER).mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            words = RUNS[name]
            out = pathlib.Path(scratch) / f"{name}.json"
            print(" ".join(words), file=sys.stderr)
            done = subprocess.run([build / words[0], *words[1:], "--json", out], stdout=subprocess.PIPE)
            if not out.is_file():
                raise SystemExit(f"figures.py: {words[0]} ended with status {done.returncode} and wrote no result")
            result = json.loads(out.read_text(encoding="utf-8"))
            write(f"{FOLDER}/{name}.json", as_text(shortened(result) if "schemes" in result else result))
        if names is not RUNS and (ROOT / FOLDER / "machine.json").is_file():
            return
        info = json.loads(output_of(build / "command/regatta", "info", "--json", "-"))["machine"]
    inverse = json.loads((ROOT / FOLDER / "inverse.json").read_text(encoding="utf-8"))
    numpy = next((one["version"] for one in inverse["schemes"] if one["name"] == "python_serial" and one["version"]), "")
    versions = {name: output_of("dpkg-query", "-W", "-f", "${Version}", package) for name, package in PACKAGES.items()}
    write(f"{FOLDER}/machine.json", as_text({
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "regatta": re.search(r"project\(regatta VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1],
        "processor": info["cpu_model"], "cpus": info["available_cpus"], "kernel": info["kernel"],
        "compiler": f"GCC {output_of('g++', '-dumpfullversion')}", "warnings": info["warnings"],
        "peers": {name: version for name, version in versions.items() if version} | ({"numpy": numpy} if numpy else {}),
    }))


def as_text(value):
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def write(name, text):
    (ROOT / name).write_text(text, encoding="utf-8")


def scaled(figure):
    """A figure with three digits."""
    return f"{figure:.0f}" if figure >= 100 else f"{figure:.1f}" if figure >= 10 else f"{figure:.2f}"


def duration(nanoseconds):
    for unit, size in (("ns", 1), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)):
        if nanoseconds < 1000 * size or unit == "s":
            return f"{scaled(nanoseconds / size)} {unit}"


def find(results, place):
    """What a cell of the README's table shows, in nanoseconds: (median, low, high, row); None where there is none."""
    name, title, *rows = place
    result = results.get(name, {})
    found = [spread(one["time_ns"], one["name"]) for one in result.get("schemes", []) if one["name"] in rows and one["time_ns"]]
    found += [spread(part[row], row, 1e9) for part in result.get("seconds", {}).values() for row in rows if row in part]
    tables = [table for table in result.get("tables", []) if title in table["title"]]
    found += [spread(one, one["name"], {"ns": 1, "µs": 1e3, "ms": 1e6}.get(table["unit"], 1))
              for table in tables[:1] for one in table["rows"] if one["name"] in rows]
    return min(found, default=None)


def spread(figure, row, size=1):
    """(median, low, high, row); without an interval three times the median."""
    known = figure.get("count", ENOUGH) >= ENOUGH
    ends = [figure[end] if known and figure.get(end) is not None else figure["median"] for end in ("low", "high")]
    return (*(one * size for one in (figure["median"], *ends)), row)


def summary(results):
    """(what, unit, {column: (median, low, high, row) in the unit}) of each row of the README's table."""
    for what, unit, size, places in ROWS:
        found = {column: find(results, place) for column, place in places.items()}
        found = {column: (*(one / size for one in value[:3]), value[3]) for column, value in found.items() if value is not None}
        if "Regatta" in found:
            yield what, unit, found


def told_apart(results, place, one, other):
    """Whether a comparison of the results, round by round, tells two rows of a table apart; None without one."""
    bench, title, *_ = place
    for measure in results.get(bench, {}).get("measures", []):
        low, high = (measure["ratio"].get(end) for end in ("low", "high"))
        if measure["name"].startswith(COMPARED.get(title, title)) and {measure["subject"], measure["peer"]} == {one, other} and low is not None:
            return not low <= 1 <= high
    return None


def is_best(results, places, found, column):
    """Nobody wins by less than 3 %, nor by less than the intervals say."""
    best = min(found, key=found.get)
    if found[column][0] <= found[best][0] * 1.03:
        return True
    apart = told_apart(results, places[column], found[best][3], found[column][3])
    return found[column][1] <= found[best][2] if apart is None else not apart


def loud(results):
    """(what, noise floor) of the rows of the README's table whose noise is no small matter."""
    for what, _, _, places in ROWS:
        name, title, *_ = places["Regatta"]
        floors = [table.get("noise_floor") for table in results.get(name, {}).get("tables", []) if title in table["title"]]
        floors += [result["noise_floor"] for result in [results.get(name, {})] if "schemes" in result]
        if floors and floors[0] and floors[0] > 0.1:
            yield what, floors[0]


def provenance(machine):
    return (f"{machine['processor']}, {machine['cpus']} CPUs, {machine['kernel']}, {machine['compiler']}, "
            f"Regatta {machine['regatta']}, {machine['date']}")


def start_table(results):
    """The part of the README between the two marks."""
    lines = ["| Time of … | " + " | ".join(COLUMNS) + " |", "| --- |" + " --- |" * len(COLUMNS)]
    places = {what: columns for what, _, _, columns in ROWS}
    for what, unit, found in summary(results):
        shown = {column: f"{scaled(value[0])} {unit}" for column, value in found.items()}
        shown = {column: f"**{text}**" if is_best(results, places[what], found, column) else text for column, text in shown.items()}
        lines.append(f"| {what} | " + " | ".join(shown.get(column, "–") for column in COLUMNS) + " |")
    noise = ", ".join(f"{what} {100 * floor:.0f} %" for what, floor in loud(results))
    noise = f" Noise floors above 10 %: {noise}." if noise else ""
    return "\n".join(lines) + f"\n\nMedians; bold: within 3 % of the best, or not told apart from it by the interval of their ratio, or of its time where they were not compared.{noise} {provenance(results['machine'])}."


def picture(results):
    """The same as a picture: how many times as long as Regatta each peer takes, on a scale of doublings."""
    rows = list(summary(results))
    ratios = [(what, {column: value[0] / found["Regatta"][0] for column, value in found.items() if column != "Regatta"}) for what, _, found in rows]
    every = [ratio for _, peers in ratios for ratio in peers.values()] or [1.0]
    low, high = min(-1, math.floor(math.log2(min(every)))), max(2, math.ceil(math.log2(max(every))))
    left, width, top, step = 230, 600, 62, 30
    bottom = top + step * len(rows)

    def x(ratio):
        return left + width * (math.log2(ratio) - low) / (high - low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 40} {bottom + 44}" font-family="sans-serif" font-size="14">',
           "<title>Time of each peer by the time of Regatta</title>", '<rect width="100%" height="100%" fill="#ffffff"/>',
           f'<rect x="{left}" y="{top - 10}" width="{x(1) - left:.1f}" height="{bottom - top + 4}" fill="#f6e9e9"/>']
    place = left
    for column, colour in COLOURS.items():
        out.append(f'<circle cx="{place}" cy="20" r="6" fill="{colour}"/><text x="{place + 12}" y="25">{column}</text>')
        place += 34 + 9 * len(column)
    for power in range(low, high + 1):
        label = f"{2 ** power:g}×" if power >= 0 else f"1/{2 ** -power}×"
        out.append(f'<line x1="{x(2 ** power):.1f}" y1="{top - 10}" x2="{x(2 ** power):.1f}" y2="{bottom - 6}" stroke="{"#1f2328" if power == 0 else "#d0d7de"}"/>')
        out.append(f'<text x="{x(2 ** power):.1f}" y="{top - 16}" text-anchor="middle" fill="#57606a">{label}</text>')
    for number, (what, peers) in enumerate(ratios):
        y = top + step * number + 10
        out.append(f'<text x="{left - 12}" y="{y + 5}" text-anchor="end">{what}</text>')
        for column, ratio in peers.items():
            out.append(f'<circle cx="{x(ratio):.1f}" cy="{y}" r="6" fill="{COLOURS[column]}"><title>{column}: {ratio:.2f}×</title></circle>')
    out.append(f'<text x="{left}" y="{bottom + 22}" fill="#57606a">← the peer is faster</text>')
    out.append(f'<text x="{left + width}" y="{bottom + 22}" text-anchor="end" fill="#57606a">the peer takes this many times as long as Regatta →</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def notes_of(result, title):
    """What a bench says of one of its tables."""
    return [text.removeprefix(f"{title}: ") for text in result.get("notes", []) if text.startswith(f"{title}: ")]


def note_lines(notes):
    for text in notes:
        yield from ("", f"Note: {text}.")


# The interval of fewer rounds would not cover 95 % of what could be.
ENOUGH = 6


def interval(figure, text, rounds):
    """The interval of a median as text; – where it is of too few rounds, or of none that is known."""
    return "–" if figure.get("count", rounds) < ENOUGH or figure["low"] is None else f"{text(figure['low'])} … {text(figure['high'])}"


def bench_part(name, result):
    """The tables and comparisons of one bench."""
    yield from ("", f"## {name}", "", f"`script/bench {name}`, {result['rounds']} rounds; {result['samples']} samples, "
                f"{result['dropped']} dropped as disturbed. [What is measured](reference/bench.md#{name}).")
    for table in result.get("tables", []):
        known = table["noise_floor"] is not None and result["rounds"] >= ENOUGH
        floor = f" Noise floor {100 * table['noise_floor']:.1f} %." if known else ""
        said = "".join(f" {text[0].upper()}{text[1:]}." for text in notes_of(result, table["title"]))
        yield from ("", f"**{table['title'][0].upper()}{table['title'][1:]}.**{floor}{said}", "", "| Contender | Median | Interval |", "| --- | --- | --- |")
        for row in sorted(table["rows"], key=lambda one: one["median"]):
            def text(value, unit=table["unit"]):
                return duration(value) if unit == "ns" else f"{value:.3g} {unit}".strip()

            yield f"| {row['name']}{' (disturbed)' if row['disturbed'] else ''} | {text(row['median'])} | {interval(row, text, 0)} |"
    for part, programs in result.get("seconds", {}).items():
        yield from (("", f"**CPU seconds to compile: {part}.**", "", "| Program | Median | Range |", "| --- | --- | --- |") if programs else ())
        for name, row in sorted(programs.items(), key=lambda one: one[1]["median"]):
            yield f"| `{name}` | {row['median']:.2f} s | {row['low']:.2f} s … {row['high']:.2f} s |"
    if result["measures"]:
        yield from ("", "| Comparison | Subject | Peer | Ratio of times | Bar |", "| --- | --- | --- | --- | --- |")
    for one in result["measures"]:
        ratio, bar = one["ratio"], "–" if one["bar"] is None else f"{one['bar']:g} {'holds' if one['holds'] else '**does not hold**'}"
        between = interval(ratio, "{:.2f}".format, result["rounds"])
        if one["bar"] is not None and (between == "–" or ratio["low"] <= one["bar"] < ratio["high"]):
            bar += ", by the median"
        yield f"| {one['name']} | {one['subject']} | {one['peer']} | {ratio['median']:.2f} ({between}) | {bar} |"
    for text in result["skipped"]:
        yield from ("", f"Skipped: {text}.")
    titles = tuple(f"{table['title']}: " for table in result.get("tables", []))
    yield from note_lines(text for text in result.get("notes", []) if not text.startswith(titles))


def race_part(name, result):
    """The table of one race."""
    settings = " ".join(f"`{key} {value}`" for key, value in result["settings"].items())
    yield from ("", f"## The race {name}", "", f"`regatta race {name}`, {settings}, {result['workers']} workers, {result['rounds']} rounds; "
                f"times of `{result['baseline']}` = 1, noise floor {100 * (result['noise_floor'] or 0):.1f} %.",
                "", "| Scheme | Median | Ratio | Interval | Verdict |", "| --- | --- | --- | --- | --- |")
    measured = [one for one in result["schemes"] if one["time_ns"] and one["vs_baseline"]]
    for one in sorted(measured, key=lambda one: one["vs_baseline"]["median"]):
        ratio = one["vs_baseline"]
        interval = "–" if ratio["low"] is None or ratio["high"] is None else f"{ratio['low']:.3f} … {ratio['high']:.3f}"
        yield f"| `{one['name']}` | {duration(one['time_ns']['median'])} | {ratio['median']:.3f} | {interval} | {one['verdict']} |"
    for one in result["schemes"]:
        if one["status"] != "ok":
            yield from ("", f"{one['status'].capitalize()}: `{one['name']}`, {one['reason']}.")
    yield from note_lines(result["notes"])


def is_ours(name):
    """Whether a contender is a part of the library, or no contender but the unit of a figure."""
    return bool(OURS.match(name))


def slower(results):
    """(where, ours, theirs, the ratio of the medians) of each table and race in which a contender is faster than each part of
    the library that is in it."""
    for name, result in results.items():
        tables = [(table["title"], [(row["name"], row["median"]) for row in table["rows"] if "(again)" not in row["name"]])
                  for table in result.get("tables", [])]
        tables += [("the race", [(one["name"], one["time_ns"]["median"]) for one in result["schemes"] if one["time_ns"]])] if "schemes" in result else []
        for title, rows in tables:
            best = min((row for row in rows if is_ours(row[0])), key=lambda row: row[1], default=None)
            for peer, median in rows:
                if best and not is_ours(peer) and median < best[1]:
                    yield f"{name}, {title}", best[0], peer, best[1] / median


def losses(results):
    """Each comparison in which a part of the library takes longer than its peer; then each other contender that is faster than
    every part of the library in its table or race."""
    told = set()
    for name, result in results.items():
        for one in result.get("measures", []):
            # Those that compare the library with itself, or a figure with its unit, are no losses.
            if one["ratio"]["median"] > 1 and not is_ours(one["peer"]):
                told.add((name, one["subject"], one["peer"], one["name"].split(",")[0]))
                known = interval(one["ratio"], str, result["rounds"]) != "–"
                clear = " Too few rounds for an interval." if not known else "" if one["ratio"]["low"] > 1 else " The interval holds 1."
                yield f"- {name}, {one['name']}: `{one['subject']}` takes {one['ratio']['median']:.2f} times as long as {one['peer']}.{clear}"
    for where, ours, peer, ratio in slower(results):
        name, title = where.split(", ", 1)
        if not any(one[:3] == (name, ours, peer) and title.startswith(one[3]) for one in told):
            yield f"- {where}: `{ours}`, the fastest of ours, takes {ratio:.2f} times as long as {peer}, by the medians of that table."


def page(results):
    machine = results["machine"]
    lines = ["# Benchmarks", "", "How fast is each part of Regatta beside its peers? `script/docs --figures` runs all of this again and",
             "makes this page of the results in [docs/figures](figures).", "",
             "| What | Value |", "| --- | --- |", f"| Machine | {machine['processor']}, {machine['cpus']} CPUs available |", f"| System | {machine['kernel']} |",
             f"| Compiler | {machine['compiler']}, `{results['pools']['flags'].strip()}` |", f"| Regatta | {machine['regatta']} |", f"| Date | {machine['date']} |",
             "| Peers | " + ", ".join(f"{name} {version}" for name, version in machine["peers"].items()) + " |", ""]
    lines += [f"Warning of `regatta info`: {text.rstrip('.')}.\n" for text in machine["warnings"]]
    lines += ["These are few rounds. Only ratios within one table compare, and those near its noise floor mean nothing.",
              "`script/bench NAME` runs one bench with its full number of rounds.", "", f"![The time of each peer by that of Regatta](figures/{pathlib.Path(PICTURE).name})",
              "", "## What Regatta loses", "", *(list(losses(results)) or ["No comparison of this run."])]
    for name, result in results.items():
        if "measures" in result:
            lines += bench_part(name, result)
        elif "schemes" in result:
            lines += race_part(name, result)
    return "\n".join(lines) + "\n"


def pages(root):
    """(name, text) of each file that is made of the results."""
    results = {name: json.loads((root / FOLDER / f"{name}.json").read_text(encoding="utf-8"))
               for name in (*RUNS, "machine") if (root / FOLDER / f"{name}.json").is_file()}
    if "machine" not in results:
        return
    yield PAGE, page(results)
    yield PICTURE, picture(results)
    start = (root / START).read_text(encoding="utf-8")
    before, begin, rest = start.partition(BEGIN + "\n")
    _, end, after = rest.partition(END)
    if begin and end:
        yield START, before + begin + start_table(results) + "\n" + end + after


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", metavar="BUILD", type=pathlib.Path, help="a build folder with the benches and the command")
    parser.add_argument("--only", metavar="NAME", choices=RUNS, action="append", help="of these runs only this one; may be repeated")
    options = parser.parse_args()
    if options.run:
        run(options.run.resolve(), options.only or RUNS)
    for name, text in pages(ROOT):
        write(name, text)


if __name__ == "__main__":
    main()
