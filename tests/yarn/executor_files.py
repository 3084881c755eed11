"""The files of Hadoop's native program in the folder of a cluster: the program itself, for which container_executor.py
stands, and its settings."""
import contextlib
import grp
import os
import pathlib

from executor_settings import settings_text

PROGRAM = pathlib.Path(__file__).resolve().parent / "container_executor.py"
GROUP = "yarn.nodemanager.linux-container-executor.group"


def own_group():
    return grp.getgrgid(os.getgid()).gr_name


class ExecutorFiles:
    """A change of the settings applies to the next container, because the program reads them at each start."""

    def __init__(self, folder, sections):
        self.program = folder / "bin" / PROGRAM.name
        self._settings = folder / "etc/hadoop/container-executor.cfg"
        self._sections = {"": {GROUP: own_group()}, **sections}

    def write(self):
        self.program.parent.mkdir()
        self.program.symlink_to(PROGRAM)
        self._settings.parent.mkdir(parents=True)
        self._replace(self._sections)

    @contextlib.contextmanager
    def changed(self, section, values):
        """Other values of some keys for a while. None removes a key."""
        new = {key: value for key, value in {**self._sections[section], **values}.items() if value is not None}
        self._replace({**self._sections, section: new})
        try:
            yield
        finally:
            self._replace(self._sections)

    def _replace(self, sections):
        new = self._settings.with_suffix(".new")
        new.write_text(settings_text(sections))
        new.rename(self._settings)
