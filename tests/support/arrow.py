"""PyArrow, pandas and fsspec of tools/ml-env, for the interpreter of the tests, which has none of them."""
import subprocess
import sys

from machine import ROOT


def site_packages():
    """The folder with the packages. It comes first in sys.path from now on."""
    done = subprocess.run([str(ROOT / "tools/ml-env"), "arrow"], stdout=subprocess.PIPE, text=True, check=True)
    environment = done.stdout.strip().removesuffix("/bin/python")
    folder = f"{environment}/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return folder
