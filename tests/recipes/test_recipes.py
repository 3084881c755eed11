"""Runs each recipe of docs/recipes.md with the real library. The job file and the programs come from the document; only
sizes are reduced, so that the job fits on a small machine without GPUs."""
import io
import re
import tarfile

import pytest

from machine import ROOT

RUN_S = 900      # an upper bound for a busy machine, not the expected duration
NODES = ["roles.node.instances=2", "roles.node.memory=1GiB", "roles.node.vcores=1"]
# The recipes that start a cluster, by their headings, with the values for `--set` that reduce their sizes.
CLUSTERS = {
    "Spark standalone": ["roles.master.memory=1GiB", "roles.driver.memory=1GiB", *NODES],
}
# The recipes that train a model. Their checkpoints must not go to the directory that the document names.
TRAINERS = {name: ["roles.worker.processes=2", "roles.worker.gpus=0", "roles.worker.vcores=2",
                   "roles.worker.memory=4GiB"]
            for name in ("Lightning", "accelerate", "Hugging Face Trainer", "DeepSpeed")}
for name in ("accelerate", "Hugging Face Trainer"):
    TRAINERS[name] += ["env.ACCELERATE_USE_CPU=1"]


def recipes():
    """The files of each recipe: heading -> name of the file -> text. The job file is the YAML block; other files have
    their names in their first lines. Files before the first recipe of a section belong to all of its recipes. A heading
    without a job file of its own refers to an example (test_examples.py)."""
    found = {}
    for section in re.split(r"^## ", (ROOT / "docs/recipes.md").read_text(), flags=re.M)[1:]:
        common, *parts = re.split(r"^### ", section, flags=re.M)
        for part in parts:
            files = found[part.partition("\n")[0]] = {}
            for language, text in re.findall(r"^```(\w+)\n(.*?)^```", common + part, re.M | re.S):
                name = "job.yaml" if language == "yaml" else "src/" + re.match(r"# (\w+\.py)\b", text).group(1)
                assert name not in files, (name, files)
                files[name] = text
    return {heading: files for heading, files in found.items() if "job.yaml" in files}


RECIPES = recipes()


def write_recipe(folder, heading):
    for name, text in RECIPES[heading].items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def archive_of(environment, archive):
    """Writes a small archive in place of the packed environment, which would be gigabytes large. The programs in the
    archive start the programs of the same name in the environment."""
    with tarfile.open(archive, "w:gz") as tar:
        for program in (environment / "bin").iterdir():
            script = f'#!/bin/sh\nexec "{program}" "$@"\n'.encode()
            entry = tarfile.TarInfo(f"bin/{program.name}")
            entry.mode, entry.size = 0o755, len(script)
            tar.addfile(entry, io.BytesIO(script))


def run(machine, folder, sizes):
    words = [word for size in sizes for word in ("--set", size)]
    done = machine("run", "job.yaml", *words, cwd=folder, timeout=RUN_S)
    assert done.code == 0, done
    machine.assert_clean(done.id)
    return done.stdout


def test_every_recipe_has_a_test():
    assert set(RECIPES) == {*CLUSTERS, *TRAINERS}


@pytest.mark.parametrize("heading", CLUSTERS)
def test_the_cluster_computes_on_every_node_and_leaves_no_process(machine, installed, tmp_path, heading):
    write_recipe(tmp_path, heading)
    archive_of(installed("clusters").parents[1], tmp_path / "env.tar.gz")
    output = run(machine, tmp_path, CLUSTERS[heading])
    assert "sum 328350 on 2 nodes" in output, output


def losses(output):
    return [float(loss) for loss in re.findall(r"\bloss\W+(\d+\.\d+)", output)]


@pytest.mark.parametrize("heading", TRAINERS)
def test_the_processes_train_together_and_continue_from_the_checkpoint(machine, installed, tmp_path, heading):
    write_recipe(tmp_path, heading)
    environment = installed("trainers").parents[1]
    archive_of(environment, tmp_path / "env.tar.gz")
    sizes = [*TRAINERS[heading], f"checkpoint.dir={tmp_path}/checkpoints",
             f"env.TORCH_EXTENSIONS_DIR={environment}/extensions"]
    first = run(machine, tmp_path, sizes)
    assert "with 4 processes" in first, first[-4000:]
    assert losses(first)[-1] < losses(first)[0] / 2, first[-4000:]
    # All epochs are done, so a second job with the same checkpoints trains none of them again.
    second = run(machine, tmp_path, sizes)
    assert losses(second) == [], second[-4000:]
