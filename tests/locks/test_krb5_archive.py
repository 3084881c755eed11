"""MIT krb5, as our programs link it, resolves no names, loads no libraries and looks up no users. In a static program
these functions would load modules of the machine."""
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = (ROOT / os.environ.get("HOWDAH_BIN", "build/release/bin/howdah")).parent
ARCHIVE = BIN.parent / "krb5/lib/libkrb5.a"
FORBIDDEN = re.compile(r"getaddrinfo|getnameinfo|gethostby\w+|gethostent|getservby\w+|getpw\w+|getgr(nam|gid|ent)\w*"
                       r"|getlogin\w*|(__)?res_\w+|ns_\w+|dlopen|dlsym|dlmopen|iconv_open|popen|system|v?fork|exec\w+")


def forbidden_symbols(file):
    output = subprocess.run(["nm", "--undefined-only", file], check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1] for line in output.splitlines() if line.split()[:1] == ["U"]}
    return sorted(name for name in names if FORBIDDEN.fullmatch(name))


def test_archive_uses_none_of_these_functions():
    assert forbidden_symbols(ARCHIVE) == []


def test_check_finds_a_planted_violation(tmp_path):
    (tmp_path / "planted.c").write_text("#include <netdb.h>\nint f(void) { return getaddrinfo(0, 0, 0, 0); }\n")
    subprocess.run(["gcc", "-c", "planted.c", "-o", "planted.o"], cwd=tmp_path, check=True)
    assert forbidden_symbols(tmp_path / "planted.o") == ["getaddrinfo"]
