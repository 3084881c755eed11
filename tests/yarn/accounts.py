"""Accounts that only a mount namespace has, so that tests change nothing on the machine."""
import pathlib

NO_ACCOUNT = "carol"  # has a ticket and a home, and no account
FIRST_ID = 20001
# "$1" and "$2" replace the files of accounts, and "$4" shows the folder "$3".
ENTER = """set -e
mount --bind "$1" /etc/passwd
mount --bind "$2" /etc/group
mount --bind "$3" "$4"
shift 4
{more}exec "$@"
"""


class Accounts:
    """The accounts of users, with groups of the same names, in the mount namespace of one cluster's daemons. The
    processes of users may not be able to read `hadoop`, which may be below the home directory of root. So the namespace
    shows it in the folder of the cluster, too."""

    def __init__(self, folder, hadoop, users, more=""):
        """`more`: further commands that prepare the namespace."""
        self._enter = ENTER.format(more=more)
        self._hadoop = pathlib.Path(hadoop.folder)
        self._shown = folder / "hadoop"
        self._shown.mkdir()
        accounts = list(enumerate([user for user in users if user != NO_ACCOUNT], FIRST_ID))
        self._uids = {user: n for n, user in accounts}
        self._files = []
        for name, lines in (("passwd", [f"{user}:x:{n}:{n}::/nonexistent:/bin/sh" for n, user in accounts]),
                            ("group", [f"{user}:x:{n}:" for n, user in accounts])):
            path = folder / name
            path.write_text("\n".join([pathlib.Path("/etc", name).read_text().rstrip("\n"), *lines, ""]))
            self._files.append(path)

    def uid(self, user):
        return self._uids[user]

    def inside(self, command):
        """The command line that runs the command in the namespace. The process keeps its pid."""
        words = [str(word).replace(str(self._hadoop), str(self._shown)) for word in command]
        return ["unshare", "--mount", "sh", "-c", self._enter, "sh", *map(str, self._files), str(self._hadoop),
                str(self._shown), *words]


def open_to_tasks(folder):
    """Lets tasks write in a folder of pytest, under whichever account they run. Returns the folder."""
    for parent in folder.parents:
        if parent.stat().st_mode & 0o777 == 0o700:  # those that pytest has made
            parent.chmod(0o711)
    folder.chmod(0o1777)
    return folder
