"""Each fuzz target has valid inputs to begin with, and each stored input and recorded run belongs to a target; the
records and inputs of long runs (tools/fuzz)."""
import importlib
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests/fuzz/corpus"


def targets():
    files = [path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*_fuzz.cc")]
    return {"_".join([*path.parent.parts, path.stem.removesuffix("_fuzz")]) for path in files}


def test_each_target_has_small_inputs():
    assert {path.name for path in CORPUS.iterdir()} == targets()
    for folder in CORPUS.iterdir():
        sizes = [path.stat().st_size for path in folder.iterdir()]
        assert sizes, f"{folder} has no input"
        assert len(sizes) <= 40 and sum(sizes) <= 96 << 10, f"{folder} has {len(sizes)} inputs of {sum(sizes)} bytes"


def test_each_text_of_found_inputs_belongs_to_a_target_and_can_be_read():
    for path in (ROOT / "tests/fuzz/found").iterdir():
        assert path.stem in targets()
        lines = path.read_text("ascii").splitlines()
        inputs = [line.encode().decode("unicode_escape").encode("latin-1") for line in lines]
        assert len(set(inputs)) == len(inputs) > 0
        assert path.stat().st_size <= 70_000, path


def test_each_recorded_run_belongs_to_a_target():
    lines = [line.split("\t") for line in (ROOT / "tests/fuzz/runs.tsv").read_text().splitlines()
             if not line.startswith("#")]
    names = [line[0] for line in lines]
    assert names == sorted(set(names))
    assert set(names) <= targets()
    assert all(int(seconds) > 0 and int(inputs) > 0 for _, _, seconds, inputs, *_ in lines)


def tool(name):
    """A module of tools/fuzz."""
    sys.path.insert(0, str(ROOT / "tools/fuzz"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


OUTPUT = """\
#64\tpulse  cov: 90 ft: 100 corp: 3/9b exec/s: 0 rss: 40Mb
#81\tINITED cov: 100 ft: 120 corp: 4/9b exec/s: 0 rss: 40Mb
#90\tNEW    cov: 103 ft: 130 corp: 5/9b lim: 4 exec/s: 0 rss: 40Mb L: 2/2 MS: 1 ChangeByte-
#95\tREDUCE cov: 103 ft: 130 corp: 5/8b lim: 4 exec/s: 0 rss: 40Mb L: 1/2 MS: 1 EraseBytes-
#300\tDONE   cov: 103 ft: 130 corp: 5/8b lim: 4 exec/s: 0 rss: 40Mb
stat::number_of_executed_units: 300
stat::average_exec_per_sec:     150
stat::peak_rss_mb:              40
"""


def test_record_counts_inputs_since_the_last_new_edge(tmp_path):
    runs = tool("runs")

    def record(output):
        run = runs.Run("base_text")
        for line in output.splitlines():
            run.read(line)
        run.end(59.8)
        table = runs.Runs(tmp_path / "runs.tsv")
        table.add(run)
        table.write()
        return table.of("base_text")

    (tmp_path / "runs.tsv").write_text("")
    line = record(OUTPUT)
    assert (line.seconds, line.inputs, line.since_new, line.edges, line.peak_mb) == (60, 300, 210, 103, 40)
    nothing_new = OUTPUT.replace("INITED cov: 100", "INITED cov: 103")
    line = record(nothing_new)
    assert (line.seconds, line.inputs, line.since_new) == (120, 600, 510)
    assert not line.done()
    assert record(nothing_new.replace("units: 300", "units: 1000000")).done()


def test_found_inputs_are_kept_as_text_that_can_be_unpacked(tmp_path, monkeypatch):
    corpus = tool("corpus")
    monkeypatch.chdir(tmp_path)
    inputs = {b"\n", b"\\x41", b"a\x00\xff\x85", b"\xe2\x80\xa8"}
    for folder in (corpus.kept("t"), corpus.found("t")):
        folder.mkdir(parents=True)
    (corpus.kept("t") / "valid").write_bytes(b"valid")
    for number, data in enumerate(inputs):
        (corpus.found("t") / str(number)).write_bytes(data)
    (corpus.found("t") / "again").write_bytes(b"valid")
    # A target for which each input is new: it copies all of them, as libFuzzer's merge does.
    program = tmp_path / "fuzz_t"
    program.write_text('#!/bin/sh\nmerged=$4; shift 4\nfor folder; do cp "$folder"/* "$merged"; done\n')
    program.chmod(0o700)
    assert corpus.keep("t", program, None) == len(inputs)
    shutil.rmtree(corpus.found("t"))
    corpus.unpack("t")
    assert {path.read_bytes() for path in corpus.found("t").iterdir()} == inputs
