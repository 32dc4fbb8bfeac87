# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
"""Shows that each rule of structure.py accepts a sound tree and complains about a broken one."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import structure  # noqa: E402

LICENCE = "// SPDX-License-Identifier: MIT\n// Copyright (c) 2026 The Regatta authors\n"
SCHEMA = "docs/reference/a.schema.json"
VERSION = "include/regatta/base/version.hpp"
SOUND = {
    "CMakeLists.txt": "project(regatta VERSION 1.2.3)\n",
    "CHANGELOG.md": "## 1.2.3\n",
    VERSION: LICENCE
    + "int version_major = 1;\nint version_minor = 2;\nint version_patch = 3;\n"
    + 'const char* version_string = "1.2.3";\n',
    "include/regatta/sync/lock.hpp": LICENCE + "#include <regatta/base/version.hpp>\n#include <atomic>\n",
    "race/schemes/serial.cpp": LICENCE + "#include <regatta/sync/lock.hpp>\n#include <machine/load.hpp>\n",
    "race/machine/load.hpp": LICENCE,
    "examples/01_one.cpp": LICENCE + "int main() {\n    int a = 1;\n\n    int b = 2;\n    if (a) {\n        b = 3;\n    }\n}\n",
    "docs/one.md": "One:\n\n<!-- quoted from examples/01_one.cpp -->\n```cpp\nint a = 1;\n…\n    if (a) {\n        b = 3;\n```\n",
    "race/schemes/CMakeLists.txt": "regatta_schemes(serial.cpp serial)\nregatta_schemes(two.cpp two_a two_b ${two})\n",
    "race/schemes/one.cpp": LICENCE + '.name = "serial",\n.summary = "a";\nauto p = {.name = "race"};\n',
    "race/schemes/two.cpp": LICENCE + '.name = "two_a",\n .summary = "a";\n.name = "two_b",\n .summary = "a";\n',
    "docs/reference/schemes.md": "| scheme | a |\n|---|---|\n| `serial` | `b` |\n| `two_a`, `two_b` | c |\n\n| `d` | e |\n",
    "race/machine/colour.cpp": LICENCE
    + 'std::string_view to_string(colour c) noexcept {\n    return c == colour::red ? "red" : "green";\n}\n'
    + 'const char* size = "small";\n',
    SCHEMA: '{"a": {"$comment": "The words of colour.", "enum": ["red", "green", null]}, "b": {"enum": ["small"]}}\n',
    "tests/unit/CMakeLists.txt": "regatta_add_test(a a_test.cpp LABEL unit)\n",
    "tests/unit/a_test.cpp": LICENCE,
    "tests/command/CMakeLists.txt": "foreach(name IN ITEMS usage advise)\n",
    "tests/command/usage_test.py": "# SPDX-License-Identifier: MIT\n# Copyright (c) 2026 The Regatta authors\n",
    "CONTRIBUTING.md": "## Where things are\n\n```\ninclude/regatta/   the library\n  {library}\n"
    + "race/   the engine: a/b\n  {race}\ncommand/  docs/   others\nexamples/  script/\ntests/   all\n  unit/ command/\n```\n",
    "docs/reference/headers.md": "# Headers\n\n## sync/, `base/`\n\n| Header | What |\n|---|---|\n"
    + "| [lock.hpp](../../include/regatta/sync/lock.hpp) | a [lock](#sync-base) |\n| `regatta/base/version.hpp` | [b](../one.md) |\n",
    "script/do": "#!/bin/sh\n# SPDX-License-Identifier: MIT\n# Copyright (c) 2026 The Regatta authors\n",
}
# A file in each folder of the order, and the picture that shows them.
SOUND |= {f"{folder}/placeholder.cpp": LICENCE for folder in structure.ORDER}
for above, mark in (("include/regatta/", "{library}"), ("race/", "{race}"), ("src/", "{src}")):
    parts = [folder.removeprefix(above) + "/" for folder in structure.ORDER if folder.startswith(above)]
    if above == "src/" and parts:
        SOUND["CONTRIBUTING.md"] = SOUND["CONTRIBUTING.md"].replace("race/   ", "src/   compiled\n  {src}\nrace/   ")
    SOUND["CONTRIBUTING.md"] = SOUND["CONTRIBUTING.md"].replace(mark, "  ".join(parts))


class Planted(structure.Tree):
    """A tree in memory: some 150 of them on disk, each with a repository, cost ten times as much."""

    def __init__(self, texts):
        self.texts = texts
        self.files = sorted(texts)

    def lines(self, name):
        return self.texts[name].split("\n")


def complaints(rule, changes):
    texts = {name: text for name, text in (SOUND | changes).items() if text is not None}
    return list(structure.RULES[rule](Planted(texts)))


def complaints_on_disk(rule, changes):
    """The same of a checkout; a text of None is a file that git knows and that was deleted."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        for name, text in (SOUND | changes).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes((text or "\n").encode())
            if text is None:
                subprocess.run(["git", "-C", folder, "add", name], check=True)
                (root / name).unlink()
        return list(structure.RULES[rule](structure.Tree(root)))


