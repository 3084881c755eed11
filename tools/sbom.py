#!/usr/bin/env python3
"""Writes the software bill of materials of a release: the Debian packages whose code is in `howdah` and `howdah-agent`,
with versions, as SPDX 2.3 in JSON.

    tools/sbom.py [--build FOLDER] [--output FILE]      the folder of a finished release build; default: build/release

MIT krb5 is built from Debian's source package by tools/krb5-env, and listed as libkrb5-dev of that version. The npm
packages in the portal's pages, which are part of `howdah`, come from the list that the build of the pages writes.
The linker's map lists the archives that contribute a member to a program, so a library that is only installed, or only
offered to the linker, is not listed. Headers of libraries without archives come from the dependencies that ninja
recorded. Each file is assigned to the package that owns it (dpkg).
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = ("howdah", "howdah-agent")
DPKG_INFO = pathlib.Path("/var/lib/dpkg/info")
LICENSE = "Apache-2.0"


def linked_files(linker_map):
    """The archives and object files outside the build folder that a linker map names, as in
    `/usr/lib/libz.a(inflate.o):(.text)`."""
    archives = re.findall(r"(?<!\S)(/\S+\.a)\(", linker_map)
    objects = re.findall(r"(?<!\S)(/\S+\.o):\(", linker_map)
    return {os.path.realpath(path) for path in archives + objects}


def shared_libraries(dynamic_section):
    """The names after NEEDED in the output of `readelf --dynamic`."""
    return re.findall(r"\(NEEDED\)\s+Shared library: \[([^]]+)\]", dynamic_section)


def link_command(commands, program):
    """The command that links a program, from the output of `ninja -t commands`, as a list of words."""
    for line in reversed(commands.splitlines()):
        words = shlex.split(line)
        if "-o" in words and words[words.index("-o") + 1].endswith(f"bin/{program}"):
            begin = next(i for i, word in enumerate(words) if pathlib.Path(word).name in ("c++", "g++"))
            end = next((i for i in range(begin, len(words)) if words[i] == "&&"), len(words))
            return words[begin:end]
    raise SystemExit(f"sbom: ninja has no command that links {program}")


def map_of(build, program):
    """Links a program again, with a map. The build's own output is not touched."""
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", program], check=True, capture_output=True,
                              text=True).stdout
    words = link_command(commands, program)
    with tempfile.TemporaryDirectory() as folder:
        words[words.index("-o") + 1] = f"{folder}/{program}"
        words = [word for word in words if word != "-s"] + [f"-Wl,-Map,{folder}/map"]
        subprocess.run(words, cwd=build, check=True)
        return pathlib.Path(folder, "map").read_text(errors="replace")


def headers_of(build, program):
    """The system headers that were compiled into a program."""
    inputs = subprocess.run(["ninja", "-C", build, "-t", "inputs", program], check=True, capture_output=True,
                            text=True).stdout.split()
    compiled = [path for path in inputs if path.endswith((".o", ".gch"))]
    deps = subprocess.run(["ninja", "-C", build, "-t", "deps", *compiled], check=True, capture_output=True,
                          text=True).stdout
    return {os.path.realpath(line.strip()) for line in deps.splitlines() if line.startswith("    /usr/include/")}


class Packages:
    """The installed packages, by the files that they own."""

    def __init__(self, info=DPKG_INFO):
        self.owner = {}
        for listing in info.glob("*.list"):
            for line in listing.read_text(errors="replace").splitlines():
                self.owner[line] = listing.stem
        fields = "${binary:Package}\t${source:Package}\t${Version}\t${source:Version}\t${Architecture}\n"
        shown = subprocess.run(["dpkg-query", "-W", "-f", fields], check=True, capture_output=True, text=True).stdout
        self.facts = {}
        for line in shown.splitlines():
            name, source, version, source_version, architecture = line.split("\t")
            self.facts[name] = self.facts[name.partition(":")[0]] = {
                "name": name.partition(":")[0], "source": source, "version": version, "source_version": source_version,
                "architecture": architecture}

    def of(self, path):
        """The package of a file; None if it belongs to none. dpkg may record /lib for files in /usr/lib."""
        for recorded in (path, path.removeprefix("/usr")):
            if recorded in self.owner:
                return self.facts.get(self.owner[recorded])
        return None


def spdx_id(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name.replace("+", "plus"))


def spdx_npm_package(facts):
    name, version = facts["name"], facts["version"]
    return {
        "SPDXID": spdx_id("Package-npm-" + name),
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": facts["licence"],
        "copyrightText": "NOASSERTION",
        "sourceInfo": "bundled into the pages of the portal; `howdah portal` shows the licence on the page About",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:npm/{name}@{version}"}],
    }


