import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def configured(tmp_path_factory):
    """The project configured as the debug preset does, nothing built: the compiler's and linker's command lines."""
    folder = tmp_path_factory.mktemp("configured")
    subprocess.run(["cmake", "--preset", "debug", "-B", folder], cwd=ROOT, check=True, capture_output=True)
    return folder
