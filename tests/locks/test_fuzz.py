"""Each fuzz target has valid inputs to begin with, and each recorded run belongs to a target."""
import pathlib

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


def test_each_recorded_run_belongs_to_a_target():
    lines = [line.split("\t") for line in (ROOT / "tests/fuzz/runs.tsv").read_text().splitlines()
             if not line.startswith("#")]
    names = [line[0] for line in lines]
    assert names == sorted(set(names))
    assert set(names) <= targets()
    assert all(int(inputs) > 0 and int(seconds) >= 60 for _, _, seconds, inputs, *_ in lines)
