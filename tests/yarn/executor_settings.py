"""Files in the format of Hadoop's native program: container-executor.cfg, and the commands for docker that a
NodeManager writes. A line is `key=value`, `[section]` or a comment."""
import pathlib
import sys

FAILED_CHECK = 255


def refuse(message, code=FAILED_CHECK):
    print(message, file=sys.stderr, flush=True)
    sys.exit(code)


class Section:
    """The keys of one section."""

    def __init__(self, values):
        self._values = values

    def get(self, key, default=None):
        return self._values.get(key, default)

    def list(self, key):
        """The values between commas; None if there are none."""
        return [word.strip() for word in (self.get(key) or "").split(",") if word.strip()] or None

    def enabled(self, key):
        return (self.get(key) or "").lower() in ("true", "1")


class Settings:
    """Keys outside a section are in the section ""."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self._sections, values = {}, {}
        self._sections[""] = values
        for line in self.path.read_text().splitlines() if self.path.exists() else []:
            line = line.strip()
            if line.startswith("["):
                values = self._sections.setdefault(line.strip("[]"), {})
            elif line and not line.startswith("#"):
                key, _, value = line.partition("=")
                values[key.strip()] = value.strip()

    def __getitem__(self, section):
        return Section(self._sections.get(section, {}))


def settings_text(sections):
    """The text of a file with these sections: name -> key -> value."""
    lines = []
    for name in sorted(sections):  # "" comes first
        lines += [f"[{name}]"] if name else []
        lines += [f"{key}={value}" for key, value in sections[name].items()]
    return "\n".join(lines) + "\n"
