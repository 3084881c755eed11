"""Man pages in roff, made from the help texts of a program built with the grammar of src/cli/args.

The help of a command consists of a description, `Usage: ...`, sections (`Options:`) of items ("  NAME  text"), and
examples. The sections about a subcommand come from its own help.
"""
import re
import subprocess

HEADINGS = {"Positionals": "ARGUMENTS", "Example": "EXAMPLES", "Exit code": "EXIT STATUS"}
ITEM = re.compile(r"  (?P<name>\S+(?: \S+)*)(?:  +(?P<text>\S.*))?")
EXIT_CODES = re.compile(r"^\| (\d+) \|([^|]*)\|([^|]*)\|$", re.MULTILINE)

ENVIRONMENT = [
    ("HOWDAH_HOME", "Directory for the jobs of the local backend and for caches. Default: $XDG_STATE_HOME/howdah, "
                    "otherwise ~/.local/state/howdah."),
    ("HOWDAH_ON", "The backend if --on is not given: local or yarn. Default: the key `on` of "
                  "~/.config/howdah/config.yaml."),
    ("HADOOP_CONF_DIR", "Directory of Hadoop's configuration, for the backend yarn."),
    ("HADOOP_USER_NAME", "The user on the cluster. Default: the name of the user who runs howdah."),
]
AGENT = """\
.TH HOWDAH\\-AGENT 1 "{date}" "Howdah {version}" "Howdah"
.SH NAME
howdah\\-agent \\- application master and executors of a Howdah job
.SH DESCRIPTION
.BR howdah (1)
starts this program, which must be in the same directory.
It runs the application master of a job and, in each container, the executor of a task.
Users do not start it.
.B howdah\\-agent version
prints the version.
.SH SEE ALSO
.BR howdah (1)
"""


def roff(text):
    """Escapes a text, so that roff shows every character unchanged and sees no request in it."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti")
    text = re.sub(r",(?=\S)", lambda _: ",\\:", text)  # a long list of choices may break after each comma
    return "\\&" + text if text.startswith(".") else text


def body(help_text):
    """The sections of a page, as lines of roff."""
    description, _, rest = help_text.partition("Usage: ")
    usage, _, rest = rest.partition("\n")
    lines = [".ad l", ".SH SYNOPSIS", ".B " + roff(usage), ".SH DESCRIPTION", roff(description.strip())]
    in_examples = literal = False
    for line in rest.splitlines():
        heading, colon, after = line.partition(":")
        if literal and not line.startswith("  "):
            lines.append(".EE")
            literal = False
        if colon and (heading in HEADINGS or not after) and not line.startswith(" "):
            lines.append(f'.SH "{HEADINGS.get(heading, heading.upper())}"')
            in_examples = heading == "Example"
            if after:
                lines += [".EX", roff(after.strip()), ".EE"] if in_examples else [roff(after.strip())]
        elif not line:
            lines.append(".PP")
        elif in_examples and line.startswith("  "):
            lines += ([] if literal else [".EX"]) + [roff(line)]
            literal = True
        elif item := ITEM.fullmatch(line):
            lines += [".TP", ".B " + roff(item["name"])] + ([roff(item["text"])] if item["text"] else [])
        else:
            lines.append(roff(line.strip()))
    return lines + ([".EE"] if literal else [])


def items_of(help_text, heading):
    """The items of a section, as {name: text}."""
    section = re.search(rf"^{heading}:\n((?:  .*\n)+)", help_text, re.MULTILINE)
    found = [ITEM.fullmatch(line) for line in section[1].splitlines()] if section else []
    return {item["name"]: item["text"] for item in found if item}


def exit_status(command_line_document):
    """The table of exit codes in docs/command-line.md."""
    lines = ['.SH "EXIT STATUS"']
    for code, of_jobs, of_commands in EXIT_CODES.findall(command_line_document):
        jobs, commands = of_jobs.replace("`", "").strip(), of_commands.strip()
        sentences = [f"run and wait: {jobs}."] * bool(jobs) + [f"Any command: {commands}."] * bool(commands)
        lines += [".TP", ".B " + code, roff(" ".join(sentences))]
    return lines


class Pages:
    """Makes the pages of `program`. `date` is that of the release, as YYYY-MM-DD."""

    def __init__(self, program, version, date, command_line_document):
        self.program, self.version, self.date = program, version, date
        self.command_line_document = command_line_document

    def help_of(self, *words):
        return subprocess.run([self.program, *words, "--help"], check=True, capture_output=True, text=True).stdout

    def page(self, name, summary, lines):
        head = [f'.TH {roff(name).upper()} 1 "{self.date}" "Howdah {self.version}" "Howdah"', ".SH NAME",
                f"{roff(name)} \\- {roff(summary)}"]
        return "\n".join(head + lines) + "\n"

    def main_page(self, help_text, commands):
        lines = body(help_text)
        lines += exit_status(self.command_line_document) + [".SH ENVIRONMENT"]
        for name, text in ENVIRONMENT:
            lines += [".TP", ".B " + name, roff(text)]
        also = [f".BR {roff('howdah-' + command)} (1)," for command in commands]
        lines += [".SH SEE ALSO", *also, "and the documents in", ".IR share/doc/howdah/docs ."]
        return self.page("howdah", "run distributed training jobs on Hadoop YARN or on this machine", lines)

    def command_page(self, command, summary):
        help_text = self.help_of(command)
        lines = body(help_text)
        for action in items_of(help_text, "Subcommands"):
            usage, description, *rest = [line.replace(".SH", ".SS") for line in body(self.help_of(command, action))[1:]]
            lines += [f'.SH "{roff(command + " " + action).upper()}"', usage, ".PP", *rest]
        return self.page("howdah-" + command, summary, lines + [".SH SEE ALSO", ".BR howdah (1)"])

    def all(self):
        """The pages by their names: howdah.1, howdah-run.1, ..."""
        help_text = self.help_of()
        commands = items_of(help_text, "Subcommands")
        pages = {f"howdah-{command}.1": self.command_page(command, summary) for command, summary in commands.items()}
        return {"howdah.1": self.main_page(help_text, commands), **pages,
                "howdah-agent.1": AGENT.format(date=self.date, version=self.version)}
