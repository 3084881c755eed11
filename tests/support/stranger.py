"""Lets another user of the machine attack a running job; see stranger_attacks.py."""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import tempfile

from other_user import UID, as_other

ATTACKS = pathlib.Path(__file__).with_name("stranger_attacks.py")


def inodes_of(pids):
    """The inodes of the sockets of these processes."""
    found = set()
    for pid in pids:
        for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
            try:
                if at := re.fullmatch(r"socket:\[(\d+)\]", os.readlink(fd)):
                    found.add(at[1])
            except FileNotFoundError:
                pass
    return found


def address_of(text, family):
    """The address in a line of /proc/net/tcp. The address for all interfaces is replaced by the loopback address."""
    digits, port = text.split(":")
    if family == 4:
        host = ".".join(str(byte) for byte in reversed(bytes.fromhex(digits)))
        return ("127.0.0.1" if host == "0.0.0.0" else host), int(port, 16)
    return "::1", int(port, 16)


def ports_of(pids):
    """The TCP addresses on which these processes listen."""
    ours, found = inodes_of(pids), set()
    for name, family in (("tcp", 4), ("tcp6", 6)):
        for line in pathlib.Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            _, local, _, state, *_ = words = line.split()
            if words[9] in ours and state == "0A":
                found.add(address_of(local, family))
    return sorted(found)


def sockets_of(pids):
    """The names of the unix sockets of these processes. A null character begins an abstract name."""
    ours, found = inodes_of(pids), set()
    for line in pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]:
        words = line.split(maxsplit=7)
        if len(words) == 8 and words[6] in ours:
            found.add("\0" + words[7][1:] if words[7].startswith("@") else words[7])
    return sorted(found)


@contextlib.contextmanager
def public_folder():
    """A directory that every user may enter. pytest's own folders would hide mistakes of Howdah: they are private, and
    each start of pytest makes them private again."""
    with tempfile.TemporaryDirectory(prefix="howdah-stranger-") as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)


def target_of(job, pids, paths, own, secret, uid=UID, seconds=0, page=False, **more):
    """TARGET of the script, as text. uid: the stranger. The other parameters are those of attack()."""
    own.mkdir(exist_ok=True)
    os.chown(own, uid, uid)
    target = {"job": job, "pids": sorted(pids), "ports": ports_of(pids), "sockets": sockets_of(pids),
              "paths": sorted(map(str, paths)), "own": str(own), "secret": secret, "seconds": seconds,
              "page": page, "may_read": [], "sticky": [], "home": "", "howdah": "", **more}
    assert target["ports"] and target["paths"] and target["pids"], target
    return json.dumps(target)


def attack(job, pids, paths, own, secret, seconds=0, **more):
    """Attacks the job once, or repeatedly for this number of seconds. Returns the number of attacks. All must fail.

    own: a directory for the stranger. secret: a text that the stranger must not find. more: `page`, whether everybody
    on the machine may read the job's status page, so that ports answer strangers; other entries for TARGET."""
    target = target_of(job, pids, paths, own, secret, seconds=seconds, **more)
    done = subprocess.run(as_other(["/usr/bin/python3", "-c", ATTACKS.read_text()]), input=target, cwd=own,
                          capture_output=True, text=True, timeout=300 + 2 * seconds, start_new_session=True)
    assert done.returncode == 0, done
    return all_refused(done.stdout)


def all_refused(output):
    """Checks the output of the script. Returns the number of attacks."""
    result = json.loads(output)
    assert not result["succeeded"], result
    print(f"{result['refused']} attacks in {result['times']} rounds")
    return result["refused"]
