"""Makes the process of a test a client of a test cluster."""
import os

from machine import BIN

_OF_USER = ("HOWDAH_ON", "HOWDAH_HOME", "HADOOP_CONF_DIR", "HADOOP_USER_NAME", "KRB5CCNAME", "KRB5_CONFIG", "JAVA_HOME")


def become(user, folder, monkeypatch):
    """The package howdah in this process, and the programs that the process starts, act for a cluster_user.Howdah. They
    run in an empty directory in `folder`."""
    (folder / "work").mkdir()
    (folder / "work").chmod(0o1777)  # tasks may run under other accounts
    monkeypatch.chdir(folder / "work")
    for name in [name for name in os.environ if name.startswith(("HADOOP_", "YARN_"))]:
        monkeypatch.delenv(name)
    for name in _OF_USER:
        if name in user.env:
            monkeypatch.setenv(name, str(user.env[name]))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.setenv("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")
