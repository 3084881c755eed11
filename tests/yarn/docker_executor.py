"""The part of container_executor.py that runs docker. A NodeManager describes a docker command in a file. This module
checks the file against the section [docker] of container-executor.cfg, and runs the real docker. Codes and messages are
those of Hadoop 3.3 and later (docker-util.c, mount-utils.c, container-executor.c)."""
import os
import pathlib
import re
import select
import subprocess
import sys
import time

from executor_settings import Settings, refuse

NOT_EXECUTED, DOCKER_RUN_FAILED = 7, 29
INVALID_MOUNT, INVALID_RO_MOUNT, INVALID_RW_MOUNT, MOUNT_ACCESS_ERROR = 49, 50, 51, 52
INCORRECT_COMMAND, INVALID_CONTAINER_NAME, INVALID_IMAGE_NAME, INVALID_USER_NAME = 54, 55, 56, 57
INVALID_INSPECT_FORMAT, UNKNOWN_COMMAND, INVALID_NETWORK, INVALID_CAPABILITY = 58, 59, 60, 62
PRIVILEGED_DISABLED, INVALID_DEVICE, PID_HOST_DISABLED, INVALID_PID_NAMESPACE = 63, 64, 70, 71
UNTRUSTED_IMAGE, INVALID_TMPFS, INVALID_RUNTIME = 72, 73, 74

MEANINGS = {
    INVALID_MOUNT: "Invalid mount", INVALID_RO_MOUNT: "Invalid read-only mount",
    INVALID_RW_MOUNT: "Invalid read-write mount", MOUNT_ACCESS_ERROR: "Mount access error",
    INCORRECT_COMMAND: "Incorrect command", INVALID_CONTAINER_NAME: "Invalid docker container name",
    INVALID_IMAGE_NAME: "Invalid docker image name", INVALID_USER_NAME: "Invalid docker user name",
    INVALID_INSPECT_FORMAT: "Invalid docker inspect format", UNKNOWN_COMMAND: "Unknown docker command",
    INVALID_NETWORK: "Invalid docker network", INVALID_CAPABILITY: "Invalid docker capability",
    PRIVILEGED_DISABLED: "Privileged docker containers are disabled", INVALID_DEVICE: "Invalid docker device",
    PID_HOST_DISABLED: "Docker host pid namespace is disabled", INVALID_PID_NAMESPACE: "Invalid docker pid namespace",
    INVALID_TMPFS: "Invalid docker tmpfs mount", INVALID_RUNTIME: "Invalid docker runtime",
}
IMAGE = re.compile(r"(([a-zA-Z0-9.-]+)(:[0-9]+)?/)?([a-z0-9_./-]+)(:[a-zA-Z0-9_.-]+)?")
CONTAINER = re.compile(r"container_(e\d+_)?\d+_\d+_\d+_\d+")
VOLUME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]*")
INSPECT_FORMATS = ("{{.State.Status}}", "{{json .NetworkSettings.Ports}}", "{{.State.Status}},{{.Config.StopSignal}}",
                   "{{range(.NetworkSettings.Networks)}}{{.IPAddress}},{{end}}{{.Config.Hostname}}")
PAUSE_S = 3


class Problem(Exception):
    """The command is not allowed. `code`: a key of MEANINGS."""

    def __init__(self, code, *lines):
        super().__init__(code)
        self.code, self.lines = code, lines


class Docker:
    """The docker of this node. `settings`: container-executor.cfg."""

    def __init__(self, settings):
        self.settings, self.allowed = settings, settings["docker"]

    def require(self):
        if not self.allowed.enabled("module.enabled") and not self.settings[""].get("feature.docker.enabled"):
            print("Module docker is disabled", flush=True)
            refuse("Feature disabled: docker", 32)

    @property
    def binary(self):
        return self.allowed.get("docker.binary") or "/usr/bin/docker"

    def command(self, path):
        """The words of the docker command that this file describes."""
        command = Settings(path)["docker-command-execution"]
        config = command.get("docker-config")
        try:
            words = DockerCommand(command, self).words()
        except Problem as problem:
            for line in problem.lines:
                print(line, file=sys.stderr)
            refuse(f"Error constructing docker command, docker error code={problem.code}, error message="
                   f"'{MEANINGS[problem.code]}'", DOCKER_RUN_FAILED)
        return [self.binary, *([f"--config={config}"] if config else []), *words]

    def execute(self, *words):
        os.execv(self.binary, [self.binary, *words])

    def inspect(self, form, container):
        """A number that docker reports about a container; None if it reports none."""
        done = subprocess.run([self.binary, "inspect", "--format", form, container], capture_output=True, text=True,
                              check=False)
        return int(done.stdout) if done.returncode == 0 and done.stdout.strip() else None

    def exit_code(self, container):
        """Repeats the question while the answer is 0, as Hadoop's program does. So a NodeManager learns half a minute
        late that a container has succeeded."""
        code = 0
        for _ in range(int(self.allowed.get("docker.inspect.max.retries") or 10)):
            code = self.inspect("{{.State.ExitCode}}", container)
            if code:
                break
            time.sleep(PAUSE_S)
        return -1 if code is None else code


