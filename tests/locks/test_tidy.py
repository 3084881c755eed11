"""tools/tidy.py finds planted violations: one row per rule, with the text of a file and the name of the rule."""
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import tidy  # noqa: E402
import tidy_cpp  # noqa: E402
import tidy_rules  # noqa: E402

CORE, PROCESS, TEST, AM = "src/core/x.cc", "src/os/process/x.cc", "src/core/x_test.cc", "src/am/x.cc"


# Some violations are concatenated from two strings. Otherwise the rule would report them in this file, too.
CAUGHT = [  # columns: path, text, rule
    (CORE, '#include "howdah/os/process/clock.h"', "layer"),
    (CORE, '#include "howdah/rpc/am_server.h"', "layer"),
    (AM, '#include "howdah/backend/local/layout.h"', "layer"),
    (CORE, '#include "../spec/keys.h"', "layer"),
    (CORE, "#include <nlohmann/json.hpp>", "third-party"),
    (CORE, "#include <unistd.h>", "third-party"),
    (AM, "#include <grpcpp/grpcpp.h>", "third-party"),
    ("src/core/CMakeLists.txt", "howdah_library(DEPS base jobspec os/process PURE)", "layer"),
    ("src/new/CMakeLists.txt", "howdah_library(DEPS base)", "layer"),
    (CORE, "auto t = std::chrono::system_clock::now();", "impure"),
    (CORE, "clock_gettime(CLOCK_MONOTONIC, &t);", "impure"),
    (CORE, "std::thread t(f);", "impure"),
    (CORE, "std::mutex m;", "impure"),
    (CORE, "#include <condition_variable>", "impure"),
    (CORE, 'const char* home = getenv("HOME");', "impure"),
    (CORE, "std::random_device r;", "impure"),
    (CORE, "spdlog::info(text);", "impure"),
    (CORE, "#include <iostream>", "impure"),
    (CORE, "#include <fstream>", "impure"),
    (CORE, "boost::asio::io_context c;", "impure"),
    (CORE, "std::filesystem::exists(p);", "impure"),
    (AM, "const auto begin = std::chrono::steady_clock::now();", "clock"),
    (AM, "using Clock = std::chrono::steady_clock;\nconst auto begin = Clock::now();", "clock"),
    ("src/executor/x.cc", "const os::process::Clock clock;", "clock"),
    ("src/executor/x.h", "  os::process::Clock clock_;", "clock"),
    ("src/backend/yarn/am/x.cc", "const Instant now = os::process::Clock().Now();", "clock"),
    ("src/backend/local/x.cc", "if (std::time(nullptr) < begin) return;", "clock"),
    (PROCESS, "getaddrinfo(name, 0, 0, &list);", "static"),
    (AM, "passwd* p = getpwuid(getuid());", "static"),
    (AM, "hostent* h = gethostbyname(name);", "static"),
    ("src/cli/x.cc", "passwd* p = getpwuid(getuid());", "static"),
    ("apps/howdah-agent/main.cc", "void* l = dlopen(path, 0);", "static"),
    (AM, "co_await read;", "coroutine"),
    ("apps/howdah/main.cc", "co_return 1;", "coroutine"),
    (AM, "// TO" + "DO: later", "todo"),
    (AM, "// FIX" + "ME", "todo"),
    ("docs/guide.md", "TO" + "DO", "todo"),
    (AM, "using namespace std;", "using-std"),
    (TEST, "std::this_thread::sleep" + "_for(1s);", "sleep"),
    ("tests/local/test_x.py", "time.sl" + "eep(1)", "sleep"),
    ("src/rpc/x_test.cc", "address.sin_port = htons" + "(8080);", "fixed-port"),
    ("tests/local/test_x.py", "s.bind(('127.0.0.1'," + " 8080))", "fixed-port"),
    ("docs/guide.md", "run /work/" + "main/dev", "machine-path"),
    ("tools/x.sh", "curl http" + "s://registry.corp.test/simple", "url-host"),
    ("src/core/x.h", "int f();", "pragma-once"),
    (AM, "x" * 121, "long-line"),
    (AM, "// int count = 5;", "dead-code"),
    (AM, "  // loop.Post(action);", "dead-code"),
    ("tools/x.py", "# import os", "dead-code"),
]

