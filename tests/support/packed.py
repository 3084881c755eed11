"""Packs Python environments as users do it for nodes without Python packages."""
import pathlib
import shutil
import subprocess
import tarfile

DEBIAN = pathlib.Path("/usr/lib/python3/dist-packages")
DEBIANS_PYTHON = "/usr/bin/python3"
# Files that no job opens. A NodeManager without Hadoop's native library starts a `chmod` for each file it unpacks.
USELESS = ("*/__pycache__/*", "*.pyi", "*/site-packages/pip/*", "*/bin/pip*",
           "*/tests/*", "*/torch/include/*", "*/tensorflow/include/*", "*/site-packages/clang/*")


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stdout, done.stderr)


def pack(tool, prefix, archive, *flags):
    """Packs an environment. `tool` is the path of venv-pack or conda-pack; the format follows from the suffix of
    `archive`."""
    excluded = [word for pattern in USELESS for word in ("--exclude", pattern)]
    run(tool, "--quiet", "--prefix", prefix, "--output", archive, *excluded, *flags)
    return archive


def scripts_for(interpreter, folder, *programs):
    """Makes an archive in `folder` for nodes on this machine. Each program in it is a script that starts the program of
    the same name beside `interpreter`."""
    made = pathlib.Path(folder) / "env/bin"
    made.mkdir(parents=True)
    for program in programs:
        (made / program).write_text(f'#!/bin/sh\nexec {pathlib.Path(interpreter).parent}/{program} "$@"\n')
        (made / program).chmod(0o755)
    archive = pathlib.Path(folder) / "env.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(made, "bin")
    return archive


def venv(folder, *packages):
    """Makes an environment without pip and copies `packages`, files and folders of another site-packages, into it."""
    run(DEBIANS_PYTHON, "-m", "venv", "--without-pip", folder)
    site = next(pathlib.Path(folder).glob("lib/python3.*/site-packages"))
    for package in packages:
        package = pathlib.Path(package)
        if package.is_dir():
            shutil.copytree(package, site / package.name, symlinks=True)
        else:
            shutil.copy(package, site)
    return pathlib.Path(folder)


def copy_of_demo_with_torch(folder, demo):
    """Makes a copy of the environment `demo` of tools/ml-env that contains PyTorch, which `demo` takes from the system.
    PyTorch's C++ libraries remain links into Debian's folders, like the interpreter."""
    demos = next((demo / "lib").glob("python3.*/site-packages"))
    own = [p for p in demos.iterdir() if p.name.partition("-")[0] not in ("pip", "__pycache__")]
    environment = venv(folder, *own, DEBIAN / "torch", DEBIAN / "numpy", DEBIAN / "packaging",
                       DEBIAN / "six.py")
    libraries = next(environment.glob("lib/python3.*/site-packages/torch")) / "lib"
    for link in [path for path in libraries.iterdir() if path.is_symlink()]:
        target = (DEBIAN / "torch/lib" / link.readlink()).resolve()
        link.unlink()
        link.symlink_to(target)
    program = environment / "bin/tensorboard"
    program.write_text((demo / "bin/tensorboard").read_text().replace(str(demo), str(environment)))
    program.chmod(0o755)
    return environment
