"""Planted violations are found by the checks of classes, namespaces, the two halves of the YARN backend, and the layer
table."""
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import tidy  # noqa: E402
import tidy_cpp  # noqa: E402
import tidy_rules  # noqa: E402
import tidy_structure  # noqa: E402

HEADER = "src/core/x.h"


def class_of(methods, fields, keyword="class"):
    lines = [f"  int Method{i}(const std::map<int, int>& arguments) const;" for i in range(methods)]
    lines += [f"  std::function<void(int)> field{i}_ = [] {{}};" for i in range(fields)]
    return "\n".join([f"{keyword} Planted final {{", " public:", "  Planted();", "  ~Planted();",
                      "  Planted(const Planted&) = delete;", "  bool operator==(const Planted&) const = default;",
                      "  enum class Kind { kOne, kTwo };", "  struct Nested {", "    int a = 0;", "  };", *lines,
                      "};", ""])


@pytest.mark.parametrize("methods,fields", [(0, 0), (3, 2), (26, 16)])
def test_methods_and_fields_are_counted(methods, fields):
    found = {c.name: c for c in tidy_cpp.classes(class_of(methods, fields))}
    assert (found["Planted"].methods, found["Planted"].fields) == (methods, fields)
    assert (found["Nested"].methods, found["Nested"].fields) == (0, 1)


def test_types_and_initializers_are_not_members():
    text = """class A : public B {
 public:
  A(int a, int b) : a_(a), b_{b} {
    if (a) { Call(); }
  }
  int a() const { return a_; }
  template <typename T>
  std::optional<T> Get(T fallback = {}) const;
  static Result<A> Read(const std::string& path);
  using Handler = std::function<void()>;
  friend class C;
  static constexpr int kMost = 3;

 private:
  int a_ = 0, b_{1};
  std::vector<int> list_{1, 2};
  const std::string& name_;
};
"""
    (found,) = tidy_cpp.classes(text)
    assert found == tidy_cpp.Class("A", 1, 3, 3)


@pytest.mark.parametrize("methods,fields,keyword,texts", [
    (25, 15, "class", []),
    (26, 0, "class", ["Planted has 26 methods, 25 are allowed"]),
    (4, 16, "class", ["Planted has 16 fields, 15 are allowed"]),
    (26, 16, "struct", ["Planted has 16 fields, 15 are allowed", "Planted has 26 methods, 25 are allowed"]),
    (0, 40, "struct", []),  # a struct without methods may have any number of fields
])
def test_large_classes_are_found(methods, fields, keyword, texts):
    findings = list(tidy.check_sizes(tidy.sizes_of(HEADER, class_of(methods, fields, keyword)), {}))
    assert sorted(f.text for f in findings) == texts
    assert all(f.rule == "large-class" for f in findings)


@pytest.mark.parametrize("size,reason,rules", [
    (26, "its protocol has so many messages", set()),
    (27, "its protocol has so many messages", {"ratchet"}),
    (26, "", {"ratchet"}),
])
def test_a_large_class_needs_a_reason_and_may_only_shrink(size, reason, rules):
    ratchet = {f"{HEADER}:Planted's methods": {"size": size, "reason": reason}}
    findings = tidy.check_sizes(tidy.sizes_of(HEADER, class_of(26, 0)), ratchet)
    assert {f.rule for f in findings} == rules


METHOD = "namespace howdah::core {\nvoid Planted::%s() {}\n}  // namespace howdah::core\n"


def test_a_class_in_two_files_is_found():
    texts = {"src/core/a.cc": METHOD % "One", "src/core/b.cc": METHOD % "Two", "src/am/a.cc": METHOD % "Three"}
    (finding,) = tidy.check_sizes(tidy_structure.class_files(texts), {})
    assert (finding.path, finding.line, finding.rule) == ("src/core/b.cc", 2, "split-class")
    assert finding.text == "Planted has 2 files with its methods, 1 are allowed"


HIDDEN = "namespace howdah::core {\nnamespace {\n\n%s\n}  // namespace\n}  // namespace howdah::core\n"


@pytest.mark.parametrize("one,two,name", [
    ("constexpr int kMost = 3;", "constexpr Duration kMost = 3s;", "kMost"),
    ("struct Row {\n  int a;\n};", "class Row {};", "Row"),
    ("int Sum(int a, int b) { return a + b; }", "int Sum(int first, int second) { return second; }", "Sum(int, int)"),
    ("int Sum(int a) { return a; }", "int Sum(double a) { return 1; }", None),
    ("using core::Task;", "using core::Task;", None),
    ("int Sum(int a) { return a; }", "int Other(int a) { return a; }", None),
])
def test_the_same_name_in_the_anonymous_namespaces_of_two_files_is_found(one, two, name):
    findings = list(tidy_structure.check_tree({"src/core/a.cc": HIDDEN % one, "src/core/b.cc": HIDDEN % two}))
    assert [f.text.split(" is also")[0] for f in findings] == ([name] if name else [])
    assert all(f.rule == "same-name" and f.line == 4 for f in findings)