PASSES = [
    (CORE, '#include "howdah/jobspec/job_spec.h"'),
    (CORE, '#include "gang.h"'),
    (CORE, 'const char* kText = "getenv(HOME)";'),
    (CORE, "#include <chrono>\n// The clock::now() of the caller is an argument."),
    (TEST, "#include <gtest/gtest.h>"),
    (TEST, "std::mutex m;"),
    (PROCESS, "auto t = std::chrono::steady_clock::now();"),
    ("src/executor/x.cc", "  const os::process::Clock& clock_;"),
    ("src/am/x_test.cc", "os::process::Clock clock;"),
    (PROCESS, "#include <sys/wait.h>"),
    ("apps/howdah/main.cc", '#include "howdah/backend/local/local.h"'),
    (AM, "// Waits until the gang is whole; then everything starts."),
    (AM, "// Status s = ...: what a caller writes"),
    (AM, "x" * 120),
    ("src/core/x.h", "#pragma once\nint f();"),
    ("tests/local/test_x.py", "s.bind(('127.0.0.1', 0))"),
]


@pytest.mark.parametrize("path,text,rule", CAUGHT, ids=lambda value: str(value)[:30])
def test_a_planted_violation_is_found(path, text, rule):
    assert rule in {finding.rule for finding in tidy.check_text(path, text + "\n")}


@pytest.mark.parametrize("row", range(len(tidy_rules.BANNED)))
def test_every_row_of_banned_has_a_violation_that_only_this_row_finds(row, monkeypatch):
    rule, rows = tidy_rules.BANNED[row][0], tidy_rules.BANNED
    monkeypatch.setattr(tidy_rules, "BANNED", rows[:row] + rows[row + 1:])
    missed = [text for path, text, planted in CAUGHT if planted == rule
              and rule not in {finding.rule for finding in tidy.check_text(path, text + "\n")}]
    assert missed, f"CAUGHT has no violation of BANNED[{row}]: {rows[row]}"


@pytest.mark.parametrize("library,line,caught", [
    ("core", "howdah_library(DEPS base jobspec core/policy PURE)", False),
    ("core", "howdah_library(DEPS base jobspec core/policy)", True),
    ("am", "howdah_library(DEPS base jobspec core)", False),
    ("am", "howdah_library(DEPS base jobspec core PURE)", True),
])
def test_a_library_is_pure_exactly_if_the_layer_table_lists_it(library, line, caught):
    texts = [finding.text for finding in tidy.check_text(f"src/{library}/CMakeLists.txt", line + "\n")]
    assert texts == ([f"{library}: PURE here and in the layer table differ"] if caught else [])


INCLUDES = {"nlohmann/json.hpp": "nlohmann", "yaml.h": "libyaml", "re2/re2.h": "re2", "boost/asio.hpp": "boost",
            "grpcpp/grpcpp.h": "grpc", "grpc/grpc.h": "grpc", "google/protobuf/message.h": "protobuf",
            "openssl/ssl.h": "openssl", "ares.h": "ares", "pugixml.hpp": "pugixml", "zlib.h": "zlib",
            "archive.h": "archive", "CLI/CLI.hpp": "cli11", "krb5.h": "krb5",
            "gssapi/gssapi.h": "krb5", "profile.h": "krb5", "com_err.h": "krb5", "sqlite3.h": "sqlite",
            "absl/strings/str_cat.h": "absl",
            "gtest/gtest.h": "test", "gmock/gmock.h": "test", "benchmark/benchmark.h": "test",
            "unistd.h": tidy_rules.POSIX, "sys/wait.h": tidy_rules.POSIX, "vector": None}


def test_every_third_party_header_is_recognised():
    assert {header: tidy.third_party_of(header) for header in INCLUDES} == INCLUDES
    unplanted = [prefix for prefix, _ in tidy_rules.THIRD_PARTY if not any(h.startswith(prefix) for h in INCLUDES)]
    assert unplanted == []


@pytest.mark.parametrize("path,text", PASSES, ids=lambda value: str(value)[:30])
def test_correct_code_passes(path, text):
    assert [f for f in tidy.check_text(path, text + "\n")] == []


def test_a_finding_names_file_line_and_what_to_do():
    (finding,) = tidy.check_text(AM, '\n#include "howdah/backend/local/layout.h"\n')
    assert (finding.path, finding.line) == (AM, 2)
    assert finding.text.startswith("am may not use backend/local; it may use: am/loop, backend, base, core")


def function_of(lines):
    return "namespace a {\nint Long(int x) {\n" + "  x += 1;\n" * (lines - 3) + "  return x;\n}\n}  // namespace a\n"


def test_functions_are_found_with_their_length():
    text = function_of(71) + "class C {\n  int f() const { return 1; }\n};\nTEST(Suite, Case) {\n  if (a) {\n  }\n}\n"
    assert tidy_cpp.functions(text) == [("Long", 2, 71), ("f", 75, 1), ("TEST(Suite, Case)", 77, 4)]


