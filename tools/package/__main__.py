"""package [--build FOLDER] [--output FOLDER] - writes a release from a finished release build into FOLDER:

  howdah-VERSION-linux-PROCESSOR.tar.gz   for any Linux, without installation
  howdah_VERSION_ARCHITECTURE.deb         for Debian and Ubuntu

Both have the same files below their prefix: the programs, man pages, completion for bash, documents, examples, and the
licences and the list (SPDX) of everything that is linked in. Two runs on one commit write the same bytes.
"""
import argparse
import gzip
import os
import pathlib
import platform
import shutil
import subprocess
import tarfile
import tempfile
import time

from content import (COPYRIGHT, ROOT, add_licences, add_programs, normalise, output_of, release_time, version_of, write,
                     write_sbom)
from man_pages import Pages

CONTROL = """\
Package: howdah
Version: {version}
Architecture: {architecture}
Maintainer: The Howdah developers <howdah@howdah.invalid>
Installed-Size: {kib}
Section: science
Priority: optional
Description: distributed training jobs on Hadoop YARN or on one machine
 Howdah runs distributed TensorFlow, PyTorch, JAX and other programs as jobs.
 A job file in YAML describes the roles of a job. Howdah starts all processes
 together, gives each the addresses of the others, keeps their logs, restarts
 failed tasks, and reports how the job ended and why.
 .
 Both programs are static and need no library.
"""


def compressed(text):
    return gzip.compress(text.encode(), mtime=0)


def add_man_pages(program, version, seconds, tree):
    date = time.strftime("%Y-%m-%d", time.gmtime(seconds))
    document = (ROOT / "docs/command-line.md").read_text()
    for name, text in Pages(program, version, date, document).all().items():
        write(tree / "share/man/man1" / (name + ".gz"), compressed(text))


def add_documents(docs):
    listed = output_of("git", "ls-files", "--", "LICENSE", ":(glob)*.md", "docs", "examples", cwd=ROOT)
    for name in listed.splitlines():
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, docs / name)
    write(docs / "copyright", COPYRIGHT)


def stage(build, version, seconds, tree):
    """Makes bin/ and share/ in an empty folder."""
    (tree / "bin").mkdir()
    add_programs(build, tree / "bin")
    howdah, docs = tree / "bin/howdah", tree / "share/doc/howdah"
    write(tree / "share/bash-completion/completions/howdah", output_of(howdah, "completion", "bash"))
    add_man_pages(howdah, version, seconds, tree)
    add_documents(docs)
    add_licences(build, write_sbom(build, docs / "howdah.spdx.json"), docs)
    normalise(tree, seconds)


def write_tarball(tree, name, seconds, output):
    def owned_by_root(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        return entry
    file = output / f"{name}.tar.gz"
    with gzip.GzipFile(file, "wb", compresslevel=6, mtime=seconds) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar:
            tar.add(tree, name, filter=owned_by_root)
    return file


def write_deb(tree, version, seconds, output, scratch):
    architecture = output_of("dpkg", "--print-architecture").strip()
    root = scratch / "deb"
    shutil.copytree(tree, root / "usr")
    kib = sum((path.lstat().st_size + 1023) // 1024 for path in root.rglob("*"))
    write(root / "DEBIAN/control", CONTROL.format(version=version, architecture=architecture, kib=kib))
    normalise(root, seconds)
    file = output / f"howdah_{version}_{architecture}.deb"
    # gzip, because every dpkg reads it, and xz takes ten times as long.
    subprocess.run(["dpkg-deb", "-Zgzip", "-z6", "--root-owner-group", "--build", root, file], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(seconds)})
    return file


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "dist")
    options = parser.parse_args()
    version = version_of(options.build)
    seconds = release_time()
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        tree = scratch / "tree"
        tree.mkdir()
        stage(options.build, version, seconds, tree)
        name = f"howdah-{version}-linux-{platform.machine()}"
        for file in (write_tarball(tree, name, seconds, options.output),
                     write_deb(tree, version, seconds, options.output, scratch)):
            print(f"{file}: {file.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
