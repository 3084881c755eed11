#!/usr/bin/python3
"""Stands for Hadoop's setuid program `container-executor`, which Maven does not have: runs containers under the
accounts of their users. A NodeManager that runs as root calls it as

    container_executor.py --checksetup
    container_executor.py USER OWNER OPERATION ARGUMENT...
    container_executor.py --run-docker FILE | --inspect-docker-container --format=FORMAT CONTAINER
    container_executor.py --remove-docker-container [HIERARCHY] CONTAINER
    container_executor.py --module-gpu --excluded_gpus NUMBERS --container_id CONTAINER

USER is the account, and OWNER the user whose directories the container gets; both are the same on a cluster with
Kerberos. Operations: 0 prepare an application and run its localizer, 1 run a container, 2 send a signal, 3 delete,
4 run a container with docker, 5 list. Exit codes and messages are those of Hadoop's program (container-executor.c).
Settings are in ../etc/hadoop/container-executor.cfg, seen from the folder of this program."""
import argparse
import errno
import grp
import os
import pathlib
import pwd
import shutil
import signal as signals
import sys

import docker_executor
from executor_settings import FAILED_CHECK, Settings, refuse

LATE_LIMIT_S = 60
INVALID_ARGUMENTS, INVALID_OPERATION, NO_SUCH_PID, CGROUP_FAILED = 1, 3, 9, 27
SETTINGS = Settings(pathlib.Path(sys.argv[0]).parent.parent / "etc/hadoop/container-executor.cfg")
DOCKER = docker_executor.Docker(SETTINGS)


def account_of(name):
    """The account. Hadoop's program writes these refusals to stdout."""
    rules = SETTINGS[""]
    least = int(rules.get("min.user.id") or 1000)
    try:
        account = pwd.getpwnam(name)
    except KeyError:
        refuse_user(f"User {name} not found")
    if account.pw_uid < least and name not in (rules.list("allowed.system.users") or ()):
        refuse_user(f"Requested user {name} is not whitelisted and has id {account.pw_uid},"
                    f"which is below the minimum allowed {least}")
    if name in (rules.list("banned.users") or ("yarn", "mapred", "hdfs", "bin")):
        refuse_user(f"Requested user {name} is banned")
    return account


def refuse_user(message):
    print(message, flush=True)
    sys.exit(FAILED_CHECK)


class Account:
    """The account of a container. Its directories belong to it and to the NodeManager's group."""

    def __init__(self, name, owner):
        self.entry, self.owner = account_of(name), owner
        self.node_group = os.getgid()

    def directory(self, path, mode):
        try:
            os.mkdir(path)
        except FileExistsError:
            pass
        os.chown(path, self.entry.pw_uid, self.node_group)
        os.chmod(path, mode)
        return path

    def app_directories(self, local_dirs, app):
        """The application's directory in each local directory; makes all directories above it."""
        made = []
        for local in local_dirs:
            user = pathlib.Path(local, "usercache", self.owner)
            user.parent.mkdir(exist_ok=True)
            self.directory(user, 0o2750)
            self.directory(user / "appcache", 0o2710)
            self.directory(user / "filecache", 0o2710)
            made.append(self.directory(user / "appcache" / app, 0o2750))
        return made

    def copy(self, source, target, mode):
        shutil.copyfile(source, target)
        os.chown(target, self.entry.pw_uid, self.node_group)
        os.chmod(target, mode)
        return target

    def become(self):
        groups = [g.gr_gid for g in grp.getgrall() if self.entry.pw_name in g.gr_mem]
        os.setgroups([self.entry.pw_gid, *groups])
        os.setgid(self.entry.pw_gid)
        os.setuid(self.entry.pw_uid)
        os.umask(0o027)


def split(directories):
    return directories.split("%")


def localize(account, app, container, tokens, local_dirs, log_dirs, *command):
    command = without_stores(command)
    work, *_ = account.app_directories(split(local_dirs), app)
    for log in split(log_dirs):
        account.directory(pathlib.Path(log, app), 0o2750)
    account.copy(tokens, work / pathlib.Path(tokens).name, 0o600)
    os.chdir(work)
    account.become()
    os.execv(command[0], command)


def without_stores(words):
    """Newer versions say here whether the container gets key stores for HTTPS."""
    if words[:1] == ("--https",):
        return words[3:]
    return words[1:] if words[:1] == ("--http",) else words


def prepare(account, app, container, work, script, tokens, local_dirs, log_dirs):
    """Makes the directories and files of a container; returns its script."""
    for directory in account.app_directories(split(local_dirs), app):
        account.directory(directory / container, 0o2710)
    for log in split(log_dirs):
        account.directory(pathlib.Path(log, app), 0o2750)
        account.directory(pathlib.Path(log, app, container), 0o2750)
    account.directory(pathlib.Path(work, "tmp"), 0o750)
    account.copy(tokens, os.path.join(work, "container_tokens"), 0o600)
    return account.copy(script, os.path.join(work, "launch_container.sh"), 0o700)


