"""The bill of materials lists every package in the programs, and no package that is only installed."""
import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import sbom  # noqa: E402

ZLIB = {"name": "zlib1g-dev", "source": "zlib", "version": "1:1.2.13.dfsg-1", "source_version": "1:1.2.13.dfsg-1",
        "architecture": "amd64"}
CXX = {**ZLIB, "name": "libstdc++-12-dev", "source": "gcc-12"}


def test_linked_archives_are_read_from_the_map():
    text = """     VMA       Size Align Out     In      Symbol
        5678a0      141    16         src/base/libhowdah_base.a(text.cc.o):(.text)
        5679f0       77    16         /usr/lib/libz.a(inflate.o):(.text)
        567a40       77    16         /usr/lib/gcc/x86_64-linux-gnu/12/../../../x86_64-linux-gnu/rcrt1.o:(.text)
        567a90       77    16         <internal>:(.got)
"""
    assert sbom.linked_files(text) == {"/usr/lib/libz.a", "/usr/lib/x86_64-linux-gnu/rcrt1.o"}


def test_link_command_is_found_between_the_other_commands_of_a_rule():
    commands = "ccache c++ -c a.cc -o a.o\n: && /usr/bin/c++ -O2 a.o -o bin/howdah-agent -lz && :\n"
    words = sbom.link_command(commands, "howdah-agent")
    assert words == ["/usr/bin/c++", "-O2", "a.o", "-o", "bin/howdah-agent", "-lz"]


def test_file_without_package_is_an_error(tmp_path):
    packages = sbom.Packages(info=tmp_path)
    with pytest.raises(SystemExit, match="no Debian package owns /opt/libx.a"):
        sbom.assign({"/opt/libx.a"}, packages)


def test_krb5_is_listed_with_its_source_package(tmp_path):
    archive = tmp_path / "krb5/lib/libkrb5.a"
    archive.parent.mkdir(parents=True)
    (tmp_path / "krb5/version").write_text("1.20.1-2+deb12u5\n")
    found = sbom.assign({str(archive)}, sbom.Packages(info=tmp_path))
    assert [(p["source"], p["version"]) for p in found] == [("krb5", "1.20.1-2+deb12u5")]


def test_document_relates_programs_to_packages():
    document = sbom.document("1.2", "2026-01-01T00:00:00Z", {"howdah-agent": {"STATIC_LINK": [ZLIB, CXX]}})
    assert document["spdxVersion"] == "SPDX-2.3"
    packages = {p["SPDXID"]: p for p in document["packages"]}
    assert packages["SPDXRef-howdah-agent"]["versionInfo"] == "1.2"
    zlib = packages["SPDXRef-Package-zlib1g-dev"]
    assert zlib["externalRefs"][0]["referenceLocator"] == "pkg:deb/debian/zlib1g-dev@1:1.2.13.dfsg-1?arch=amd64"
    assert document["relationships"] == [
        {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in (
            ("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-howdah-agent"),
            ("SPDXRef-howdah-agent", "STATIC_LINK", "SPDXRef-Package-libstdcplusplus-12-dev"),
            ("SPDXRef-howdah-agent", "STATIC_LINK", "SPDXRef-Package-zlib1g-dev"))]
    again = sbom.document("1.2", "2026-02-02T00:00:00Z", {"howdah-agent": {"STATIC_LINK": [CXX, ZLIB]}})
    assert again["documentNamespace"] == document["documentNamespace"], "the same content has the same name"


def test_packages_in_the_pages_are_listed_with_their_licence():
    preact = {"name": "preact", "version": "11.2.0", "licence": "MIT"}
    document = sbom.document("1.2", "2026-01-01T00:00:00Z", {"howdah": {"CONTAINS": [preact]}})
    package = next(p for p in document["packages"] if p["name"] == "preact")
    assert package["licenseDeclared"] == "MIT"
    assert package["externalRefs"][0]["referenceLocator"] == "pkg:npm/preact@11.2.0"
    assert document["relationships"][-1] == {"spdxElementId": "SPDXRef-howdah", "relationshipType": "CONTAINS",
                                             "relatedSpdxElement": "SPDXRef-Package-npm-preact"}


def test_release_build_lists_its_libraries(tmp_path):
    output = tmp_path / "howdah.spdx.json"
    subprocess.run([sys.executable, ROOT / "tools/sbom.py", "--output", output], check=True)
    document = json.loads(output.read_text())
    linked = {(r["spdxElementId"], r["relatedSpdxElement"].removeprefix("SPDXRef-Package-"))
              for r in document["relationships"] if r["relationshipType"] == "STATIC_LINK"}
    for package in ("libgrpc-dev", "libssl-dev", "libarchive-dev", "libc6-dev"):
        assert ("SPDXRef-howdah-agent", package) in linked, package
    for package in ("libsqlite3-dev", "libyaml-dev"):  # the agent reads no job files in YAML
        assert ("SPDXRef-howdah", package) in linked and ("SPDXRef-howdah-agent", package) not in linked, package
    ids = {p["SPDXID"] for p in document["packages"]}
    assert not {i for i in ids if "gtest" in i}, "a library of the tests"
    for relation in document["relationships"]:
        assert relation["relatedSpdxElement"] in ids
