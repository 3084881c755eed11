"""Packed Python environments work on every backend in the same way as on the machine where they were packed. Each
backend has its own fixture `machine`."""
import json
import pathlib
import shutil
import tarfile
import zipfile

import pytest

import packed

FACTS = """import json, os, sys, greeting
top = os.path.realpath(os.environ["VIRTUAL_ENV"])
inside = lambda path: os.path.relpath(os.path.realpath(path), top)
print(json.dumps({
    "says": greeting.WORDS, "module": inside(greeting.__file__), "script": inside(__file__),
    "prefix": inside(sys.prefix), "first in PATH": inside(os.environ["PATH"].split(":")[0]),
    "python": os.readlink(f"{top}/bin/python") if os.path.islink(f"{top}/bin/python") else "a file",
    "alias": os.path.islink(f"{top}/lib/alias.py") and open(f"{top}/lib/alias.py").read()}))
"""
NOT_EXECUTABLE = "bin/python in the archive of `python:` is not executable"
GONE = "/opt/nobody-has-this/bin/python3"


def add_test_files(environment, modules):
    """Adds a module, a program that has the path of the interpreter in its first line, and a symbolic link."""
    (modules / "greeting.py").write_text('WORDS = "good morning"\n')
    program = environment / "bin/greet"
    program.write_text(f"#!{environment}/bin/python\n{FACTS}")
    program.chmod(0o755)
    (environment / "lib/alias.py").symlink_to((modules / "greeting.py").relative_to(environment / "lib"))
    return environment


def make_venv(folder):
    environment = packed.venv(folder / "venv")
    return add_test_files(environment, next(environment.glob("lib/python3.*/site-packages")))


def make_conda_environment(folder):
    """A folder with the layout of a conda environment, including an interpreter, because the tests do not install
    conda. The real conda-pack packs it."""
    environment = folder / "conda"
    interpreter = pathlib.Path(packed.DEBIANS_PYTHON).resolve()
    (environment / "bin").mkdir(parents=True)
    (environment / "conda-meta").mkdir()
    (environment / "conda-meta/history").touch()
    shutil.copy(interpreter, environment / "bin")
    for name in ("python", "python3"):
        (environment / "bin" / name).symlink_to(interpreter.name)
    modules = environment / "lib" / interpreter.name
    useless = shutil.ignore_patterns(
        "__pycache__", "test", "config-*", "*.a", "asyncio", "idlelib", "lib2to3", "pydoc*", "ensurepip", "distutils",
        "tkinter", "turtle*", "unittest", "multiprocessing")
    shutil.copytree(f"/usr/lib/{interpreter.name}", modules, ignore=useless)
    return add_test_files(environment, modules)


def plain_zip(environment, archive):
    """Makes the same archive as `zip -r`: it keeps file permissions and replaces links by the files they point to."""
    program = environment / "bin/greet"
    text = program.read_text().split("\n", 1)[1]
    program.write_text(f"#!/usr/bin/env python\n{text}")  # venv-pack and conda-pack rewrite this line themselves
    made = shutil.make_archive(str(archive.with_suffix("")), "zip", environment)
    return pathlib.Path(made)


@pytest.fixture(scope="module")
def made(tmp_path_factory, installed):
    """made("venv.tar.gz") returns the path of that archive."""
    folder, tools = tmp_path_factory.mktemp("packs"), installed("pack").parent
    found = {}

    def make(name):
        if name not in found:
            own, archive = folder / name.replace(".", "-"), folder / name
            own.mkdir()
            kind = name.partition(".")[0]
            if kind == "venv":
                links = ["--zip-symlinks"] if name.endswith(".zip") else []
                packed.pack(tools / "venv-pack", make_venv(own), archive, *links)
            elif kind == "elsewhere":
                environment = make_venv(own)
                (environment / "bin/python3").unlink()
                (environment / "bin/python3").symlink_to(GONE)
                packed.pack(tools / "venv-pack", environment, archive)
            elif kind == "conda":
                packed.pack(tools / "conda-pack", make_conda_environment(own), archive)
            elif kind == "plain":
                plain_zip(make_venv(own), archive)
            elif kind == "directory":
                with tarfile.open(archive, "w:gz") as tar:
                    tar.add(make_venv(own), "env")
            elif kind == "rightless":
                with zipfile.ZipFile(archive, "w") as file:
                    file.writestr(zipfile.ZipInfo("bin/python"), "#!/bin/sh\n")
            found[name] = archive
        return found[name]
    return make


def run(machine, archive, tmp_path, command="greet"):
    job = machine.job_file(tmp_path, f"""
name: {archive.name}
python: {{archive: {archive}}}
roles:
  worker: {{memory: 64MiB, command: {command}}}
""")
    return machine("run", job)


@pytest.mark.parametrize("name, python", [
    ("venv.tar.gz", "python3"), ("venv.zip", "python3"), ("conda.tar.gz", "python3.11"), ("plain.zip", "a file")])
def test_a_packed_environment_provides_its_python_and_modules(machine, made, tmp_path, name, python):
    done = run(machine, made(name), tmp_path)
    assert done.code == 0, done
    facts = json.loads(machine.log(done.id, "worker:0"))
    links_kept = name != "plain.zip"
    version = "python3.11"
    module = {"conda.tar.gz": f"lib/{version}/greeting.py"}.get(name, f"lib/{version}/site-packages/greeting.py")
    assert facts == {"says": "good morning", "module": module, "script": "bin/greet", "prefix": ".",
                     "first in PATH": "bin", "python": python, "alias": links_kept and 'WORDS = "good morning"\n'}
    machine.assert_clean(done.id)


@pytest.mark.parametrize("name, fact, advice", [
    ("elsewhere.tar.gz", f"is a link to {GONE}, which does not exist on", "conda-pack"),
    ("directory.tar.gz", "has no bin/; its top directory contains env", "instead of its directory"),
    ("rightless.zip", NOT_EXECUTABLE, "venv-pack or conda-pack")])
def test_an_unusable_packed_environment_is_reported(machine, made, tmp_path, name, fact, advice):
    """The environment has no usable python3. The system's python3, which is later in PATH, must not be used instead."""
    done = run(machine, made(name), tmp_path, "python3 -c 'print(1)'")
    assert done.code == 1, done
    status = machine.status(done.id)
    assert fact in status["reason"] and advice in status["advice"], status
    assert fact in done.stderr, done
    assert machine.task(done.id, "worker", 0)["exit_code"] == (126 if fact == NOT_EXECUTABLE else 127)
    assert machine.log(done.id, "worker:0", "--stdout") == ""
    machine.assert_clean(done.id)
