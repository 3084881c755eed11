import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))

pytest.register_assert_rewrite("bare_root")

from machine import BIN  # noqa: E402


class Release:
    """The files of a release, made from the release build."""

    def __init__(self, folder):
        build = BIN.parent.parent
        subprocess.run([sys.executable, ROOT / "tools/package", "--build", build, "--output", folder], check=True)
        self.folder = folder
        self.tarball, = folder.glob("howdah-*-linux-*.tar.gz")
        self.deb, = folder.glob("howdah_*.deb")
        self.tree = folder / "tree"
        self.tree.mkdir()
        subprocess.run(["tar", "-xzf", self.tarball, "-C", self.tree, "--strip-components=1"], check=True)


@pytest.fixture(scope="session")
def release(tmp_path_factory):
    return Release(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="session")
def install_commands():
    """The commands in the section "Install" of the README, for each form."""
    section = (ROOT / "README.md").read_text().split("\n## Install\n")[1].split("\n## ")[0]
    archive, debian = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    return {"archive": archive, "debian": debian}
