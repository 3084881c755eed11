"""Faults for a job. A fault begins immediately. The caller ends the fault later: a daemon restarts, or a process
continues."""
import os
import signal


def _signal(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class Faults:
    """Each public method makes one kind of fault. It returns a description of the target, and a function that ends the
    fault (None for a fault without duration). It returns None if there is no target at the moment."""

    def __init__(self, howdah, job, random):
        self.howdah, self.job, self.random = howdah, job, random

    # --- faults of tasks ---

    def kill_process(self):
        return self._on_processes(signal.SIGKILL)

    def kill_executor(self):
        return self._on_executors(signal.SIGKILL, 1)

    def kill_guardian(self):
        return self._on_executors(signal.SIGKILL, 0)

    def pause_process(self):
        return self._on_processes(signal.SIGSTOP)

    def pause_executor(self):
        return self._on_executors(signal.SIGSTOP, 1)

    # --- faults of the AM ---

    def kill_am(self):
        return self._on(self.howdah.agents(self.job, "am")[1:], signal.SIGKILL, "the AM")

    def pause_am(self):
        return self._on(self.howdah.agents(self.job, "am")[1:], signal.SIGSTOP, "the AM")

    def _on_processes(self, number):
        tasks = [task for task in self.howdah.status(self.job)["tasks"] if task["pids"]]
        if not tasks:
            return None
        task = self.random.choice(tasks)
        return self._on(task["pids"], number, f"{task['role']}:{task['index']}")

    def _on_executors(self, number, which):
        """`which`: 0 for a guardian, 1 for an executor."""
        alive, agents = self.howdah.alive(self.job), self.howdah.agents(self.job, "task")
        containers = [task["container"] for task in self.howdah.status(self.job)["tasks"] if task["container"]]
        pairs = [[pid for pid in agents if container in alive[pid]] for container in containers]
        pairs = [pair for pair in pairs if len(pair) == 2]
        if not pairs:
            return None
        return self._on([self.random.choice(pairs)[which]], number, ("a guardian", "an executor")[which])

    def _on(self, pids, number, what):
        if not pids:
            return None
        _signal(pids, number)
        return what, (lambda: _signal(pids, signal.SIGCONT)) if number == signal.SIGSTOP else None


LOCAL = ["kill_process", "kill_executor", "kill_guardian", "kill_am", "pause_process", "pause_executor", "pause_am"]


class ClusterFaults(Faults):
    """Adds the faults of a cluster."""

    def __init__(self, howdah, job, random):
        super().__init__(howdah, job, random)
        self.cluster = howdah.cluster

    def kill_am_and_guardian(self):
        return self._on(self.howdah.agents(self.job, "am"), signal.SIGKILL, "the AM and its guardian")

    def kill_node_manager(self):
        return self._on_node(lambda node: self.cluster[node].kill(), lambda node: self.cluster[node].start())

    def cut_power(self):
        """Kills the NodeManager and all its containers."""
        return self._on_node(self.cluster.cut_power, lambda node: self.cluster[node].start())

    def cut_network(self):
        number = {node: int(node[2:]) for node in self.cluster.setup.node_names()}
        return self._on_node(lambda node: self.cluster.network.cut(number[node]),
                             lambda node: self.cluster.network.mend(number[node]))

    def pause_node_manager(self):
        return self._on_node(lambda node: self.cluster[node].stop(), lambda node: self.cluster[node].cont())

    def pause_resource_manager(self):
        daemon = self.cluster[self.cluster.active]
        daemon.stop()
        return f"the ResourceManager {daemon.name}", daemon.cont

    def kill_resource_manager(self):
        """The other ResourceManager takes over, and the killed one restarts as the standby."""
        dead = self.cluster.active
        self.cluster.fail_over()
        return f"the ResourceManager {dead}", None

    def _on_node(self, begin, end):
        node = self.random.choice(self.cluster.setup.node_names())
        begin(node)
        return node, lambda: end(node)


CLUSTER = [*LOCAL, "kill_am_and_guardian", "kill_node_manager", "cut_power", "cut_network", "pause_node_manager",
           "pause_resource_manager", "kill_resource_manager"]


def with_source(faults, source):
    """The faults of this class, and those of the process that supplies a feed."""
    class SourceFaults(faults):
        def kill_source(self):
            source.kill()
            return "the source", source.start

        def pause_source(self):
            return self._on([source.pid], signal.SIGSTOP, "the source")
    return SourceFaults


SOURCE = ["kill_source", "pause_source"]