def test_braces_in_text_and_initializers_are_not_functions():
    text = 'const char* kText = R"({ { {)";\nint kList[] = {1, 2};\nchar c = \'{\';  // {\nvoid F() { call({1}); }\n'
    assert tidy_cpp.functions(text) == [("F", 4, 1)]


@pytest.mark.parametrize("lines,known,rules", [
    (70, None, set()),
    (71, None, {"long-function"}),
    (71, 71, set()),
    (72, 71, {"long-function"}),
    (71, 75, {"ratchet"}),
    (40, 75, {"ratchet"}),
])
def test_the_ratchet_only_shrinks(lines, known, rules):
    ratchet = {"src/am/x.cc:Long": {"size": known, "reason": "a test"}} if known else {}
    findings = tidy.check_sizes(tidy.sizes_of(AM, function_of(lines)), ratchet)
    assert {finding.rule for finding in findings} == rules


def test_long_files_are_found():
    findings = list(tidy.check_sizes(tidy.sizes_of(AM, "int a;\n" * 601), {}))
    assert [(f.rule, f.text) for f in findings] == [("long-file", "src/am/x.cc has 601 lines, 600 are allowed")]


def test_files_that_no_target_compiles_are_found(tmp_path):
    (tmp_path / "a.cc").write_text("")
    (tmp_path / "b.cc").write_text("")
    commands = tmp_path / "compile_commands.json"
    commands.write_text('[{"directory": "%s", "file": "%s/a.cc", "command": "c++"}]' % (tmp_path, tmp_path))
    found = list(tidy.check_compiled(tmp_path, ["a.cc", "b.cc"], commands))
    assert [(f.path, f.rule) for f in found] == [("b.cc", "never-compiled")]


def test_files_of_a_unity_build_count_as_compiled(tmp_path):
    (tmp_path / "Unity").mkdir()
    for name in ("a.cc", "b.cc", "c.cc"):
        (tmp_path / name).write_text("")
    (tmp_path / "Unity/unity_0.cxx").write_text(f'#include "{tmp_path}/a.cc"\n// b.cc\n#include "{tmp_path}/c.cc"\n')
    commands = tmp_path / "compile_commands.json"
    commands.write_text('[{"directory": "/", "file": "%s/Unity/unity_0.cxx", "command": "c++"}]' % tmp_path)
    found = list(tidy.check_compiled(tmp_path, ["a.cc", "b.cc", "c.cc"], commands))
    assert [(f.path, f.rule) for f in found] == [("b.cc", "never-compiled")]


def test_dev_check_finds_a_file_that_is_not_formatted(tmp_path):
    shutil.copy(ROOT / "dev", tmp_path)
    shutil.copy(ROOT / ".clang-format", tmp_path)
    shutil.copytree(ROOT / "tools/dev", tmp_path / "tools/dev")
    (tmp_path / "a.cc").write_text("int  f( ) {return 1;}\n")
    for command in (["git", "init", "-q"], ["git", "add", "a.cc"]):
        subprocess.run(command, cwd=tmp_path, check=True)
    check = subprocess.run(["./dev", "check"], cwd=tmp_path, capture_output=True, text=True)
    assert check.returncode != 0 and "not formatted; run ./dev fmt" in check.stderr, check
    assert "a.cc:1:" in check.stderr, check
    subprocess.run(["./dev", "fmt"], cwd=tmp_path, check=True)
    assert (tmp_path / "a.cc").read_text() == "int f() { return 1; }\n"


def test_unused_exceptions_are_found(monkeypatch):
    monkeypatch.setattr(tidy_rules, "EXCEPTIONS", {("a.cc", "sleep"): "why", ("b.cc", "sleep"): "why"})
    found = tidy.apply_exceptions([tidy.Finding("a.cc", 1, "sleep", "x"), tidy.Finding("c.cc", 1, "sleep", "x")])
    assert [(f.path, f.rule) for f in found] == [("c.cc", "sleep"), ("b.cc", "exception")]


def test_the_layer_table_points_downwards_only():
    order = list(tidy_rules.LAYERS)
    for name, (layers, _) in tidy_rules.LAYERS.items():
        for used in layers - {"wire", "hadoop/messages"}:  # generated from .proto files
            assert order.index(used) < order.index(name), f"{name} uses {used}, which stands above it"
        assert name not in tidy_rules.PURE or layers <= tidy_rules.PURE, f"{name} is pure and uses what is not"
        assert "backend/local" not in layers, f"{name}: only apps/ names a concrete backend"
