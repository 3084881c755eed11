#!/usr/bin/env python3
"""check_pure_symbols.py ARCHIVE... | --list FILE - the impure symbols that pure libraries use, from their object code.

The pure libraries (PURE in tidy_rules.py) take time, randomness, files and the network as arguments. tidy.py checks
their text. This program checks the compiled code, which includes macros, templates and headers. """
import pathlib
import re
import subprocess
import sys

# Undefined symbols that a pure library must not have, and the effect that each would allow.
BANNED = [
    (r"clock_gettime|gettimeofday|time|clock|(clock_)?nanosleep|_ZNSt6chrono3_V2\d+\w+_clock3nowEv", "reads a clock"),
    (r"socket|connect|bind|listen|accept4?|send(to|msg)?|recv(from|msg)?|poll|ppoll|select|epoll_\w+|getaddrinfo",
     "uses the network"),
    (r"open(at)?(64)?|fopen(64)?|read|write|stat(64)?|unlink|rename|mkdir|opendir|mmap(64)?|"
     r"_ZNSt(13|14|12)?basic_[io]?fstream.*|_ZNSt10filesystem.*", "touches files"),
    (r"pthread_(create|mutex_lock|cond_\w+|rwlock_\w+|join)|_ZNSt6thread.*|_ZNSt18condition_variable.*",
     "is for threads"),
    (r"rand(_r)?|random|drand48|getrandom|getentropy|_ZNSt13random_device.*", "is random"),
    (r"(secure_)?getenv|setenv|environ|getpid|gethostname|uname|getuid", "asks about the process or machine"),
    (r"fork|vfork|exec\w+|posix_spawnp?|system|popen|kill|signal|sigaction", "handles processes"),
    (r"_ZSt4cout|_ZSt4cerr|_ZSt4clog|_ZSt3cin|printf|puts|syslog|stdout", "writes a log"),
]


def plain(symbol):
    """The name of the function that _FORTIFY_SOURCE has replaced: `read` for __read_chk, `open` for __open_2."""
    checked = re.fullmatch(r"__(\w+)(_chk|_2)", symbol)
    return checked.group(1) if checked else symbol


def undefined(archive):
    """Yields (object file, undefined symbol)."""
    member = ""
    for line in subprocess.run(["nm", "-u", archive], check=True, capture_output=True, text=True).stdout.splitlines():
        if line.endswith(":"):
            member = line[:-1]
        elif line.split():
            yield member, line.split()[-1].split("@")[0]


def findings(archive):
    for member, symbol in undefined(archive):
        for pattern, what in BANNED:
            if re.fullmatch(pattern, plain(symbol)):
                name = pathlib.Path(archive).name
                yield f"{name}({member}): {symbol} {what}; a pure library is given that as an argument"


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    archives = pathlib.Path(arguments[1]).read_text().split() if arguments[0] == "--list" else arguments
    found = [finding for archive in archives for finding in findings(archive)]
    print("\n".join(found) if found else f"{len(archives)} pure libraries, nothing impure")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