def write_number(path, number):
    new = f"{path}.tmp"
    pathlib.Path(new).write_text(str(number))
    os.rename(new, path)


def enter_cgroups(resources):
    """Puts this process into the cgroups of the container. `resources`: cgroups=FILE%FILE..., or cgroups=none."""
    key, _, files = resources.partition("=")
    for file in split(files) if key == "cgroups" else ():
        if file not in ("", "none"):
            try:
                pathlib.Path(file).write_text(str(os.getpid()))
            except OSError as error:
                refuse(f"Failed to write pid to file {file} - {error.strerror}", CGROUP_FAILED)


def launch(account, app, container, work, script, tokens, *rest):
    pid_file, local_dirs, log_dirs, *resources = without_stores(rest)
    script = prepare(account, app, container, work, script, tokens, local_dirs, log_dirs)
    ready, started = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(started)
        os.read(ready, 1)  # until the file with the pid exists
        os.setsid()
        enter_cgroups(*resources[:1])
        os.chdir(work)
        account.become()
        os.execv(script, [str(script)])
    write_number(pid_file, child)
    os.close(started)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 128 - code if code < 0 else code
    await_late_end(pathlib.Path(work).parents[5])
    write_number(f"{pid_file}.exitcode", code)
    sys.exit(code)


def launch_docker(account, app, container, work, script, tokens, *rest):
    DOCKER.require()
    pid_file, local_dirs, log_dirs, command, *_ = without_stores(rest)
    prepare(account, app, container, work, script, tokens, local_dirs, log_dirs)
    sys.exit(docker_executor.run_container(DOCKER, container, DOCKER.command(command),
                                           lambda suffix, number: write_number(pid_file + suffix, number),
                                           lambda: await_late_end(pathlib.Path(work).parents[5])))


def await_late_end(node):
    """With Docker, a NodeManager learns late that the processes of a container have ended. If the node's directory has
    this FIFO, it learns of the end when a test has opened and closed the FIFO."""
    fifo = node / "ends-late"
    if fifo.exists():
        signals.alarm(LATE_LIMIT_S)
        fifo.read_bytes()
        signals.alarm(0)


def signal(account, pid, number):
    account.become()
    for target in (-int(pid), int(pid)):
        try:
            os.kill(target, int(number))
            return
        except OSError as error:
            if error.errno != errno.ESRCH:
                raise
    sys.exit(NO_SUCH_PID)


def delete(account, directory, *bases):
    for path in [os.path.join(base, directory) if directory else base for base in bases] or [directory]:
        if os.path.isdir(path):
            shutil.rmtree(path, ignore_errors=True)  # another call may delete a part of it
        elif os.path.lexists(path):
            os.unlink(path)


def listing(account, directory):
    account.become()
    print("\n".join(os.listdir(directory)))


def run_docker(file):
    command = DOCKER.command(file)
    os.execv(command[0], command)


def exclude_gpus(*words):
    """Forbids a container to open the GPUs that it did not get. The cgroup is that of the container."""
    if not SETTINGS["gpu"].enabled("module.enabled"):
        print("Module gpu is disabled", flush=True)
        refuse("Please make sure gpu module is enabled before using it.")
    parser = argparse.ArgumentParser()
    parser.add_argument("--excluded_gpus")
    parser.add_argument("--container_id", required=True)
    options = parser.parse_args(words)
    group, major = SETTINGS["cgroups"], SETTINGS["gpu"].get("gpu.major-device-number") or 195
    deny = (pathlib.Path(group.get("root"), "devices", group.get("yarn-hierarchy"), options.container_id)
            / "devices.deny")
    for minor in options.excluded_gpus.split(",") if options.excluded_gpus else ():
        print(f"CGroups: Updating cgroups, path={deny}, value=c {major}:{minor} rwm", file=sys.stderr)
        deny.write_text(f"c {major}:{minor} rwm")


OPERATIONS = {"0": localize, "1": launch, "2": signal, "3": delete, "4": launch_docker, "5": listing}
DOCKER_OPERATIONS = {
    "--run-docker": run_docker,
    "--inspect-docker-container": lambda *words: DOCKER.execute("inspect", *words),
    "--remove-docker-container": lambda *words: docker_executor.remove(DOCKER, *words),
}


def main(words):
    if words == ["--checksetup"]:
        return
    if words[:1] == ["--module-gpu"]:
        return exclude_gpus(*words[1:])
    if words[:1] and words[0] in DOCKER_OPERATIONS:
        DOCKER.require()
        return DOCKER_OPERATIONS[words[0]](*words[1:])
    if len(words) < 3:
        refuse(f"unexpected arguments: {words}", INVALID_ARGUMENTS)
    user, owner, operation, *arguments = words
    print(f"main : command provided {operation}\nmain : run as user is {user}\nmain : requested yarn user is {owner}",
          flush=True)
    if operation not in OPERATIONS:
        refuse(f"Invalid command {operation} not supported.", INVALID_OPERATION)
    OPERATIONS[operation](Account(user, owner), *arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
