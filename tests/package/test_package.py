"""A release as users get it: installed with the commands of the README, in a root directory without any library."""
import gzip
import json
import os
import re
import subprocess

import pytest

from bare_root import DEADLINE_S, make_root, run, run_with_root
from other_user import needs_mounts


@pytest.fixture
def root(tmp_path):
    return make_root(tmp_path)


@needs_mounts
def test_archive_runs_a_job_without_a_c_library(release, root, install_commands):
    script = "cd /release\n" + install_commands["archive"] + "howdah status last --json\n"
    (root / "script.sh").write_text(script)
    output = run_with_root(root, release.folder, f"PATH=/bin exec /usr/sbin/chroot {root} /bin/sh -e /script.sh")
    assert "worker:0 │ hi\n" in output
    status = json.loads(output[output.index("{"):])
    assert status["state"] == "SUCCEEDED"
    assert not [path for path in root.rglob("*") if re.search(r"\.so(\.|$)", path.name)]


@needs_mounts
def test_debian_package_is_installed_used_and_removed(release, root, install_commands, tmp_path):
    """dpkg works on `root` instead of the machine's own root, and howdah is run there."""
    database = root / "var/lib/dpkg"
    (database / "info").mkdir(parents=True)
    (database / "updates").mkdir()
    (database / "status").touch()
    replaced = tmp_path / "bin"
    replaced.mkdir()
    for name, text in (("sudo", 'exec "$@"'),
                       ("dpkg", f'exec /usr/bin/dpkg --root={root} --log=/dev/null "$@"'),
                       ("howdah", f'exec chroot {root} /usr/bin/howdah "$@"')):
        (replaced / name).write_text(f"#!/bin/sh\n{text}\n")
        (replaced / name).chmod(0o755)
    before = {path for path in root.rglob("*") if database not in path.parents}
    install, use, remove = install_commands["debian"].splitlines()
    script = "\n".join([install, f"ls {root}/usr/bin", use, remove])
    output = run_with_root(root, release.folder, f"PATH={replaced}:$PATH\n{script}", HOWDAH_HOME="/tmp/jobs")
    assert "howdah\nhowdah-agent\n" in output and "worker:0 │ hi\n" in output
    after = {path for path in root.rglob("*") if database not in path.parents and root / "tmp" not in path.parents}
    assert after == before
    assert "Package: howdah" not in (database / "status").read_text()


def test_tarball_and_debian_package_contain_the_same_files(release):
    in_deb = set(re.findall(r" \./usr/(\S*[^/\s])$", run("dpkg-deb", "--contents", release.deb), re.MULTILINE))
    in_tree = {str(path.relative_to(release.tree)) for path in release.tree.rglob("*") if path.is_file()}
    assert in_deb == in_tree
    assert "bin/howdah" in in_tree and "share/bash-completion/completions/howdah" in in_tree
    fields = run("dpkg-deb", "--field", release.deb)
    version = run(release.tree / "bin/howdah", "--version").split()[1]
    assert f"Version: {version}\n" in fields and "Depends" not in fields
    assert f"howdah-{version}-linux-" in release.tarball.name


def rendered(page):
    """Formats a man page with groff, which must not report any mistake, and returns the text."""
    done = subprocess.run(["groff", "-man", "-Tutf8", "-Kutf8", "-P-cbou", "-ww"], capture_output=True,
                          timeout=DEADLINE_S, input=gzip.decompress(page.read_bytes()))
    assert (done.returncode, done.stderr) == (0, b""), page
    return done.stdout.decode()


def test_every_command_has_a_man_page_with_its_flags(release):
    howdah, pages = release.tree / "bin/howdah", release.tree / "share/man/man1"
    commands = re.findall(r"^  ([\w-]+)  ", run(howdah, "--help").split("Subcommands:")[1], re.MULTILINE)
    assert "run" in commands and "history" in commands
    texts = {path.name.removesuffix(".1.gz"): rendered(path) for path in pages.iterdir()}
    assert set(texts) == {f"howdah-{name}" for name in [*commands, "agent"]} | {"howdah"}
    for command in commands:
        for flag in re.findall(r"(?<!\S)--?\w[\w-]*(?=[ ,])", run(howdah, command, "--help").split("Example")[0]):
            assert flag in texts[f"howdah-{command}"], (command, flag)


def test_licences_of_everything_linked_in_are_included(release):
    docs = release.tree / "share/doc/howdah"
    packages = {p["name"] for p in json.loads((docs / "howdah.spdx.json").read_text())["packages"]}
    packages -= {"howdah", "howdah-agent"}
    in_pages = {"preact", "uplot"}  # from npm
    assert {"libc6-dev", "libgrpc-dev", "libssl-dev"} | in_pages <= packages
    licences = docs / "licenses"
    assert {path.name for path in licences.iterdir()} == packages - in_pages | {"common", "pages-of-the-portal"}
    assert all(name in (licences / "pages-of-the-portal").read_text().lower() for name in in_pages)
    for path in licences.iterdir():
        if path.is_file():
            for name in re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", path.read_text()):
                assert (licences / "common" / name).stat().st_size > 1000, (path.name, name)


def test_links_of_the_documents_lead_to_included_files(release):
    docs = release.tree / "share/doc/howdah"
    for page in docs.rglob("*.md"):
        if page.parent == docs and page.name != "README.md":
            continue  # documents for developers contain links to the source
        for link in re.findall(r"\]\((?!\w+:)([^)#]+)[^)]*\)", page.read_text()):
            assert os.path.exists(page.parent / link), (page.name, link)
