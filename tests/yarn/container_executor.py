#!/usr/bin/python3
"""Stands for Hadoop's setuid program `container-executor`, which Maven does not have: runs containers under the
accounts of their users. A NodeManager that runs as root calls it as

    container_executor.py --checksetup
    container_executor.py USER OWNER OPERATION ARGUMENT...

USER is the account, and OWNER the user whose directories the container gets; both are the same on a cluster with
Kerberos. Operations: 0 prepare an application and run its localizer, 1 run a container, 2 send a signal, 3 delete,
5 list. Exit codes and messages are those of Hadoop's program (container-executor.c)."""
import errno
import grp
import os
import pathlib
import pwd
import shutil
import signal as signals
import sys

# The program's file container-executor.cfg has these keys.
MIN_UID = 1000
LATE_LIMIT_S = 60
BANNED = ("mapred", "hdfs", "bin")
INVALID_ARGUMENTS, NO_SUCH_PID, FAILED_CHECK = 1, 9, 255


def refuse(message, code=FAILED_CHECK):
    print(message, file=sys.stderr)
    sys.exit(code)


def account_of(name):
    if name in BANNED:
        refuse(f"Requested user {name} is banned")
    try:
        account = pwd.getpwnam(name)
    except KeyError:
        refuse(f"User {name} not found")
    if account.pw_uid < MIN_UID:
        refuse(f"Requested user {name} is not whitelisted and has id {account.pw_uid},"
               f"which is below the minimum allowed {MIN_UID}")
    return account


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


def launch(account, app, container, work, script, tokens, *rest):
    pid_file, local_dirs, log_dirs, *_ = without_stores(rest)
    for directory in account.app_directories(split(local_dirs), app):
        account.directory(directory / container, 0o2710)
    for log in split(log_dirs):
        account.directory(pathlib.Path(log, app), 0o2750)
        account.directory(pathlib.Path(log, app, container), 0o2750)
    account.directory(pathlib.Path(work, "tmp"), 0o750)
    script = account.copy(script, os.path.join(work, "launch_container.sh"), 0o700)
    account.copy(tokens, os.path.join(work, "container_tokens"), 0o600)
    ready, started = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(started)
        os.read(ready, 1)  # until the file with the pid exists
        os.setsid()
        os.chdir(work)
        account.become()
        os.execv(script, [str(script)])
    new = f"{pid_file}.tmp"
    pathlib.Path(new).write_text(str(child))
    os.rename(new, pid_file)
    os.close(started)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 128 - code if code < 0 else code
    await_late_end(pathlib.Path(work).parents[5])
    new = f"{pid_file}.exitcode.tmp"
    pathlib.Path(new).write_text(str(code))
    os.rename(new, f"{pid_file}.exitcode")
    sys.exit(code)


def await_late_end(node):
    """With Docker, a NodeManager learns late that the processes of a container have ended. Here it does if the node's
    directory has this FIFO: when a test has opened and closed it."""
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


OPERATIONS = {"0": localize, "1": launch, "2": signal, "3": delete, "5": listing}


def main(words):
    if words == ["--checksetup"]:
        return
    if len(words) < 3 or words[2] not in OPERATIONS:
        refuse(f"unexpected arguments: {words}", INVALID_ARGUMENTS)
    user, owner, operation, *arguments = words
    OPERATIONS[operation](Account(user, owner), *arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