class Rules(unittest.TestCase):
    def test_every_rule_accepts_a_sound_tree(self):
        for rule in structure.RULES:
            self.assertEqual(complaints(rule, {}), [], rule)

    def check(self, rule, changes, word):
        found = complaints(rule, changes)
        self.assertEqual(len(found), 1, found)
        self.assertIn(word, found[0])

    @unittest.skipUnless(shutil.which("git"), "needs git")
    def test_a_checkout_is_its_tracked_and_its_new_files(self):
        tracked, ignored = {"race/machine/gone.cpp": None}, {".gitignore": "build\n", "build/new.cpp": "int i;\n"}
        self.assertEqual(complaints_on_disk("licence_line", tracked | ignored), [])
        found = complaints_on_disk("licence_line", {"race/machine/new.cpp": "int i;\n"})
        self.assertEqual([line.partition(":")[0] for line in found], ["race/machine/new.cpp"])

    def test_an_archive_is_all_its_files_but_builds(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("race/new.cpp", "build/release/new.cpp", "other/CMakeCache.txt", "other/new.cpp"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()
            self.assertEqual(structure.Tree(root).files, ["race/new.cpp"])

    def test_shared_test_headers(self):
        text = LICENCE + '#include "../unit/counted.hpp"\n'
        self.check("shared_test_headers", {"tests/contract/new.cpp": text}, "support/")

    def test_folder_order(self):
        for include in ("<regatta/sync/lock.hpp>", "<machine/load.hpp>"):
            text = LICENCE + f"#include {include}\n"
            self.check("folder_order", {"include/regatta/base/new.hpp": text}, "not above")
        for include in ('"../report/table.hpp"', '"report/table.hpp"', "<report/table.hpp>"):
            text = LICENCE + f"#include {include}\n"
            self.check("folder_order", {"race/machine/new.cpp": text, "race/report/table.hpp": LICENCE}, "not above")
        self.check("folder_order", {"include/regatta/new/new.hpp": LICENCE}, "none of the folders")
        self.check("folder_order", {"race/machine/new.cpp": LICENCE + "#include <regatta/base/no.hpp>\n"}, "not exist")
        self.check("folder_order", {"command/new/new.cpp": LICENCE}, "none of the folders")
        text = LICENCE + '#include "race/list.hpp"\n'
        others = {"command/race/list.hpp": LICENCE, "command/race/list.cpp": text, "command/main.cpp": text}
        self.assertEqual(complaints("folder_order", others), [])
        self.check("folder_order", others | {"command/scale/new.cpp": text}, "includes itself and common")
        self.check("folder_order", others | {"command/common/new.cpp": text}, "not above")

    def test_order_exists(self):
        self.check("order_exists", {"race/report/placeholder.cpp": None}, "race/report, which is not there")

    def test_registry(self):
        makefile, document = "race/schemes/CMakeLists.txt", "docs/reference/schemes.md"
        self.check("registry", {"race/schemes/one.cpp": LICENCE}, "lists serial, which no file")
        more = SOUND[makefile] + "regatta_schemes(three.cpp\n    three)\n"
        self.assertEqual(len(complaints("registry", {makefile: more})), 2)
        three = LICENCE + '.name = "three",\n.summary = "a";\n'
        self.check("registry", {makefile: more, "race/schemes/three.cpp": three}, "no row for the scheme three")
        row = SOUND[document].replace("`two_b`", "`two_b`, `three`")
        self.assertEqual(len(complaints("registry", {document: row, "race/schemes/three.cpp": three})), 2)
        self.check("registry", {document: row}, "a row for three, which")
        sound = {makefile: more, document: row, "race/schemes/three.cpp": three}
        self.assertEqual(complaints("registry", sound), [])
        workloads = {"race/workloads/CMakeLists.txt": "set(workloads empty)\n",
                     "race/workloads/empty.cpp": LICENCE + '.name = "empty",\n.summary = "a";\n'}
        self.check("registry", workloads, "workloads.md:1: has no row for the workload empty")
        table = {"docs/reference/workloads.md": "| workload | b |\n|---|---|\n| [`empty`](#empty) | a |\n"}
        self.assertEqual(complaints("registry", workloads | table), [])

    def test_schema_words(self):
        for old, new, word in (
            ('"red", ', "", "differ in red"),
            ('"red"', '"red", "blue"', "differ in blue"),
            ("of colour", "of shape", "no to_string"),
            ('"small"', '"large"', '"large", which stands nowhere'),
            ('"$comment": "The words of colour.", ', "", "has the words of colour"),
        ):
            self.check("schema_words", {SCHEMA: SOUND[SCHEMA].replace(old, new)}, word)
        fallback = SOUND["race/machine/colour.cpp"].replace("\n}", '\n    return "unknown";\n}')
        self.assertEqual(complaints("schema_words", {"race/machine/colour.cpp": fallback}), [])

    def test_schema_members(self):
        told = {"description": "A word."}
        schema = {"properties": {"a": told, "b": {"$ref": "#/$defs/c"}, "d": told | {"items": {"properties": {"e": told}}}},
                  "$defs": {"c": told | {"properties": {"f": told}}, "g": {}}, "allOf": [{"if": {"properties": {"a": {"const": "h"}}}}]}
        text = json.dumps(schema)
        self.assertEqual(complaints("schema_members", {SCHEMA: text}), [])
        for old, new, word in (
            ('"a": {"description": "A word."}', '"a": {}', "/a has no description"),
            ('"e": {"description": "A word."}', '"e": {}', "/d/e has no description"),
            ('"f": {"description": "A word."}', '"f": {}', "/$defs/c/f has no description"),
            ("#/$defs/c", "#/$defs/g", "/b has no description"),
        ):
            self.check("schema_members", {SCHEMA: text.replace(old, new)}, word)

    def test_tests_listed(self):
        self.check("tests_listed", {"tests/unit/b_test.cpp": LICENCE}, "b_test.cpp:1: tests/unit/CMakeLists.txt does not")
        self.check("tests_listed", {"tests/unit/ta_test.cpp": LICENCE}, "does not list it")
        self.check("tests_listed", {"tests/new/a_test.cpp": LICENCE}, "tests/new/CMakeLists.txt")
        self.check("tests_listed", {"tests/command/info_test.py": "\n"}, "does not list it")
        self.check("tests_listed", {"tests/command/use_test.py": "\n"}, "does not list it")

    def test_recipes(self):
        text = SOUND["CONTRIBUTING.md"] + "| `race/machine/load.hpp` | `build/a/b`, `race/NAME.cpp`, `machine/b.cpp` |\n"
        self.assertEqual(complaints("recipes", {"CONTRIBUTING.md": text}), [])
        self.check("recipes", {"CONTRIBUTING.md": text + "| `race/machine/gone.hpp` |\n"}, "names race/machine/gone.hpp")

    def test_layout(self):
        self.check("layout", {"new/a.md": "\n"}, "does not show new/")
        self.check("layout", {"race/new/a.md": "\n"}, "does not show new/ in race/")
        self.check("layout", {"race/report/placeholder.cpp": None}, "shows report/ in race/, which is not there")
        self.check("layout", {"script/do": None}, "shows script/, which is not there")

    def test_dependencies(self):
        for header in ("fmt/format.h", "zmq.hpp", "boost/asio.hpp", "nlohmann/json.hpp", "tbb/task_group.h"):
            self.check("dependencies", {"include/regatta/base/new.hpp": f"#include <{header}>\n"}, header)

    def test_foreign_detail(self):
        text = LICENCE + "#include <regatta/sync/detail/ring.hpp>\n"
        ring = {"include/regatta/sync/detail/ring.hpp": LICENCE}
        self.check("foreign_detail", ring | {"include/regatta/pool/new.hpp": text}, "internal to its folder")
        self.check("foreign_detail", ring | {"race/machine/new.cpp": text}, "internal to its folder")
        self.check("foreign_detail", ring | {"src/process/new.cpp": text}, "internal to its folder")
        self.assertEqual(complaints("foreign_detail", ring | {"include/regatta/sync/new.hpp": text}), [])
        self.assertEqual(complaints("foreign_detail", ring | {"src/sync/part/new.cpp": text}), [])
        text = LICENCE + "#include <regatta/core/detail/loop.hpp>\n"
        self.assertEqual(complaints("foreign_detail", {"include/regatta/pool/detail/new.hpp": text}), [])
        self.check("foreign_detail", {"examples/02_two.cpp": text}, "internal to its folder")

    def test_internal_names(self):
        text = LICENCE + "namespace regatta {\n} // namespace regatta\n"
        self.check("internal_names", {"include/regatta/sync/detail/ring.hpp": text}, "regatta::detail")
        self.check("internal_names", {"src/lease/step.hpp": text}, "regatta::detail")

    def test_costly_headers(self):
        for header in ("CLI/CLI.hpp", "nlohmann/json.hpp", "fmt/format.h"):
            self.check("costly_headers", {"race/text/new.cpp": f"#include <{header}>\n"}, header)
        for header in ("chrono", "ranges", "future"):
            self.check("costly_headers", {"include/regatta/pool/new.hpp": f"#include <{header}>\n"}, header)
        text = "#include <future>\n"
        self.assertEqual(complaints("costly_headers", {"include/regatta/core/std_future.hpp": text}), [])
        self.assertEqual(complaints("costly_headers", {"race/text/json.cpp": "#include <nlohmann/json.hpp>\n"}), [])

    def test_file_length(self):
        self.check("file_length", {"race/machine/new.cpp": "\n" * 601}, "601 lines")
        self.assertEqual(complaints("file_length", {"race/machine/new.cpp": "\n" * 600}), [])

    def test_version(self):
        self.check("version", {"CMakeLists.txt": "project(regatta VERSION 1.2.4)\n"}, "1.2.4")
        self.check("version", {VERSION: SOUND[VERSION].replace('"1.2.3"', '"1.2.2"')}, "1.2.2")
        self.check("version", {"CHANGELOG.md": "## 1.2.2\n"}, "CHANGELOG.md")
        self.check("version", {"debian/changelog": "regatta (1.2.2) unstable\n"}, "debian/changelog")

    def test_licence_line(self):
        self.check("licence_line", {"race/machine/new.cpp": "int i;\n"}, "new.cpp")
        self.check("licence_line", {"script/other": "#!/bin/sh\ntrue\n"}, "script/other")

    def test_whitespace(self):
        for text in ("\tint i;\n", "int i; \n", "int i;", "int i;\n\n", "int i;\r\n", "<" * 7 + " HEAD\n"):
            self.assertNotEqual(complaints("whitespace", {"race/machine/new.cpp": text}), [], repr(text))

    def test_quotes(self):
        mark = "<!-- quoted from examples/01_one.cpp -->\n"
        for block, word in (
            (mark + "```cpp\nint a = 2;\n```\n", "stand like this"),
            (mark + "```cpp\nint a = 1;\nint b = 2;\n```\n", "stand like this"),
            (mark + "```cpp\nint b = 2;\n…\nint a = 1;\n```\n", "stand like this"),
            (mark + "```cpp\nif (a) {\nb = 3;\n```\n", "stand like this"),
            (mark + "```cpp\n```\n", "stand like this"),
            (mark.replace("01", "02") + "```cpp\nint a = 1;\n```\n", "not exist"),
            (mark + "\n```\nint a = 1;\n```\n", "no block follows"),
            ("```cpp\nint a = 1;\n```\n", "no line"),
        ):
            self.check("quotes", {"docs/new.md": block}, word)
        for block in ("```\nanything\n```\n", mark + "```cpp\n    int a = 1;\n\n    int b = 2;\n```\n"):
            self.assertEqual(complaints("quotes", {"docs/new.md": block}), [])

    def test_type_names(self):
        text = LICENCE + "namespace regatta::race {\nstruct load final : base {\n};\n} // namespace regatta::race\n"
        first = {"race/machine/load.hpp": text}
        self.check("type_names", first | {"race/report/load.hpp": text}, "race/machine/load.hpp too")
        other = LICENCE + "namespace regatta::command {\nstruct load {\n};\n} // namespace regatta::command\n"
        declared = LICENCE + "namespace regatta::race {\nstruct load;\n} // namespace regatta::race\n"
        for sound in (other, declared):
            self.assertEqual(complaints("type_names", first | {"command/load.hpp": sound}), [])

    def test_atomics(self):
        header = "include/regatta/sync/lock.hpp"
        row = "| `lock::one_` | a | b | c |\n"
        alias = "using flag = typename Atomics::template atomic<bool>;\nalignas(64) flag one_{false};\n"
        for text in ("std::atomic<int> one_{0};\n", "typename A::template atomic<std::pair<int, int>> one_;\n", alias):
            self.check("atomics", {header: text}, "one_ is not in the table")
            self.assertEqual(complaints("atomics", {header: text, "docs/reference/sync.md": row}), [])
        self.assertEqual(complaints("atomics", {header: "void f(std::atomic<int>& two);\n"}), [])

    def test_links(self):
        targets = {
            "no.md": "there is no docs/no.md",
            "reference/one.md": "there is no docs/reference/one.md",
            "../include/regatta/sync/no/": "there is no include/regatta/sync/no",
            "#no": "docs/new.md has no such heading",
            "#heading-2": "docs/new.md has no such heading",
            "#in-code": "docs/new.md has no such heading",
            "reference/headers.md#sync": "docs/reference/headers.md has no such heading",
        }
        text = "# Heading\n\n# Heading\n\n```\n# In code\n```\n" + "".join(f"[a]({target})\n" for target in targets)
        found = complaints("links", {"docs/new.md": text + "[a]: gone.md\n"})
        for complaint, word in zip(found, [*targets.values(), "there is no docs/gone.md"], strict=True):
            self.assertIn(word, complaint)
        text = (
            "# A `heading`: one, two_three\n# A [link](one.md)\n# A\n# A\n"
            "[a](#a-heading-one-two_three) [b](#a-link) [c](#a) [d](#a-1) [e](reference/headers.md#sync-base)\n"
            "[f](../race) [g](../script/do) [h](https://example.org/no.md) `[i](no.md)`\n\n```\n[j](no.md)\n```\n"
        )
        self.assertEqual(complaints("links", {"docs/new.md": text}), [])

    def test_public_headers(self):
        ring, page, moved = "include/regatta/sync/detail/ring.hpp", "docs/reference/new.md", "docs/reference/moved.md"
        self.check("public_headers", {"include/regatta/sync/new.hpp": LICENCE}, "sync/new.hpp:1: no page")
        self.check("public_headers", {"include/regatta/sync.hpp": LICENCE}, "regatta/sync.hpp:1: no page")
        self.check("public_headers", {page: "`<regatta/sync/no.hpp>`\n"}, "new.md:1: names regatta/sync/no.hpp")
        self.check("public_headers", {page: "[a](../../include/regatta/sync/no.hpp)\n"}, "is not there")
        for text in (
            "`regatta/sync/detail/ring.hpp`\n",
            "```cpp\n#include <regatta/sync/detail/ring.hpp>\n```\n",
            f"| Header | What |\n|---|---|\n| [ring.hpp](../../{ring}) | a |\n",
        ):
            self.check("public_headers", {ring: LICENCE, page: text}, "it is internal")
        text = f"See [it](../../{ring}).\n\n| Inside | What |\n|---|---|\n| [ring.hpp](../../{ring}) | a |\n"
        self.assertEqual(complaints("public_headers", {ring: LICENCE, page: text}), [])
        table = "| Old | New |\n|---|---|\n| `<regatta/sync/ring.hpp>` | `<regatta/sync/lock.hpp>` |\n"
        self.assertEqual(complaints("public_headers", {moved: table}), [])
        there = {moved: table, "include/regatta/sync/ring.hpp": LICENCE, page: "`regatta/sync/ring.hpp`\n"}
        self.check("public_headers", there, "has not moved")
        self.check("public_headers", {moved: table.replace("lock", "no")}, "names regatta/sync/no.hpp")
        unnamed = {moved: table, "docs/reference/headers.md": "`regatta/base/version.hpp`\n"}
        self.check("public_headers", unnamed, "lock.hpp:1: no page")

    def test_doc_labels(self):
        header = "include/regatta/sync/lock.hpp"
        self.check("doc_labels", {header: LICENCE + "/// A lock. Cost: a load.\n"}, "the label Cost is within a line")
        self.check("doc_labels", {header: LICENCE + "    /// Threads: any. Blocks, Order: as others.\n"}, "Blocks, Order is")
        for text in ("/// A lock.\n/// Cost: a load.\n", "/// Threads, Blocks: as `lock`.\n"):
            self.assertEqual(complaints("doc_labels", {header: LICENCE + text}), [])

    def test_public_names(self):
        header, page = "include/regatta/sync/lock.hpp", "docs/reference/new.md"
        text = (
            "class basic_ring_a;\ntemplate<class T, template<class> class U>\nclass [[nodiscard]] ring_b {\n    int other;\n};\n"
            "template<class T> concept ring_c = true;\nstruct REGATTA_SYSTEM_API ring_d : other {\n};\nenum class ring_e { red };\n"
            "using ring_f = other<int>;\n[[noreturn]] inline void ring_g(const other& o) {\n    call();\n}\n"
            "REGATTA_SYSTEM_API std::vector<other>\nring_h(int o);\ninline constexpr unsigned ring_i = 3;\n"
        )
        inner = "namespace detail {\nstruct other;\n} // namespace detail\n"
        text = LICENCE + "namespace regatta {\n" + text + inner + "} // namespace regatta\n"
        names = ["basic_ring_a", *(f"ring_{letter}" for letter in "bcdefghi")]
        moved = {"docs/reference/moved.md": "`" + "` `".join(names) + "`\n", page: "ring_b `ring_b.hpp`\n"}
        found = complaints("public_names", {header: text} | moved)
        self.assertEqual([complaint.split()[-1] for complaint in found], names)
        told = {page: "`" + "` `".join(names).removeprefix("basic_") + "`\n"}
        self.assertEqual(complaints("public_names", {header: text} | told), [])

    def test_contents(self):
        pages = {name: "# A\n" for name in ("docs/one.md", "docs/reference/headers.md", "docs/reference/schemes.md")}
        listed = "[a](one.md) [b](reference/headers.md)\n[c](reference/schemes.md#c)\n"
        self.assertEqual(complaints("contents", pages | {"docs/README.md": listed}), [])
        self.check("contents", pages | {"docs/README.md": listed.replace("one.md", "two.md")}, "docs/one.md 0 times")
        self.check("contents", pages | {"docs/README.md": listed + "[d](one.md)\n"}, "docs/one.md 2 times")
        self.check("contents", {"README.md": "\n" * 131}, "131 lines, more than 130")

    def test_figures(self):
        here = pathlib.Path(__file__).resolve().parents[2] / "docs/site/figures.py"
        machine = {"date": "a day", "regatta": "1.2.3", "processor": "one", "cpus": 2, "kernel": "Linux 6", "compiler": "GCC 12",
                   "warnings": [], "peers": {"oneTBB": "1"}}
        row = {"median": 2.0, "low": 1.0, "high": 3.0, "count": 7, "disturbed": False}
        table = {"title": "execute, one outside", "unit": "ns", "noise_floor": 0.1,
                 "rows": [{"name": "steady_pool"} | row, {"name": "oneTBB enqueue"} | row | {"median": 6.0, "count": 3},
                          {"name": "Boost.Asio thread_pool"} | row | {"median": 4.0, "low": 2.5}]}
        # Asio is told apart from the best by the interval of their ratio, not by its own. oneTBB's ratio is that of another row.
        ratios = {"oneTBB task_group": (0.9, 1.1), "Boost.Asio thread_pool": (0.4, 0.6)}
        compared = [{"name": f"execute, {peer}", "subject": "steady_pool", "peer": peer, "bar": None, "holds": True,
                     "ratio": {"median": 0.5, "low": low, "high": high, "count": 7}} for peer, (low, high) in ratios.items()]
        bench = {"rounds": 7, "samples": 1, "dropped": 0, "flags": "", "skipped": [], "measures": compared, "tables": [table],
                 "notes": ["execute, one outside: far apart", "elsewhere: a word"]}
        files = {"docs/site/figures.py": here.read_text(encoding="utf-8"), "docs/figures/machine.json": json.dumps(machine),
                 "docs/figures/pools.json": json.dumps(bench)}
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            (root / "README.md").write_text("<!-- made by script/docs --figures -->\n<!-- end -->\n", encoding="utf-8")
            subprocess.run([sys.executable, "-B", root / "docs/site/figures.py"], check=True)
            made = {name: (root / name).read_text(encoding="utf-8") for name in ("README.md", "docs/benchmarks.md", "docs/figures/peers.svg")}
        self.assertIn("| a task from outside | **2.00 ns** | 6.00 ns | 4.00 ns |", made["README.md"])
        self.assertIn("**Execute, one outside.** Noise floor 10.0 %. Far apart.", made["docs/benchmarks.md"])
        self.assertIn("| steady_pool | 2.00 ns | 1.00 ns … 3.00 ns |", made["docs/benchmarks.md"])
        self.assertIn("| oneTBB enqueue | 6.00 ns | – |", made["docs/benchmarks.md"])
        self.assertIn("Note: elsewhere: a word.", made["docs/benchmarks.md"])
        self.assertEqual(complaints_on_disk("figures", files | made), [])
        other = made["README.md"].replace("6.00 ns", "5.00 ns")
        for change, name in (({"README.md": other}, "README.md"), ({"docs/benchmarks.md": None}, "docs/benchmarks.md")):
            complaint, = complaints_on_disk("figures", files | made | change)
            self.assertIn(f"{name}:1: is not what", complaint)

    def test_install_lines(self):
        said = "# A\n\n## Install\n```\nmake it\n```\nor so\n\n## More\n```\nother\n```\n"
        guide = "<!-- empty root: make -->\n```sh\nmake  it\n```\n"
        files = {"README.md": said, "docs/guide/install.md": guide}
        self.assertEqual(complaints("install_lines", files), [])
        self.check("install_lines", files | {"README.md": said.replace("make it", "make all")}, "README.md:5: is no line of")

    def test_include_costs(self):
        files = {"include/regatta/pool.hpp": LICENCE, "docs/guide/compile_lines.md": "| `<regatta/pool.hpp>` | 1.00 |\n"}
        self.assertEqual(complaints("include_costs", files), [])
        self.check("include_costs", files | {"docs/guide/compile_lines.md": "\n"}, "has no row for <regatta/pool.hpp>")
        self.check("include_costs", files | {"include/regatta/pool.hpp": None}, "has a row for <regatta/pool.hpp>")


    def test_every_rule_is_a_test(self):
        listed = (pathlib.Path(__file__).parent / "CMakeLists.txt").read_text(encoding="utf-8").partition("foreach(rule IN ITEMS ")[2].partition(")")[0]
        self.assertEqual(sorted(listed.split()), sorted(structure.RULES))


if __name__ == "__main__":
    unittest.main()
