"""The build rules: code that uses an undeclared layer neither compiles nor links, and impure code in the library of a
pure layer is reported.

The tests compile single planted files, not the project, with the command lines that the real CMake files generate."""
import json
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_pure_symbols  # noqa: E402
import tidy_rules  # noqa: E402


def compiler_of(configured, library):
    """The compiler's command line for a file of the library, split at `-o FILE`: the words after it, and the words
    before it."""
    folder = str(ROOT / "src" / library) + "/"
    for entry in json.loads((configured / "compile_commands.json").read_text()):
        name = entry["file"]
        own = name.startswith(folder) and "/" not in name[len(folder):]
        if own and not re.search(r"_(test|bench|fuzz)\.cc$", name):
            words = shlex.split(entry["command"])
            return [w for w in words[words.index("-o") + 2:] if w not in ("-c", name)], words[:words.index("-o")]
    raise AssertionError(f"no file of {library} is compiled")


def compile_in(configured, library, text, tmp_path):
    source = tmp_path / "planted.cc"
    source.write_text(text)
    after, before = compiler_of(configured, library)
    before = [w for w in before if not w.endswith("ccache")]
    command = [*before, *after, "-E", "-x", "c++", str(source)]
    return subprocess.run(command, cwd=configured, capture_output=True, text=True)


def headers():
    """One public header of each library."""
    for library in tidy_rules.LAYERS:
        found = sorted((ROOT / "src" / library / "include/howdah" / library).glob("*.h"))
        if found:
            yield library, f"howdah/{library}/{found[0].name}"


COMPILED = [library for library in tidy_rules.LAYERS if any((ROOT / "src" / library).glob("*.cc"))]


@pytest.mark.long
@pytest.mark.parametrize("library", COMPILED)
def test_a_library_sees_only_the_headers_of_its_layers(configured, library, tmp_path):
    text = "".join(f'#if __has_include("{header}")\nsees {other}\n#endif\n' for other, header in headers())
    result = compile_in(configured, library, text, tmp_path)
    assert result.returncode == 0, result.stderr
    seen = set(re.findall(r"^sees ([\w/]+)$", result.stdout, re.MULTILINE))
    assert seen <= tidy_rules.LAYERS[library][0] | {library}


@pytest.mark.long
def test_an_include_of_an_undeclared_layer_does_not_compile(configured, tmp_path):
    result = compile_in(configured, "core", '#include "howdah/rpc/am_server.h"\n', tmp_path)
    assert result.returncode != 0
    assert re.search("howdah/rpc/am_server.h(: No such file or directory|' file not found)", result.stderr)


LINK_PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(planted LANGUAGES CXX)
include({root}/cmake/Precompiled.cmake)
include({root}/cmake/HowdahLibrary.cmake)
add_subdirectory(src/low)
add_subdirectory(src/high)
"""


def build_shared(tmp_path, deps):
    """Builds two shared libraries; `high` calls a function of `low`."""
    for name, text, arguments in (("low", "int Low() { return 1; }\n", ""),
                                  ("high", "int Low();\nint High() { return Low(); }\n", deps)):
        folder = tmp_path / "src" / name
        folder.mkdir(parents=True)
        (folder / "x.cc").write_text(text)
        (folder / "CMakeLists.txt").write_text(f"howdah_library({name} {arguments})\n")
    (tmp_path / "CMakeLists.txt").write_text(LINK_PROJECT.format(root=ROOT))
    configure = ["cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja", "-DBUILD_SHARED_LIBS=ON"]
    subprocess.run(configure, check=True, capture_output=True)
    return subprocess.run(["ninja", "-C", tmp_path / "build"], capture_output=True, text=True)


def test_a_symbol_of_an_undeclared_layer_does_not_link(tmp_path):
    result = build_shared(tmp_path, "")
    assert result.returncode != 0
    assert re.search(r"undefined (reference|symbol).*Low", result.stdout)


def test_a_symbol_of_a_declared_layer_links(tmp_path):
    assert build_shared(tmp_path, "DEPS low").returncode == 0


@pytest.mark.long
def test_every_layer_of_the_debug_build_is_linked_strictly(configured):
    text = (configured / "build.ninja").read_text()
    links = dict(re.findall(r"^build \S*libhowdah_(\w+)\.so: CXX_SHARED(.*?)\n\n", text, re.MULTILINE | re.DOTALL))
    assert {"base", "core"} <= set(links)
    libraries = {library.replace("/", "_") for library in tidy_rules.LAYERS}
    assert len(set(links) & libraries) > 20
    for name in set(links) & libraries:
        assert "-Wl,-z,defs" in links[name], f"{name} may leave symbols open"


IMPURE = [
    ("#include <chrono>\nauto F() { return std::chrono::system_clock::now(); }", "reads a clock"),
    ("#include <ctime>\nint F() { timespec t; return clock_gettime(CLOCK_MONOTONIC, &t); }", "reads a clock"),
    ("#include <cstdlib>\nchar* F() { return getenv(\"HOME\"); }", "asks about the process"),
    ("#include <random>\nunsigned F() { return std::random_device()(); }", "is random"),
    ("#include <sys/socket.h>\nint F() { return socket(AF_INET, SOCK_STREAM, 0); }", "uses the network"),
    ("#include <fcntl.h>\nint F() { return open(\"/x\", O_RDONLY); }", "touches files"),
    ("#define _FORTIFY_SOURCE 2\n#include <unistd.h>\n"
     "long F(unsigned long n) { char b[9]; return read(0, b, n); }", "touches files"),
    ("#include <thread>\nvoid F() { std::thread([] {}).join(); }", "is for threads"),
    ("#include <iostream>\nvoid F() { std::cout << 1; }", "writes a log"),
]


def archive_of(tmp_path, text):
    (tmp_path / "x.cc").write_text(text)
    subprocess.run(["g++", "-std=c++20", "-O2", "-c", "x.cc"], cwd=tmp_path, check=True)
    subprocess.run(["ar", "rcs", "libplanted.a", "x.o"], cwd=tmp_path, check=True)
    return str(tmp_path / "libplanted.a")


@pytest.mark.parametrize("text,what", IMPURE, ids=[what for _, what in IMPURE])
def test_an_impure_symbol_in_a_pure_archive_is_found(tmp_path, text, what):
    found = list(check_pure_symbols.findings(archive_of(tmp_path, text)))
    assert any(what in line and line.startswith("libplanted.a(x.o): ") for line in found), found


def test_pure_code_has_no_impure_symbol(tmp_path):
    text = "#include <memory>\n#include <random>\n#include <sstream>\n#include <string>\n" \
           "std::string F(unsigned seed) {\n  auto r = std::make_shared<std::mt19937>(seed);\n" \
           "  std::ostringstream s;\n  s << (*r)();\n  return s.str();\n}\n"
    assert list(check_pure_symbols.findings(archive_of(tmp_path, text))) == []
