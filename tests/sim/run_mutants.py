#!/usr/bin/env python3
"""Plants bugs one at a time, and shows after how many seeds a simulator finds each.

`job`: bugs in the job core, in the AM's loop and in the journal's ledger, listed in mutants.toml. `feed`: bugs in the
ledger of feeds, listed in feed_mutants.toml. `autoscale`: bugs in the autoscaler, listed in autoscale_mutants.toml. A
bug is a piece of text in the source, and its replacement. Exits 1 if
the simulator does not find a bug, or if the text to replace is no longer in the source.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Suite(typing.NamedTuple):
    """The bugs of one simulator, and the sources from which it is built."""
    folder: str                # of the sources that `file` of a bug is relative to, unless it names a folder
    mutants: str
    kept_seeds: str
    libraries: tuple
    includes: tuple
    extra_sources: tuple = ()
    link: tuple = ()  # third-party libraries

    def compiler(self):
        return ["g++", "-std=c++20", "-O1", "-w", "-c"] + [f"-I{ROOT / i}" for i in self.includes]

    def sources(self):
        yield from (ROOT / source for source in self.extra_sources)
        for library in self.libraries:
            for source in sorted((ROOT / library).glob("*.cc")):
                if not source.name.endswith(("_test.cc", "_bench.cc", "_fuzz.cc")):
                    yield source

    def headers(self):
        return [h for include in self.includes for h in (ROOT / include).rglob("*.h")]


SUITES = {
    "job": Suite(
        "src/core", "mutants.toml", "seeds.txt",
        ("src/base", "src/core/policy", "src/core", "src/am/loop", "src/journal", "src/testing/sim",
         "src/testing/sim/runner"),
        ("src/base/include", "src/keyfile/include", "src/jobspec/include", "src/core/policy/include",
         "src/core/include", "src/am/loop/include", "src/journal/include", "src/testing/sim/include", "src/core",
         "src/journal",
         "src/testing/sim"),
        # The names of frameworks and keys, which the core writes into the journal.
        ("src/jobspec/words.cc", "src/jobspec/setting.cc")),
    "feed": Suite(
        "src/feed", "feed_mutants.toml", "feed_seeds.txt",
        ("src/base", "src/feed", "src/testing/feed_sim", "src/testing/feed_sim/runner"),
        ("src/base/include", "src/feed/include", "src/testing/sim/include", "src/testing/feed_sim/include", "src/feed",
         "src/testing/feed_sim"),
        ("src/testing/sim/seed_runner.cc",)),
    "autoscale": Suite(
        "src/autoscale", "autoscale_mutants.toml", "autoscale_seeds.txt",
        ("src/base", "src/keyfile", "src/admission", "src/autoscale", "src/testing/autoscale_sim",
         "src/testing/autoscale_sim/runner"),
        ("src/base/include", "src/keyfile/include", "src/admission/include", "src/autoscale/include",
         "src/testing/sim/include", "src/testing/autoscale_sim/include", "src/autoscale", "src/testing/autoscale_sim"),
        ("src/testing/sim/seed_runner.cc",), ("-lyaml", "-lre2", "-lpugixml")),
}
LINK = ["g++"] + (["-fuse-ld=mold"] if shutil.which("mold") else [])
FINDING = re.compile(r"^seed (\d+)(?: \([^)]*\))?: (.+)$", re.MULTILINE)


def object_of(source, build):
    return build / "objects" / (str(source.relative_to(ROOT)).replace("/", "_") + ".o")


class Broken(Exception):
    """A source file does not compile, or a simulator does not link."""


def build_with(command, output):
    done = subprocess.run(command + ["-o", str(output)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Broken(f"making {output}:\n{done.stderr}")


def compile_one(suite, source, output):
    build_with(suite.compiler() + [str(source)], output)


def compile_all(suite, build, pool):
    """Compiles the objects that all mutants share, unless an object is newer than its source and all headers."""
    (build / "objects").mkdir(parents=True, exist_ok=True)
    newest = max(h.stat().st_mtime for h in suite.headers())
    stale = []
    for source in suite.sources():
        made = object_of(source, build)
        if not made.exists() or made.stat().st_mtime < max(newest, source.stat().st_mtime):
            stale.append((source, made))
    for job in [pool.submit(compile_one, suite, *pair) for pair in stale]:
        job.result()


class Stale(Exception):
    """The text that a mutant replaces does not occur exactly once in its file."""


def plant(suite, mutant, build):
    """Writes a copy of the source file with the bug; returns the paths of both."""
    source = ROOT / ("src" if "/" in mutant["file"] else suite.folder) / mutant["file"]
    text = source.read_text()
    if text.count(mutant["old"]) != 1:
        raise Stale(f"{mutant['file']}: its text occurs {text.count(mutant['old'])} times, not once")
    planted = build / "planted" / mutant["name"] / mutant["file"]
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_text(text.replace(mutant["old"], mutant["new"]))
    return source, planted


def hunt(suite, mutant, build, seeds, limit_s):
    """Builds a simulator with the bug and runs it. Returns (name, verdict, seed or None, failed check or reason)."""
    try:
        source, planted = plant(suite, mutant, build)
    except Stale as why:
        return mutant["name"], "no longer applies", None, str(why)
    made, binary = planted.with_suffix(".o"), planted.with_suffix("")
    compile_one(suite, planted, made)
    others = [str(object_of(s, build)) for s in suite.sources() if s != source]
    build_with(LINK + [str(made), *others, *suite.link], binary)
    # Some situations occur only once in 100,000 seeds. The kept seeds reach them.
    kept_seeds = pathlib.Path(__file__).parent / suite.kept_seeds
    for choice in (["--seeds", str(seeds)], ["--seeds", "0", "--seeds-file", str(kept_seeds)]):
        try:
            ran = subprocess.run([str(binary), *choice], capture_output=True, text=True, timeout=limit_s)
        except subprocess.TimeoutExpired:
            return mutant["name"], "caught", None, f"it was still running after {limit_s} s"
        finding = FINDING.search(ran.stdout)
        if ran.returncode != 0 and finding:
            return mutant["name"], "caught", int(finding[1]), finding[2]
    return mutant["name"], "survived", None, mutant["bug"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--build", type=pathlib.Path, help="default: build/mutants, build/feed-mutants")
    parser.add_argument("--seeds", type=int, default=2000)
    parser.add_argument("--limit", type=int, default=120, help="seconds for one mutant")
    parser.add_argument("names", nargs="*", help="only these mutants")
    args = parser.parse_intermixed_args()
    suite = SUITES[args.suite]
    build = args.build or ROOT / "build" / suite.mutants.replace("_", "-").removesuffix(".toml")
    mutants = tomllib.loads((pathlib.Path(__file__).parent / suite.mutants).read_text())["mutant"]
    mutants = [m for m in mutants if not args.names or m["name"] in args.names]
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        compile_all(suite, build, pool)
        rows = list(pool.map(lambda m: hunt(suite, m, build, args.seeds, args.limit), mutants))
    width = max(len(name) for name, *_ in rows)
    for name, verdict, seed, check in rows:
        when = f"at seed {seed}" if seed is not None else ""
        print(f"{name:<{width}}  {verdict:<8} {when:<13} {check}")
    caught = sum(verdict == "caught" for _, verdict, _, _ in rows)
    took = time.monotonic() - began
    print(f"{caught} of {len(rows)} mutants caught within {args.seeds} seeds and the kept ones, in {took:.0f} s")
    return 0 if caught == len(rows) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as why:
        sys.exit(f"run_mutants: {why}")
