"""Both programs are linked in the way that makes memory errors hard to exploit."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = (ROOT / os.environ.get("HOWDAH_BIN", "build/release/bin/howdah")).parent


def readelf(program, *options):
    return subprocess.run(["readelf", "--wide", *options, BIN / program], check=True, capture_output=True,
                          text=True).stdout


@pytest.mark.parametrize("program", ["howdah", "howdah-agent"])
def test_code_is_loaded_at_a_random_address(program):
    assert re.search(r"^\s*Type:\s+DYN ", readelf(program, "--file-header"), re.MULTILINE)


@pytest.mark.parametrize("program", ["howdah", "howdah-agent"])
def test_relocations_are_read_only_after_start(program):
    assert " GNU_RELRO " in readelf(program, "--program-headers")
    assert re.search(r"\(FLAGS_1\).*\bNOW\b", readelf(program, "--dynamic"))


@pytest.mark.parametrize("program", ["howdah", "howdah-agent"])
def test_no_segment_is_writable_and_executable(program):
    headers = readelf(program, "--program-headers")
    flags = re.findall(r"^\s+(LOAD|GNU_STACK)\s+(?:0x\w+\s+){5}([RWE ]{3})\s", headers, re.MULTILINE)
    assert {kind for kind, _ in flags} == {"LOAD", "GNU_STACK"}, headers
    assert not [kind for kind, flag in flags if "W" in flag and "E" in flag], headers


@pytest.mark.parametrize("program", ["howdah", "howdah-agent"])
def test_no_dynamic_linker_and_no_text_relocations_are_needed(program):
    assert " INTERP " not in readelf(program, "--program-headers")
    dynamic = readelf(program, "--dynamic")
    assert "(NEEDED)" not in dynamic and "TEXTREL" not in dynamic


# The symbols of a static program do not show which code is ours and which is from Debian's libraries, and the agent has
# no symbols. So the test reads libraries of ours that both programs contain.
@pytest.mark.parametrize("library", ["base", "os/process", "hadoop/rpc"])
def test_code_is_compiled_with_stack_protectors_and_checked_functions(library):
    archive = BIN.parent / "src" / library / f"libhowdah_{library.replace('/', '_')}.a"
    symbols = subprocess.run(["nm", "--undefined-only", archive], check=True, capture_output=True, text=True).stdout
    assert " __stack_chk_fail\n" in symbols
    assert re.search(r" __(read|memcpy|snprintf|vsnprintf|memmove)_chk\n", symbols), "_FORTIFY_SOURCE had no effect"
