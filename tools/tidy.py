#!/usr/bin/env python3
"""tidy.py [--root DIR] [--compile-commands FILE] [--words] [--shrink] [--layers] - checks the house rules.

Prints FILE:LINE: RULE: TEXT for each finding and exits with 1 if there is one. The rules are in tidy_rules.py. --words
lists all findings about language in comments, documents, test names and the subjects of commits. Without --words, only
files with more findings than tidy_words.json allows are reported.
tidy_ratchet.json lists functions, files and classes above the limits, with their size and the reason. They may only
shrink; --shrink records the smaller sizes. --layers writes the layer table into ARCHITECTURE.md.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
from collections import Counter, namedtuple

import tidy_cpp
import tidy_rules as rules
import tidy_structure
import tidy_words

Finding = namedtuple("Finding", "path line rule text")

CODE = {".cc", ".h", ".py", ".sh", ".cmake", ".proto", ".ts", ".tsx", ".mjs", ".css"}
SCRIPTS = {"dev", ".ci/run", "tools/apt-install", "tools/ml-env", "tools/hadoop-env"}


def tracked_files(root):
    """Files that git tracks or would add, as paths relative to root; all files if there is no git repository."""
    if (root / ".git").exists():
        listing = ["git", "ls-files", "-co", "--exclude-standard"]
        names = subprocess.run(listing, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    else:
        names = [str(p.relative_to(root)) for p in root.rglob("*")]
    return sorted(n for n in names if (root / n).is_file())


def library_of(path):
    """The library that contains a file, or None for applications, tests of the programs and tools."""
    if not path.startswith("src/") or path.startswith(rules.PROGRAMS):
        return None
    folder = path.removeprefix("src/").partition("/include/")[0] if "/include/" in path else path[4:].rpartition("/")[0]
    while folder and folder not in rules.LAYERS:  # for example a folder of test data
        folder = folder.rpartition("/")[0]
    return folder or None


def is_test(path):
    """Whether a file is a test, a benchmark, or a header that only tests and benchmarks include."""
    name = r"(_test\.cc|_bench\.cc|_fuzz\.cc|_fixture\.h|/testing\.h|/test_\w+\.h)$"
    return path.startswith("tests/") or re.search(name, path) is not None


def kinds_of(path):
    """The groups of banned words that are checked in a file."""
    kinds = {"any"}
    library = library_of(path)
    is_cpp = path.endswith((".cc", ".h"))
    if is_cpp:
        kinds.add("code")
    if is_test(path):
        kinds.add("test")
    elif is_cpp:
        if library in rules.PURE:
            kinds.add("pure")
        if path.startswith(("src/", "apps/")):
            kinds.add("program")
        if path.startswith(rules.ONE_CLOCK):
            kinds.add("one-clock")
    return kinds


def check_words(path, text):
    kinds = kinds_of(path)
    plain = tidy_cpp.without_comments_and_strings(text) if "code" in kinds else text
    for rule, kind, pattern, instead in rules.BANNED:
        if kind not in kinds:
            continue
        lines = text if kind == "any" else plain
        for number, line in enumerate(lines.splitlines(), 1):
            match = re.search(pattern, line)
            if match:
                yield Finding(path, number, rule, f"`{match.group(0).strip()}` {instead}")
    for number, line in enumerate(text.splitlines(), 1):
        for host in re.findall(r"https?://([A-Za-z0-9.-]*[A-Za-z0-9])", line):
            if host not in rules.URL_HOSTS:
                yield Finding(path, number, "url-host", f"{host} is not a host a tracked file may name (URL_HOSTS)")


def third_party_of(header):
    for prefix, name in rules.THIRD_PARTY:
        if header.startswith(prefix):
            return name
    return rules.POSIX if header.endswith(".h") else None  # <vector>, <cstdint>: the language itself


def may_not_use(library, other):
    return f"{library} may not use {other}; it may use: {', '.join(sorted(rules.LAYERS[library][0])) or 'nothing'}"


def check_includes(path, text):
    library = library_of(path)
    if library is None or not path.endswith((".cc", ".h")):
        return
    layers, third_party = rules.LAYERS[library]
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        ours = re.match(r"howdah/([\w/]+)/", match.group(2))
        if ours:
            if ours.group(1) != library and ours.group(1) not in layers:
                yield Finding(path, number, "layer", may_not_use(library, ours.group(1)))
        elif match.group(1) == "<":
            used = third_party_of(match.group(2))
            allowed = third_party | ({"test", rules.POSIX} if is_test(path) else set())
            if used is not None and used not in allowed:
                yield Finding(path, number, "third-party", f"{library} may not include <{match.group(2)}> ({used})")
        elif "/" in match.group(2):
            yield Finding(path, number, "layer", f'"{match.group(2)}" reaches into another folder')


def check_deps(path, text):
    """Compares DEPS of a CMakeLists.txt with the layer table."""
    for match in re.finditer(r"howdah_library\(([^)]*)\)", text) if path.endswith("/CMakeLists.txt") else ():
        name, rest = path.removeprefix("src/").removesuffix("/CMakeLists.txt"), match.group(1)
        number = text.count("\n", 0, match.start()) + 1
        if name not in rules.LAYERS:
            yield Finding(path, number, "layer", f"library {name} is not in the layer table (tools/tidy_rules.py)")
            continue
        deps = re.search(r"\bDEPS\s+((?:[a-z_/]+\s*)*)", rest)
        for dep in deps.group(1).split() if deps else ():
            if dep not in rules.LAYERS[name][0]:
                yield Finding(path, number, "layer", may_not_use(name, dep))
        if (name in rules.PURE) != bool(re.search(r"\bPURE\b", rest)):
            yield Finding(path, number, "layer", f"{name}: PURE here and in the layer table differ")


CODE_IN_COMMENT = re.compile(
    r"^\s*(?://|#)\s*(?:(?:\w+[\w:<>*&]*\s){0,2}[\w:.\->]+\([^()]*\);|(?:[\w:<>*&.]+\s){1,3}=\s.*;|return\b[^:]*;|\}|"
    r"(?:if|for|while) \(.*\)\s*\{?|#include [<\"].*|from \w+ import \w+|import \w+|def \w+\(.*\):)$")


def check_form(path, text):
    suffix = pathlib.PurePath(path).suffix
    if path.endswith(".h") and "#pragma once" not in text:
        yield Finding(path, 1, "pragma-once", "a header starts with #pragma once")
    if suffix not in CODE and path not in SCRIPTS and not path.endswith("CMakeLists.txt"):
        return
    if path.startswith(rules.CONTRACT):
        return  # these files imitate programs of users, so our style does not apply
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > rules.LINE_LENGTH_MAX:
            yield Finding(path, number, "long-line", f"{len(line)} columns, {rules.LINE_LENGTH_MAX} are allowed")
        if suffix in (".cc", ".h", ".py") and CODE_IN_COMMENT.match(line):
            yield Finding(path, number, "dead-code", "code in a comment: delete it, git remembers")


def check_structure(path, text):
    yield from tidy_structure.check_file(path, text, library_of(path))


def check_text(path, text):
    if path.startswith(rules.FUZZED):
        return
    for check in (check_words, check_includes, check_deps, check_form, check_structure):
        yield from check(path, text)


def sizes_of(path, text):
    """The sizes that the ratchet limits: {name: (line, size)} of long functions, long files and large classes."""
    if path.endswith((".cc", ".h")):
        functions = tidy_cpp.functions(text)
    elif path.endswith(".py"):
        functions = tidy_cpp.python_functions(text)
    else:
        return {}
    sizes = {f"{path}:{name}": (line, size) for name, line, size in functions if size > rules.FUNCTION_LINES_MAX}
    lines = text.count("\n")
    if lines > rules.FILE_LINES_MAX:
        sizes[path] = (1, lines)
    return sizes | (tidy_structure.class_sizes(path, text) if path.endswith((".cc", ".h")) else {})


def rule_of(name):
    """The rule for an entry of the ratchet: (rule, limit, unit, kind of object)."""
    path, _, part = name.partition(":")
    if part.endswith("'s methods"):
        return "large-class", rules.METHODS_MAX, "methods", part.removesuffix("'s methods")
    if part.endswith("'s fields"):
        return "large-class", rules.FIELDS_MAX, "fields", part.removesuffix("'s fields")
    if part.endswith("'s files"):
        return "split-class", 1, "files with its methods", part.removesuffix("'s files")
    return ("long-function", rules.FUNCTION_LINES_MAX, "lines", part) if part else \
        ("long-file", rules.FILE_LINES_MAX, "lines", path)


def check_sizes(sizes, ratchet):
    for name, (line, size) in sorted(sizes.items()):
        path = name.partition(":")[0]
        rule, limit, unit, what = rule_of(name)
        known = ratchet.get(name, {}).get("size")
        if known is None:
            yield Finding(path, line, rule, f"{what} has {size} {unit}, {limit} are allowed")
        elif size > known:
            yield Finding(path, line, rule, f"{what} grew from {known} to {size} {unit}; it may only shrink")
    for name, entry in sorted(ratchet.items()):
        size = sizes.get(name, (0, 0))[1]
        if size < entry["size"]:
            text = f"{name} shrank from {entry['size']} to {size}: run tools/tidy.py --shrink"
            yield Finding(name.partition(":")[0], 1, "ratchet", text)
        if not entry.get("reason"):
            yield Finding("tools/tidy_ratchet.json", 1, "ratchet", f"{name}: no reason is given")


def compiled_files(compile_commands):
    """The source files of the build. A unity file is replaced by the files that it includes."""
    for entry in json.loads(compile_commands.read_text()):
        path = pathlib.Path(entry["file"])
        if path.parent.name == "Unity":
            yield from re.findall(r'^#include "(.+)"$', path.read_text(), re.MULTILINE)
        else:
            yield str(path.resolve())


def check_compiled(root, names, compile_commands):
    compiled = set(compiled_files(compile_commands))
    for name in names:
        elsewhere = name.endswith(("_bench.cc", "_fuzz.cc"))
        if name.endswith(".cc") and not elsewhere and str((root / name).resolve()) not in compiled:
            yield Finding(name, 1, "never-compiled", "no target of the build compiles this file")


def apply_exceptions(findings):
    """Removes the findings that EXCEPTIONS allows, and reports exceptions without a finding."""
    used = set()
    for finding in findings:
        key = (finding.path, finding.rule)
        if key in rules.EXCEPTIONS:
            used.add(key)
        else:
            yield finding
    for path, rule in sorted(set(rules.EXCEPTIONS) - used):
        yield Finding(path, 1, "exception", f"nothing here needs the exception from '{rule}' any longer: remove it")


def texts_of(root):
    """{path: text} of all text files."""
    texts = {}
    for name in tracked_files(root):
        try:
            texts[name] = (root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a binary file
    return texts


def check_language(root):
    """All findings about words."""
    findings = [f for name, text in texts_of(root).items() for f in tidy_words.check_words(name, text)]
    return findings + list(tidy_words.check_commits(root))


def more_than_known(findings, known):
    """All findings of each file that has more findings than known[path]."""
    count = Counter(finding.path for finding in findings)
    return [f for f in findings if count[f.path] > known.get(f.path, 0)]


def check_tree(root, compile_commands=None, shrink=False):
    texts = texts_of(root)
    findings, sizes = [], {}
    for name, text in texts.items():
        findings += check_text(name, text)
        sizes.update(sizes_of(name, text))
    findings += tidy_structure.check_tree(texts)
    sizes.update(tidy_structure.class_files(texts))
    ratchet_path = root / "tools/tidy_ratchet.json"
    ratchet = json.loads(ratchet_path.read_text()) if ratchet_path.exists() else {}
    if shrink:
        ratchet = {name: entry | {"size": min(entry["size"], sizes[name][1])}
                   for name, entry in ratchet.items() if name in sizes}
        ratchet_path.write_text(json.dumps(ratchet, indent=1, sort_keys=True) + "\n")
    findings += check_sizes(sizes, ratchet)
    findings += check_words_of_tree(root, shrink)
    if compile_commands:
        findings += check_compiled(root, list(texts), compile_commands)
    return list(apply_exceptions(findings))


def check_words_of_tree(root, shrink):
    """The word findings of each file that has more of them than tidy_words.json allows for it. The allowed numbers may
    only shrink."""
    path = root / "tools/tidy_words.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    findings = check_language(root)
    if shrink:
        count = Counter(finding.path for finding in findings)
        known = {name: min(number, count[name]) for name, number in known.items() if count[name]}
        path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    return more_than_known(findings, known)


def write_layers(root):
    path = root / "ARCHITECTURE.md"
    text = tidy_structure.with_layer_table(path.read_text())
    if text is None:
        sys.exit(f"{path} lacks the markers {tidy_structure.BEGIN} and {tidy_structure.END}")
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--compile-commands", type=pathlib.Path)
    parser.add_argument("--words", action="store_true", help="list all findings about language")
    parser.add_argument("--shrink", action="store_true", help="write smaller sizes into the ratchet")
    parser.add_argument("--layers", action="store_true", help="write the layer table into ARCHITECTURE.md")
    arguments = parser.parse_args()
    if arguments.layers:
        write_layers(arguments.root)
        return 0
    if arguments.words:
        findings = check_language(arguments.root)
    else:
        findings = check_tree(arguments.root, arguments.compile_commands, arguments.shrink)
    for finding in findings:
        print(f"{finding.path}:{finding.line}: {finding.rule}: {finding.text}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
