"""MIT krb5, as our programs link it, resolves no names, loads no libraries and looks up no users. In a static program
these functions would load modules of the machine. It always uses the locks of the threads library."""
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = (ROOT / os.environ.get("HOWDAH_BIN", "build/release/bin/howdah")).parent
ARCHIVE = BIN.parent / "krb5/lib/libkrb5.a"
FORBIDDEN = re.compile(r"getaddrinfo|getnameinfo|gethostby\w+|gethostent|getservby\w+|getpw\w+|getgr(nam|gid|ent)\w*"
                       r"|getlogin\w*|(__)?res_\w+|ns_\w+|dlopen|dlsym|dlmopen|iconv_open|popen|system|v?fork|exec\w+")


def undefined(file, kind):
    """The undefined symbols of a kind: "U", or "w" for weak ones."""
    output = subprocess.run(["nm", "--undefined-only", file], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in output.splitlines() if line.split()[:1] == [kind]}


def forbidden_symbols(file):
    return sorted(name for name in undefined(file, "U") if FORBIDDEN.fullmatch(name))


def test_archive_does_not_test_whether_there_are_threads():
    """A static program lacks the functions to which all references are weak. krb5 would then use no locks."""
    assert not undefined(ARCHIVE, "w")
    assert {"pthread_once", "pthread_mutex_lock"} <= undefined(ARCHIVE, "U")


def test_archive_uses_none_of_these_functions():
    assert forbidden_symbols(ARCHIVE) == []


def test_check_finds_a_planted_violation(tmp_path):
    (tmp_path / "planted.c").write_text("#include <netdb.h>\nint f(void) { return getaddrinfo(0, 0, 0, 0); }\n")
    subprocess.run(["gcc", "-c", "planted.c", "-o", "planted.o"], cwd=tmp_path, check=True)
    assert forbidden_symbols(tmp_path / "planted.o") == ["getaddrinfo"]