class DockerCommand:
    """One command for docker, from the file of a NodeManager."""

    def __init__(self, command, docker):
        self.get, self.list, self.docker, self.allowed = command.get, command.list, docker, docker.allowed

    def words(self):
        name = self.get("docker-command")
        makers = {"run": self.run, "inspect": self.inspect, "images": self.images, "pull": lambda: [self.image()],
                  "rm": lambda: ["-f", self.container()], "start": lambda: [self.container()],
                  "stop": lambda: [*self.option("time"), self.container()],
                  "kill": lambda: [*self.option("signal"), self.container()]}
        if name not in makers:
            raise Problem(UNKNOWN_COMMAND)
        return [name, *makers[name]()]

    def option(self, key, name=None):
        value = self.get(key)
        return [] if value is None else [f"--{name or key}={value}"]

    def container(self):
        name = self.get("name") or ""
        if not CONTAINER.fullmatch(name):
            raise Problem(INVALID_CONTAINER_NAME, f"Specified container_id={name} is invalid")
        return name

    def image(self):
        name = self.get("image") or ""
        if not IMAGE.fullmatch(name):
            raise Problem(INVALID_IMAGE_NAME)
        return name

    def images(self):
        return [*([self.image()] if self.get("image") else []), "--format={{json .}}", "--filter=dangling=false"]

    def inspect(self):
        form = self.get("format")
        if form not in INSPECT_FORMATS:
            raise Problem(INVALID_INSPECT_FORMAT, f"Invalid format option '{form}' not permitted")
        return [f"--format={form}", self.container()]

    def run(self):
        words = [f"--name={self.container()}"]
        user, image = self.get("user"), self.image()
        if user is None:
            raise Problem(INVALID_USER_NAME)
        privileged = self.get("privileged") == "true"
        words += [] if privileged else [f"--user={user}"]
        words += ["-d"] if self.get("detach") == "true" else []
        words += ["--rm"] if self.get("rm") == "true" else []
        words += [*self.option("workdir"), *self.permitted("net", INVALID_NETWORK, "network"), *self.pid_namespace(),
                  *self.mounts(), *self.tmpfs(), *self.option("cgroup-parent")]
        if privileged:
            self.refuse_privileges()
        words += ["--cap-drop=ALL", *self.capabilities(), *self.permitted("runtime", INVALID_RUNTIME, "runtime"),
                  *self.option("hostname")]
        words += [word for group in self.list("group-add") or () for word in ("--group-add", group)]
        words += self.devices()
        words += ["--env-file", self.get("environ")] if self.get("environ") else []
        return [*words, image, *(self.list("launch-command") or ())]

    def permitted(self, key, code, title):
        """The option for one value, if docker.allowed.TITLEs permits it."""
        value, permitted = self.get(key), self.allowed.list(f"docker.allowed.{title}s")
        if value is None:
            return []
        problem = f"Could not find requested {title} in allowed {title}s"
        if key != "net" and not self.trusted():
            raise Problem(code, *self.distrust(), f"Disable {key} for untrusted image", problem)
        self.check(value, permitted, code, problem)
        return [f"--{key}={value}"]

    @staticmethod
    def check(value, permitted, code, problem):
        if permitted is None:
            raise Problem(code, f"Invalid param '{value}' requested, permitted values list is empty", problem)
        if value not in permitted:
            raise Problem(code, f"Invalid param '{value}' requested", problem)

    def pid_namespace(self):
        value = self.get("pid")
        if value is None:
            return []
        if value != "host":
            raise Problem(INVALID_PID_NAMESPACE, "Invalid pid namespace")
        if not self.allowed.enabled("docker.host-pid-namespace.enabled"):
            raise Problem(PID_HOST_DISABLED, "Host pid namespace is disabled")
        return ["--pid=host"]

    def trusted(self):
        registries = self.allowed.list("docker.trusted.registries") or ()
        return any(self.get("image").startswith(registry.rstrip("/") + "/") for registry in registries)

    def distrust(self):
        return [f"image: {self.get('image')} is not trusted."]

    def mounts(self):
        """An untrusted image gets no mounts, and therefore finds no script to run."""
        mounts = self.list("mounts") or []
        if mounts and not self.trusted():
            print(*self.distrust(), "Disable mount volume for untrusted image", sep="\n", file=sys.stderr)
            return []
        permitted = Mounts(self.allowed, self.docker.settings.path) if mounts else None
        return [word for mount in mounts for word in ("-v", permitted.checked(mount))]

    def tmpfs(self):
        mounts = self.list("tmpfs") or []
        for mount in mounts:
            if not re.fullmatch(r"/[^:]+", mount):
                raise Problem(INVALID_TMPFS, f"Invalid docker tmpfs mount '{mount}'")
        return [word for mount in mounts for word in ("--tmpfs", mount)]

    def refuse_privileges(self):
        """Only the entry point of an image can get them, and Howdah's containers have a command of their own."""
        if not self.allowed.enabled("docker.privileged-containers.enabled"):
            raise Problem(PRIVILEGED_DISABLED, "Privileged containers are disabled")
        raise Problem(PRIVILEGED_DISABLED, "Privileged containers are disabled for non-entry-point mode")

    def capabilities(self):
        wanted, permitted = self.list("cap-add") or [], self.allowed.list("docker.allowed.capabilities")
        if wanted and not self.trusted():
            print(*self.distrust(), "Disable cap-add for untrusted image",
                  "Docker capability disabled for untrusted image", sep="\n", file=sys.stderr)
            return []
        for value in wanted:
            self.check(value, permitted, INVALID_CAPABILITY, "Invalid docker capability requested")
        return [f"--cap-add={value}" for value in wanted]

    def devices(self):
        wanted, permitted = self.list("devices") or [], self.allowed.list("docker.allowed.devices")
        problem = "Invalid docker device requested"
        if wanted and not self.trusted():
            raise Problem(INVALID_DEVICE, *self.distrust(), "Disable devices for untrusted image", problem)
        for value in wanted:
            device, separator, _ = value.partition(":")
            if not separator:
                raise Problem(INVALID_DEVICE, f"Prefix char ':' not found in '{value}'", problem)
            names = [name.partition(":")[0] for name in permitted or ()]
            if device not in names:
                self.check(value, permitted, INVALID_DEVICE, problem)
        return [f"--device={value}" for value in wanted]


