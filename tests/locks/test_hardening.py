"""Both programs are linked in the way that makes memory errors hard to exploit."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("HOWDAH_BIN", ROOT / "build/release/bin/howdah")).parent


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


def test_agent_needs_no_dynamic_linker_and_no_text_relocations():
    assert " INTERP " not in readelf("howdah-agent", "--program-headers")
    dynamic = readelf("howdah-agent", "--dynamic")
    assert "(NEEDED)" not in dynamic and "TEXTREL" not in dynamic


# The agent has no symbols, but consists of the same libraries.
def test_code_is_compiled_with_stack_protectors_and_checked_functions():
    symbols = readelf("howdah", "--dyn-syms")
    assert " __stack_chk_fail@" in symbols
    assert re.search(r" __(read|memcpy|snprintf|vsnprintf|memmove)_chk@", symbols), "_FORTIFY_SOURCE had no effect"