def spdx_package(facts):
    if "licence" in facts:
        return spdx_npm_package(facts)
    version, architecture = facts["version"], facts["architecture"]
    return {
        "SPDXID": spdx_id("Package-" + facts["name"]),
        "name": facts["name"],
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "sourceInfo": f"built from the Debian source package {facts['source']} {facts['source_version']}; its licences "
                      f"are in /usr/share/doc/{facts['name']}/copyright",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:deb/debian/{facts['name']}@{version}?arch={architecture}"}],
    }


def document(version, created, programs):
    """The SPDX document.

    programs: name -> {relationship: package facts}, with the relationships of SPDX: STATIC_LINK, DYNAMIC_LINK,
    DEPENDS_ON for headers, and CONTAINS for the pages."""
    listed, relationships = {}, []
    for program, by_kind in programs.items():
        relationships.append(("SPDXRef-DOCUMENT", "DESCRIBES", spdx_id(program)))
        for kind, found in by_kind.items():
            for facts in found:
                package = spdx_package(facts)
                listed[package["SPDXID"]] = package
                relationships.append((spdx_id(program), kind, package["SPDXID"]))
    own = [{"SPDXID": spdx_id(program), "name": program, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": LICENSE, "licenseDeclared": LICENSE,
            "copyrightText": "NOASSERTION", "primaryPackagePurpose": "APPLICATION"} for program in programs]
    body = {"packages": own + [listed[key] for key in sorted(listed)],
            "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                              for a, kind, b in sorted(set(relationships))]}
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"howdah-{version}", "documentNamespace": f"https://howdah.invalid/spdx/{version}-{digest}",
            "creationInfo": {"created": created, "creators": ["Tool: howdah-sbom"]}, **body}


def krb5_package(archive):
    """MIT krb5, which tools/krb5-env has built from a Debian source package; `archive` is lib/libkrb5.a."""
    version = pathlib.Path(archive).parents[1].joinpath("version").read_text().strip()
    return {"name": "libkrb5-dev", "source": "krb5", "version": version, "source_version": version,
            "architecture": "amd64"}


def assign(paths, packages):
    """The packages that own these files, each once. Files of Howdah itself are ignored. Any other file without a
    package is an error, because the list would be incomplete."""
    found = {}
    for path in sorted(paths):
        if path.endswith("/krb5/lib/libkrb5.a"):
            found["libkrb5-dev"] = krb5_package(path)
            continue
        if path.startswith(str(ROOT) + "/"):
            continue
        facts = packages.of(path)
        if facts is None:
            raise SystemExit(f"sbom: no Debian package owns {path}, which is part of a program")
        found[facts["name"]] = facts
    return list(found.values())


def creation_time():
    """The time of the commit, so that two builds of one commit have equal lists."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(seconds)))


def materials(build, program, packages):
    dynamic = subprocess.run(["readelf", "--wide", "--dynamic", build / "bin" / program], check=True,
                             capture_output=True, text=True).stdout
    cache = subprocess.run(["/sbin/ldconfig", "-p"], check=True, capture_output=True, text=True).stdout
    shared = set()
    for name in shared_libraries(dynamic):
        at = re.search(rf"^\s*{re.escape(name)} .*x86-64.* => (\S+)$", cache, re.MULTILINE)
        shared.add(os.path.realpath(at.group(1)) if at else name)
    linked = assign(linked_files(map_of(build, program)), packages)
    dynamic_packages = assign(shared, packages)
    known = {facts["source"] for facts in linked + dynamic_packages}
    only_headers = [facts for facts in assign(headers_of(build, program), packages) if facts["source"] not in known]
    return {"STATIC_LINK": linked, "DYNAMIC_LINK": dynamic_packages, "DEPENDS_ON": only_headers}


def bundled(build):
    """The npm packages in the pages; none if the build has no pages."""
    listing = build / "portal/packages.json"
    return json.loads(listing.read_text()) if listing.exists() else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--output", type=pathlib.Path, help="default: FOLDER/howdah.spdx.json")
    options = parser.parse_args()
    version = subprocess.run([options.build / "bin/howdah-agent", "version"], check=True, capture_output=True,
                             text=True).stdout.split()[-1]
    packages = Packages()
    programs = {program: materials(options.build, program, packages) for program in PROGRAMS}
    programs["howdah"]["CONTAINS"] = bundled(options.build)
    output = options.output or options.build / "howdah.spdx.json"
    result = document(version, creation_time(), programs)
    output.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{output}: {len(result['packages'])} packages", file=sys.stderr)


if __name__ == "__main__":
    main()
