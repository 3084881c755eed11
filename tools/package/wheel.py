"""wheel.py [--build FOLDER] [--output FOLDER] - writes the Python wheels of a finished release build into FOLDER.

The wheel howdah contains the package of python/howdah and both programs, which pip puts into bin/ unchanged. It has no
extension module, and the programs are static, so one wheel serves every Python from 3.9 on and every x86-64 Linux. The
wheel howdah-tensorflowonspark contains python/tensorflowonspark, which gives howdah.tfos the name of TensorFlowOnSpark.
Two runs on one commit write the same bytes.
"""
import argparse
import base64
import hashlib
import pathlib
import re
import subprocess
import tempfile
import time
import zipfile

from content import COPYRIGHT, PROGRAMS, ROOT, add_licences, add_programs, release_time, version_of, write_sbom

PACKAGE = ROOT / "python/howdah"
TFOS_PACKAGE = ROOT / "python/tensorflowonspark"
PYTHON = "3.9"
# Static programs need no C library, so the oldest tags of both kinds apply.
PLATFORM = "manylinux_2_5_x86_64.manylinux1_x86_64.musllinux_1_1_x86_64"
LIMIT_MB = 22

METADATA = """\
Metadata-Version: 2.1
Name: howdah
Version: {version}
Summary: Distributed PyTorch, TensorFlow and JAX jobs on one machine and on Apache Hadoop YARN
License: Apache-2.0
Requires-Python: >={python}
Requires-Dist: cloudpickle>=2.2
Provides-Extra: data
Requires-Dist: fsspec; extra == "data"
Requires-Dist: numpy; extra == "data"
Requires-Dist: pyarrow; extra == "data"
Provides-Extra: spark
Requires-Dist: fsspec; extra == "spark"
Requires-Dist: numpy; extra == "spark"
Requires-Dist: pyarrow; extra == "spark"
Requires-Dist: pyspark[sql]>=3.5; extra == "spark"
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

{description}"""
WHEEL = """\
Wheel-Version: 1.0
Generator: howdah
Root-Is-Purelib: true
"""
TFOS_METADATA = """\
Metadata-Version: 2.1
Name: howdah-tensorflowonspark
Version: {version}
Summary: The API of TensorFlowOnSpark, run by Howdah
License: Apache-2.0
Requires-Python: >={python}
Requires-Dist: howdah[data]=={version}
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Description-Content-Type: text/markdown

Programs for TensorFlowOnSpark run unchanged with this package, which is installed instead of tensorflowonspark: its
module `tensorflowonspark` contains the modules of `howdah.tfos`. It needs the PySpark of your Spark.
"""
ENTRY_POINTS = """\
[fsspec.specs]
howdah-hdfs = howdah.fs:HadoopFileSystem
"""


def package_version():
    """The version of the Python package. The program of the build must have the same version."""
    return re.search(r'^__version__ = "(.+)"$', (PACKAGE / "__init__.py").read_text(), re.MULTILINE)[1]


def description():
    """The first two sections of the document for Python."""
    sections = (ROOT / "docs/python-api.md").read_text().split("\n## ")
    return re.sub(r"\]\((?!\w+:)[^)]*\)", "]", "\n## ".join(sections[:2])) + "\n"


def contents(build, version, scratch):
    """The files of the wheel: name -> (bytes, whether it is executable)."""
    info, scripts = f"howdah-{version}.dist-info", f"howdah-{version}.data/scripts"
    files = {f"howdah/{path.relative_to(PACKAGE)}": (path.read_bytes(), False) for path in PACKAGE.rglob("*")
             if path.suffix == ".py" or path.name == "py.typed"}
    programs, licences = scratch / "programs", scratch / "licences"
    programs.mkdir()
    licences.mkdir()
    add_programs(build, programs)
    files.update({f"{scripts}/{name}": ((programs / name).read_bytes(), True) for name in PROGRAMS})
    add_licences(build, write_sbom(build, licences / "howdah.spdx.json"), licences)
    (licences / "copyright").write_text(COPYRIGHT)
    (licences / "LICENSE").write_bytes((ROOT / "LICENSE").read_bytes())
    files.update({f"{info}/licenses/{path.relative_to(licences)}": (path.read_bytes(), False)
                  for path in licences.rglob("*") if path.is_file()})
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in PLATFORM.split("."))
    files[f"{info}/WHEEL"] = ((WHEEL + tags).encode(), False)
    text = METADATA.format(version=version, python=PYTHON, description=description())
    files[f"{info}/entry_points.txt"] = (ENTRY_POINTS.encode(), False)
    files[f"{info}/METADATA"] = (text.encode(), False)
    return files, f"{info}/RECORD"


def tensorflowonspark_contents(version):
    """The files of the wheel howdah-tensorflowonspark."""
    info = f"howdah_tensorflowonspark-{version}.dist-info"
    files = {f"tensorflowonspark/{path.name}": (path.read_bytes(), False) for path in TFOS_PACKAGE.glob("*.py")}
    files[f"{info}/licenses/LICENSE"] = ((ROOT / "LICENSE").read_bytes(), False)
    files[f"{info}/WHEEL"] = ((WHEEL + "Tag: py3-none-any\n").encode(), False)
    files[f"{info}/METADATA"] = (TFOS_METADATA.format(version=version, python=PYTHON).encode(), False)
    return files, f"{info}/RECORD"


def record(files, name):
    """The list of all files with their digests, which pip checks."""
    lines = []
    for path, (data, _) in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(data)}\n")
    return "".join([*lines, f"{name},,\n"]).encode()


def write_wheel(file, files, record_name, seconds):
    """Writes the wheel, and compresses it once more: advzip's encoder saves 4 % compared with zlib's."""
    entries = [*sorted(files.items()), (record_name, (record(files, record_name), False))]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, (data, executable) in entries:
            entry = zipfile.ZipInfo(name, date_time=time.gmtime(seconds)[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            wheel.writestr(entry, data)
    subprocess.run(["advzip", "--recompress", "--shrink-normal", "--quiet", file], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "dist")
    options = parser.parse_args()
    version = package_version()
    if version_of(options.build) != version:
        raise SystemExit(f"wheel: the programs in {options.build} have version {version_of(options.build)}, and "
                         f"python/howdah/__init__.py has {version}; they must be the same")
    options.output.mkdir(parents=True, exist_ok=True)
    file = options.output / f"howdah-{version}-py3-none-{PLATFORM}.whl"
    with tempfile.TemporaryDirectory() as folder:
        files, record_name = contents(options.build, version, pathlib.Path(folder))
    write_wheel(file, files, record_name, release_time())
    megabytes = file.stat().st_size / 10**6
    if megabytes > LIMIT_MB:
        raise SystemExit(f"wheel: {file} has {megabytes:.1f} MB, and the limit is {LIMIT_MB} MB")
    print(f"{file}: {megabytes:.1f} MB")
    small = options.output / f"howdah_tensorflowonspark-{version}-py3-none-any.whl"
    write_wheel(small, *tensorflowonspark_contents(version), release_time())
    print(f"{small}: {small.stat().st_size / 10**3:.0f} kB")


if __name__ == "__main__":
    main()