@pytest.mark.parametrize("path,text,caught", [
    ("src/core/x.cc", "namespace howdah::core {\n}\n", False),
    ("src/core/x_test.cc", "namespace howdah::core::testing {\n}\n", False),
    ("src/base/x.cc", "namespace howdah {\n}\n", False),
    ("src/hadoop/yarn/include/howdah/hadoop/yarn/x.h", "#pragma once\nnamespace howdah::hadoop::yarn {\n}\n", False),
    ("src/am/x.cc", "namespace howdah::wire {\nclass Frame;\n}  // namespace howdah::wire\n", False),
    ("src/core/x.cc", "namespace howdah::am {\nint F();\n}\n", True),
    ("src/hadoop/yarn/x.cc", "namespace howdah::yarn {\nint F();\n}\n", True),
])
def test_a_namespace_other_than_the_folder_is_found(path, text, caught):
    assert ("namespace" in {f.rule for f in tidy.check_text(path, text)}) == caught


@pytest.mark.parametrize("path,include,caught", [
    ("src/backend/yarn/client/x.cc", "../am/y.h", True),
    ("src/backend/yarn/am/x.cc", "client/y.h", True),
    ("src/backend/yarn/am/x.cc", "am/y.h", False),
    ("src/backend/yarn/client/x.cc", "layout.h", False),
    ("src/backend/yarn/x.cc", "client/y.h", False),
])
def test_the_halves_of_the_yarn_backend_do_not_include_each_other(path, include, caught):
    assert ("half" in {f.rule for f in tidy.check_text(path, f'#include "{include}"\n')}) == caught


def test_an_outdated_layer_table_is_found():
    good = f"# A\n{tidy_structure.BEGIN}\n{tidy_structure.layer_table()}\n{tidy_structure.END}\n"
    assert list(tidy_structure.check_layer_table("ARCHITECTURE.md", good)) == []
    bad = good.replace("| `src/base` | the standard library |", "| `src/base` | `rpc` |")
    assert bad != good
    (finding,) = tidy_structure.check_layer_table("ARCHITECTURE.md", bad)
    assert (finding.line, finding.rule) == (2, "layer-table")
    assert tidy_structure.with_layer_table(bad) == good
    (finding,) = tidy_structure.check_layer_table("ARCHITECTURE.md", "# A\n")
    assert "markers of the layer table are missing" in finding.text


RECORD = """struct Ledger {
  int charged = 0, free{0};
  std::vector<int> sizes;
  static constexpr int kMost = 5;
  int Total() const { return charged + free; }
};
class Task {
  int hidden_ = 0;
};
"""


def test_fields_of_records_are_found():
    assert list(tidy_cpp.record_fields(RECORD)) == [("Ledger", "charged"), ("Ledger", "free"), ("Ledger", "sizes")]


WRITES = ["++task.ledger.charged;", "task->ledger.charged = 1;", "unit_.task().ledger.charged += 2;",
          "other.charged--;"]
NO_WRITES = ["if (task.ledger.charged == 1) return;", "return task.charged;", "Ledger built;\n  built.charged = 1;"]


def core_of(*bodies):
    return {"src/core/task.h": RECORD} | {f"src/core/unit{i}.cc": f"void F() {{\n  {body}\n}}\n"
                                          for i, body in enumerate(bodies)}


@pytest.mark.parametrize("write", WRITES + ["task.ledger.sizes.push_back(1);"])
def test_a_field_of_the_core_that_three_units_write_is_found(write):
    assert list(tidy_structure.check_tree(core_of(write, write))) == []
    (finding,) = tidy_structure.check_tree(core_of(write, write, write))
    assert (finding.path, finding.line, finding.rule) == ("src/core/unit2.cc", 2, "core-field")
    assert "is written by 3 units (unit0, unit1, unit2), 2 are allowed" in finding.text


@pytest.mark.parametrize("read", NO_WRITES)
def test_reads_and_values_under_construction_do_not_count(read):
    assert list(tidy_structure.check_tree(core_of(WRITES[0], WRITES[0], read))) == []


def test_a_library_without_a_row_in_the_layer_table_is_found(monkeypatch):
    first, *others = tidy_rules.LAYER_GROUPS
    monkeypatch.setattr(tidy_rules, "LAYER_GROUPS", [(first[0], first[1][1:]), *others])
    text = f"{tidy_structure.BEGIN}\n{tidy_structure.layer_table()}\n{tidy_structure.END}\n"
    (finding,) = tidy_structure.check_layer_table("ARCHITECTURE.md", text)
    assert (finding.path, finding.text) == ("tools/tidy_rules.py", "LAYER_GROUPS and LAYERS name different libraries")
