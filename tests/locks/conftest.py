import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def configured(tmp_path_factory):
    """A build folder that is configured with the debug preset but not built. The tests read the command lines of the
    compiler and linker from it."""
    folder = tmp_path_factory.mktemp("configured")
    command = ["cmake", "--preset", "debug", "-DHOWDAH_UNITY=1", "-DHOWDAH_PCH=OFF", "-B", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder
