"""Gives each node of a test cluster its own network, which can be cut.

All networks are inside one network namespace, which the process of the tests enters first. Nothing outside changes, and
the kernel removes the namespace with its last process."""
import os
import subprocess
import sys

_PREFIX = "10.99.0."
HUB = _PREFIX + "1"  # the address of this process and of all daemons except NodeManagers


def address(node):
    """The address of a node. The numbers of nodes start at 1."""
    return f"{_PREFIX}{10 + node}"


def enter():
    """Restarts the program in its own namespace, if it is not there already. Needs root."""
    if os.environ.get("HOWDAH_TEST_NETWORK") != str(os.getpid()):
        os.environ["HOWDAH_TEST_NETWORK"] = str(os.getpid())  # exec does not change the pid
        os.execvp("unshare", ["unshare", "--net", sys.executable, *sys.orig_argv[1:]])


def _ip(*words, inside=()):
    subprocess.run([*inside, "ip", *words], check=True)


class Network:
    """A bridge, and a namespace for each node that is attached to it."""

    def __init__(self, nodes):
        self.holders = {}
        _ip("link", "set", "lo", "up")
        _ip("link", "add", "hub", "type", "bridge")
        _ip("address", "add", f"{HUB}/24", "dev", "hub")
        _ip("link", "set", "hub", "up")
        for node in range(1, nodes + 1):
            self.holders[node] = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec sleep infinity"],
                                                  stdout=subprocess.PIPE)
            self.holders[node].stdout.readline()  # a line that the process prints inside the new namespace
            _ip("link", "add", f"node{node}", "type", "veth", "peer", "name", "eth0", "netns",
                str(self.holders[node].pid))
            _ip("link", "set", f"node{node}", "master", "hub", "up")
            for words in (["link", "set", "lo", "up"], ["address", "add", f"{address(node)}/24", "dev", "eth0"],
                          ["link", "set", "eth0", "up"]):
                _ip(*words, inside=self.inside(node))

    def inside(self, node):
        """The first words of a command that runs on the node."""
        return ["nsenter", f"--net=/proc/{self.holders[node].pid}/ns/net", "--"]

    def cut(self, node):
        """Drops all packets from and to the node, without an error, until mend()."""
        _ip("link", "set", f"node{node}", "down")

    def mend(self, node):
        _ip("link", "set", f"node{node}", "up")

    def close(self):
        for holder in self.holders.values():
            holder.kill()
            holder.wait()
            holder.stdout.close()
        _ip("link", "del", "hub")
