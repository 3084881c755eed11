"""A root directory with a static shell, a few commands and no library."""
import pathlib
import subprocess

BUSYBOX = pathlib.Path("/bin/busybox")  # Debian's busybox-static
DEADLINE_S = 120
COMMANDS_OF_ROOT = ("sh", "echo", "mkdir", "tar", "gzip", "ls")


def run(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=DEADLINE_S, **options)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def make_root(folder):
    root = folder / "root"
    for name in ("bin", "dev", "proc", "release", "tmp", "home"):
        (root / name).mkdir(parents=True)
    (root / "bin/busybox").write_bytes(BUSYBOX.read_bytes())
    (root / "bin/busybox").chmod(0o755)
    for name in COMMANDS_OF_ROOT:
        (root / "bin" / name).symlink_to("busybox")
    return root


def run_with_root(root, release, script, **variables):
    """Runs a script of bash in namespaces in which `root` has its devices and processes, and the folder `release` as
    /release. All processes of the script have ended when it ends."""
    mounts = ["set -e", f"mount -t proc proc {root}/proc", f"mount --rbind /dev {root}/dev",
              f"mount --bind {release} {root}/release"]
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/home", **variables}
    return run("unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", "\n".join([*mounts, script]),
               env=environment, cwd=release)
