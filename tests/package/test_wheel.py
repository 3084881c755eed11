"""The wheel: installed by pip into a fresh environment, and its programs in a root directory without any library."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import zipfile

import pytest

from bare_root import make_root, run_with_root
from installed import installed  # noqa: F401
from machine import BIN, ROOT, Machine, eventually
from other_user import needs_mounts

LIMIT_MB = 22  # see ARCHITECTURE.md, section 12
DATA = ("fsspec", "numpy", "pyarrow")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, ROOT / "tools/package/wheel.py", "--build", BIN.parent.parent, "--output", folder], check=True
    )
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def wheel(wheels):
    return next(file for file in wheels if file.name.startswith("howdah-"))


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """A fresh environment with the wheel. It gets the cloudpickle of this interpreter, so no registry is needed."""
    import cloudpickle

    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin/pip", "install", "--quiet", "--no-index", "--no-deps", wheel], check=True)
    (packages,) = folder.glob("lib/python3*/site-packages")
    shutil.copytree(pathlib.Path(cloudpickle.__file__).parent, packages / "cloudpickle")
    return folder


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()


def test_wheel_is_small_and_serves_every_python(wheel):
    assert wheel.stat().st_size <= LIMIT_MB * 10**6
    assert re.fullmatch(r"howdah-[\d.]+-py3-none-manylinux\S+\.musllinux\S+_x86_64\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
        tags = archive.read(next(name for name in names if name.endswith(".dist-info/WHEEL"))).decode()
    assert "howdah/py.typed" in names and not [name for name in names if name.endswith((".so", ".pyc"))]
    assert re.findall(r"^Requires-\S+: .*", metadata, re.MULTILINE) == [
        "Requires-Python: >=3.9",
        "Requires-Dist: cloudpickle>=2.2",
        *(f'Requires-Dist: {package}; extra == "data"' for package in DATA),
        # PySpark needs pandas in the driver for mapInArrow and for Spark Connect, and its extra `sql` brings pandas.
        *(f'Requires-Dist: {package}; extra == "spark"' for package in (*DATA, "pyspark[sql]>=3.5")),
    ]
    assert "howdah/data/tfrecord.py" in names
    assert all(f"Tag: py3-none-{platform}\n" in tags for platform in wheel.stem.split("-none-")[1].split("."))
    assert any(name.endswith("licenses/libgrpc-dev") for name in names) and any(
        name.endswith("howdah.spdx.json") for name in names
    )


def test_wheel_for_tensorflowonspark_has_its_modules_and_needs_this_howdah(wheels, wheel):
    (other,) = [file for file in wheels if file != wheel]
    version = wheel.name.split("-")[1]
    assert other.name == f"howdah_tensorflowonspark-{version}-py3-none-any.whl"
    with zipfile.ZipFile(other) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    modules = "TFCluster TFManager TFNode TFParallel __init__ compat dfutil gpu_info marker pipeline util"
    assert sorted(name for name in names if name.endswith(".py")) == [
        f"tensorflowonspark/{module}.py" for module in modules.split()
    ]
    assert re.findall(r"^(?:Name|Requires-Dist): .*", metadata, re.MULTILINE) == [
        "Name: howdah-tensorflowonspark",
        f"Requires-Dist: howdah[data]=={version}",
    ]


def test_modules_of_tensorflowonspark_are_those_of_howdah(environment, wheels, wheel, tmp_path):
    (other,) = [file for file in wheels if file != wheel]
    subprocess.run([environment / "bin/pip", "install", "--quiet", "--no-index", "--no-deps", other], check=True)
    program = (
        "import tensorflowonspark.marker as a, howdah.tfos.marker as b\n"
        "from tensorflowonspark import TFManager, TFNode, gpu_info, util\n"
        "from howdah import tfos\n"
        "import howdah.tfos.TFNode\n"
        "assert a is b and TFNode is howdah.tfos.TFNode\n"
        "from tensorflowonspark.TFNode import DataFeed\n"
        "assert DataFeed is TFNode.DataFeed\n"
        "print(sorted(tfos.MODULES))\n"
    )
    done = subprocess.run([environment / "bin/python", "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "TFCluster" in done.stdout


def test_pip_installs_the_programs_unchanged(environment, wheel):
    with zipfile.ZipFile(wheel) as archive:
        for name in ("howdah", "howdah-agent"):
            installed = (environment / "bin" / name).read_bytes()
            assert installed[:4] == b"\x7fELF"
            assert installed == archive.read(
                next(file for file in archive.namelist() if file.endswith(f"/scripts/{name}"))
            )


def test_installed_package_runs_a_function_with_its_own_program(environment, machine, tmp_path):
    script = (
        "import howdah, howdah._program, sys; print(howdah.run(lambda: (sys.prefix, howdah.__file__), follow=False), "
        "howdah._program.find())"
    )
    done = subprocess.run(
        [environment / "bin/python", "-c", script],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**machine.env, "PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(tmp_path / "cache")},
    )
    (package,) = environment.glob("lib/python3*/site-packages/howdah/__init__.py")
    assert done.stdout == f"{(str(environment), str(package))} {environment}/bin/howdah\n", done


class Lab:
    """A JupyterLab whose kernels have the interpreter of an environment. `url`: of the page of a notebook."""

    def __init__(self, python, jupyter, machine, notebook):
        folder = notebook.parent
        env = {**machine.env, "XDG_CACHE_HOME": f"{folder}/cache", "HOME": str(folder), "HOWDAH_ON": "local",
               "PATH": "/usr/bin:/bin", "JUPYTERLAB_DIR": f"{jupyter.parents[1]}/share/jupyter/lab",
               "JUPYTER_RUNTIME_DIR": f"{folder}/runtime"}  # fmt: skip
        words = ["--no-browser", "--allow-root", "--ServerApp.port=0", "--ServerApp.token=secret"]
        self._errors = open(folder / "errors", "w")
        self._process = subprocess.Popen([python, "-m", "jupyterlab", *words], cwd=folder, env=env,
                                         stdout=self._errors, stderr=self._errors, start_new_session=True)  # fmt: skip
        address = re.compile(r"http://localhost:\d+/")
        found = eventually(lambda: address.search((folder / "errors").read_text()), "the address of JupyterLab", 180)
        self.url = f"{found[0]}lab/tree/{notebook.name}?token=secret"

    def close(self):
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._errors.close()


@pytest.mark.long
def test_notebook_in_a_browser_shows_jobs_results_and_errors(environment, machine, installed, tmp_path):  # noqa: F811
    """The environment has the wheel, and finds JupyterLab in another environment."""
    jupyter = installed("jupyter")
    (packages,) = environment.glob("lib/python3*/site-packages")
    (others,) = jupyter.parents[1].glob("lib/python3*/site-packages")
    (packages / "jupyter.pth").write_text(f"{others}\n")
    notebook = tmp_path / "work/first-steps.ipynb"
    notebook.parent.mkdir()
    shutil.copy(ROOT / "examples/notebook/first-steps.ipynb", notebook)
    lab = Lab(environment / "bin/python", jupyter, machine, notebook)
    try:
        done = subprocess.run([installed("browser"), ROOT / "tests/support/browse.py", "steps", lab.url],
                              capture_output=True, text=True, timeout=900)  # fmt: skip
    finally:
        lab.close()
    assert done.returncode == 0, done.stderr + (notebook.parent / "errors").read_text()
    found = json.loads(done.stdout)
    _, run, submit, values, error, _ = found["cells"]
    assert any("RUNNING" in text for text in found["live"]) and "SUCCEEDED" in found["live"][-1], found["live"]
    assert all(f"worker:{rank}" in run for rank in range(4)) and "SUCCEEDED" in run
    assert 3 < float(run.splitlines()[-1]) < 3.3
    assert "darts" in submit and "10 of 10" in submit and "SUCCEEDED" in submit
    assert values.startswith("pi is about 3.1")
    assert "worker:2 failed with exit code 1" in error and "ValueError: the loss is not a number" in error
    assert 'raise ValueError("the loss is not a number")' in error or "in fails" in error
    assert found["again"][-1] == "" and "Traceback" not in "".join(found["again"])


@needs_mounts
def test_programs_of_the_wheel_run_a_job_without_a_c_library(wheel, tmp_path):
    root = make_root(tmp_path)
    release = tmp_path / "release"
    release.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        for file in archive.namelist():
            if "/scripts/" in file:
                (release / os.path.basename(file)).write_bytes(archive.read(file))
                (release / os.path.basename(file)).chmod(0o755)
    (root / "script.sh").write_text(
        "export PATH=/release:$PATH\nhowdah run --source '' -- echo hi\nhowdah status last --json\n"
    )
    output = run_with_root(root, release, f"PATH=/bin exec /usr/sbin/chroot {root} /bin/sh -e /script.sh")
    assert "worker:0 │ hi\n" in output and json.loads(output[output.index("{") :])["state"] == "SUCCEEDED"
    assert not [path for path in root.rglob("*") if re.search(r"\.so(\.|$)", path.name)]
