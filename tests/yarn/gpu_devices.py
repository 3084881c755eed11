"""Two GPUs of NVIDIA that do not exist. The kernel answers ENXIO to a process that may open the device file of such a
GPU, and EPERM to one that may not. The device files, the facts of the driver and nvidia-smi are in the mount namespace
of a cluster's daemons only."""
import pathlib

MAJOR, MINORS = 195, (0, 1)
CGROUPS = pathlib.Path("/sys/fs/cgroup")
SMI = """#!/bin/sh
echo "0, Tesla T4, 15360, GPU-00000000-0000-0000-0000-000000000000, 00000000:00:00.0"
echo "1, Tesla T4, 15360, GPU-11111111-1111-1111-1111-111111111111, 00000000:01:00.0"
"""
UUIDS = [line.split(", ")[3] for line in SMI.splitlines()[1:]]

# Runs in a new mount namespace.
ENTER = f"""dev=$(mktemp -d)
mount -t tmpfs tmpfs "$dev"
cp -a /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty /dev/fd /dev/stdin /dev/stdout /dev/stderr "$dev"
mkdir -m 1777 "$dev/shm"
mount -t tmpfs tmpfs /proc/driver
for minor in {' '.join(map(str, MINORS))}; do
  mknod -m 666 "$dev/nvidia$minor" c {MAJOR} "$minor"
  facts=/proc/driver/nvidia/gpus/0000:0$minor:00.0
  mkdir -p "$facts"
  echo "Device Minor: $minor" >"$facts/information"
done
mount --move "$dev" /dev
rmdir "$dev"
mount -t tmpfs tmpfs /usr/local/bin
cat >/usr/local/bin/nvidia-smi <<'end'
{SMI}end
chmod 755 /usr/local/bin/nvidia-smi
"""


def problem():
    """The reason why this machine cannot isolate GPUs in the way of Hadoop 3.3; "" if it can."""
    probe = CGROUPS / "devices/howdah-probe"
    try:
        probe.mkdir()
        probe.rmdir()
    except OSError as why:
        return f"cannot make a cgroup for devices: {why}"
    return ""


def hierarchy(folder):
    """The name of the cgroups of a cluster's containers."""
    return folder.name


def settings(folder):
    """Properties of yarn-site for the nodes."""
    cgroups = "yarn.nodemanager.linux-container-executor.cgroups"
    return {
        "yarn.nodemanager.resource-plugins": "yarn.io/gpu",
        "yarn.nodemanager.resource-plugins.gpu.allowed-gpu-devices": ",".join(f"{n}:{n}" for n in MINORS),
        f"{cgroups}.hierarchy": f"/{hierarchy(folder)}",
        f"{cgroups}.mount": False,
        f"{cgroups}.mount-path": CGROUPS,
    }


def executor_sections(folder):
    """Sections of container-executor.cfg."""
    return {"gpu": {"module.enabled": "true"}, "cgroups": {"root": CGROUPS, "yarn-hierarchy": hierarchy(folder)}}


def remove_cgroups(folder):
    """Removes the cgroups of a cluster whose processes have ended."""
    for tree in CGROUPS.glob(f"*/{hierarchy(folder)}"):
        for group in tree.iterdir():
            if group.is_dir():
                group.rmdir()
        tree.rmdir()
