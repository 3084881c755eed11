"""The content of every form of a release: stripped programs, the list of the packages linked into them, and
the licences of these packages."""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("howdah", "howdah-agent")
KRB5 = "libkrb5-dev"  # see tools/sbom.py
DEBIAN_DOCS, COMMON_LICENSES = pathlib.Path("/usr/share/doc"), pathlib.Path("/usr/share/common-licenses")

COPYRIGHT = """\
Howdah is licensed under the Apache License, version 2.0: see LICENSE in this directory.

The programs contain the libraries that howdah.spdx.json lists. licenses/PACKAGE is the copyright file of each library's
Debian package, and licenses/common contains the licences to which these files refer. The source of each is the Debian
source package that howdah.spdx.json names. The npm packages in the pages of `howdah portal` are listed there, too, and
licenses/pages-of-the-portal contains their licences.
"""


def output_of(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def release_time():
    """The time of the commit in seconds, so that the files of a release do not depend on the time of the build."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or output_of("git", "log", "-1", "--format=%ct", cwd=ROOT))


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def add_programs(build, folder):
    """Writes the stripped programs into an existing folder."""
    for program in PROGRAMS:
        subprocess.run(["strip", "-o", folder / program, build / "bin" / program], check=True)


def version_of(build):
    return output_of(build / "bin/howdah-agent", "version").split()[-1]


def write_sbom(build, file):
    """Writes the list of the packages linked into the programs, and returns its text."""
    subprocess.run([sys.executable, ROOT / "tools/sbom.py", "--build", build, "--output", file], check=True)
    return file.read_text()


def is_npm_package(package):
    return any(ref["referenceLocator"].startswith("pkg:npm/") for ref in package.get("externalRefs", []))


def add_licences(build, spdx, docs):
    """Copies the copyright file of each Debian package in the programs, and the licences to which these files refer;
    and the licences of the npm packages in the portal's pages, which the build of the pages has collected. The build
    also has the copyright file of MIT krb5, whose Debian package need not be installed."""
    common = set()
    packages = [p for p in json.loads(spdx)["packages"] if p["name"] not in PROGRAMS]
    if any(is_npm_package(package) for package in packages):
        write(docs / "licenses/pages-of-the-portal", (build / "portal/assets/licences.txt").read_bytes())
    for package in (p["name"] for p in packages if not is_npm_package(p)):
        file = build / "krb5/copyright" if package == KRB5 else DEBIAN_DOCS / package / "copyright"
        if not file.exists():
            raise SystemExit(f"package: {file} is missing; a release needs the licences of {package}. Debian's minimal "
                             "images leave such files out: reinstall the package without path-exclude in dpkg.cfg.d")
        text = file.read_text(errors="replace")
        common |= set(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", text))
        write(docs / "licenses" / package, text)
    for name in common:
        write(docs / "licenses/common" / name, (COMMON_LICENSES / name).read_bytes())


def normalise(tree, seconds):
    """Sets the times of all files and their modes: 0755 if the owner may execute the file, otherwise 0644."""
    for path in [tree, *tree.rglob("*")]:
        path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
        os.utime(path, (seconds, seconds))