class Mounts:
    """The mounts that container-executor.cfg permits."""

    def __init__(self, allowed, settings_file):
        self.settings_file = str(settings_file.resolve())
        try:
            self.read_only, self.writable = ([self.real(path) for path in allowed.list(key) or ()] for key in (
                "docker.allowed.ro-mounts", "docker.allowed.rw-mounts"))
        except Problem as problem:
            raise Problem(MOUNT_ACCESS_ERROR, *problem.lines, "Unable to find permitted mounts on disk") from None

    @staticmethod
    def real(path):
        if not os.path.exists(path):
            if VOLUME.fullmatch(path):
                return path
            raise Problem(INVALID_MOUNT, f"Could not determine real path of mount '{path}'")
        real = os.path.realpath(path)
        return os.path.join(real, "") if os.path.isdir(real) else real

    @staticmethod
    def within(path, permitted):
        return any(path == one or one.endswith("/") and path.startswith(one) for one in permitted)

    def checked(self, mount):
        """`mount`: SOURCE:TARGET:MODE, where MODE can have an addition, as in ro+rslave."""
        source, target, options = mount.split(":")
        names = f"src='{source}', dest='{target}'"
        try:
            real = self.real(source)
        except Problem as problem:
            raise Problem(INVALID_MOUNT, *problem.lines, f"Invalid mount {names}") from None
        writable = self.within(real, self.writable)
        if options.split("+")[0] == "rw":
            if not writable:
                raise Problem(INVALID_RW_MOUNT, f"Configuration does not allow mount {names}")
            if self.settings_file.startswith(os.path.join(real, "")):
                raise Problem(INVALID_RW_MOUNT, "Attempting to mount a parent directory of container-executor.cfg as "
                                                f"read-write. {names}")
        elif not writable and not self.within(real, self.read_only):
            raise Problem(INVALID_RO_MOUNT, f"Configuration does not allow mount {names}")
        return f"{source}:{target}:{options.replace('+', ',')}"


def await_end(pid):
    """Waits until the process has ended."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    poll = select.poll()
    poll.register(process, select.POLLIN)
    poll.poll()
    os.close(process)


def run_container(docker, container, command, write_file, await_late_end=lambda: None):
    """Runs a container to its end; returns the code of the helper. `write_file(suffix, number)` writes the file of the
    pid (suffix "") or of the exit code. `await_late_end` is called when the processes of the container have ended."""
    try:
        failed = subprocess.run(command, check=False).returncode != 0
    except OSError as error:
        print(f"failed to execute docker command! error: {error.strerror}", file=sys.stderr)
        failed = True
    if failed:
        write_file(".exitcode", NOT_EXECUTED)
        return NOT_EXECUTED
    pid = docker.inspect("{{.State.Pid}}", container)
    if pid:
        write_file("", pid)
        await_end(pid)
    await_late_end()
    code = docker.exit_code(container)
    write_file(".exitcode", code)
    return code & 0xff


def remove(docker, *words):
    """`words`: the hierarchy of cgroups, if the node uses them, and the container."""
    *hierarchy, container = words
    done = subprocess.run([docker.binary, "rm", "-f", container], check=False)
    for tree in pathlib.Path("/sys/fs/cgroup").iterdir() if hierarchy else ():
        group = tree / hierarchy[0] / container
        if group.is_dir():
            group.rmdir()
    sys.exit(0 if done.returncode == 0 else DOCKER_RUN_FAILED)
