"""The documents for users name only commands, flags and keys that exist, and their job files are valid."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile

import jsonschema
import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import tidy_cpp  # noqa: E402

BIN = ROOT / os.environ.get("HOWDAH_BIN", "build/release/bin/howdah")
DOCUMENTS = {str(path.relative_to(ROOT)): path.read_text()
             for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]}
DEADLINE_S = 60


def howdah(*arguments, **options):
    return subprocess.run([BIN, *arguments], capture_output=True, text=True, timeout=DEADLINE_S, **options)


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


JOB_FILES = [(name, number, text) for name, document in DOCUMENTS.items()
             for number, text in enumerate(blocks(document, "yaml"))
             if re.search(r"^roles:", text, re.M) and "command:" in text]  # other blocks are parts of job files


def make_named_files(folder, text):
    """Makes the local files and directories that a job file sends with the job."""
    listed = [name for names in re.findall(r"files: \[([\w./, -]+)\]", text) for name in names.split(", ")]
    for name in re.findall(r"(?:from|archive|source): \"?(\.?[\w./-]+)", text) + listed:
        path = folder / name
        if path.suffixes[-2:] == [".tar", ".gz"]:
            with tarfile.open(path, "w:gz") as tar:
                tar.add("/usr/bin/python3", arcname="bin/python")
        elif path.suffix:
            path.touch()
        else:
            path.mkdir(parents=True, exist_ok=True)


@pytest.mark.parametrize("name, number, text", JOB_FILES, ids=[f"{name}-{number}" for name, number, _ in JOB_FILES])
def test_plan_finds_no_problem_in_a_job_file_of_the_documents(tmp_path, name, number, text):
    make_named_files(tmp_path, text)
    (tmp_path / "job.yaml").write_text(text)
    done = howdah("plan", "job.yaml", "--json", "--on", "local", cwd=tmp_path,
                  env={**os.environ, "HOWDAH_HOME": str(tmp_path / "home")})
    assert done.returncode in (0, 3), done  # 3: this machine has too few cores or GPUs, or too little memory
    assert json.loads(done.stdout)["problems"] == [], done


def commands(text):
    """The commands in the code of a document, each as the words after `howdah`, up to `--`, a pipe or a command."""
    code = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    code += [line for block in blocks(text, "sh") for line in block.replace("\\\n", " ").splitlines()]
    return [command.split(" -- ")[0].split() for line in code
            for command in re.findall(r"(?:^|[;&|(] ?)howdah ([a-z][^|;&#>)]*)", line)]


def help_of(command):
    """The help of a command and of its actions, such as `howdah portal token`."""
    text = howdah("help", command).stdout
    actions = re.findall(r"^  ([a-z]+)\s", text.partition("\nSubcommands:\n")[2].partition("\n\n")[0], re.M)
    return "".join([text, *(howdah(command, action, "--help").stdout for action in actions)])


def test_every_command_and_flag_in_the_documents_exists():
    helps = {None: howdah("--help").stdout}
    names = re.findall(r"^  ([a-z-]+)\s", helps[None], re.M)
    found = {(name, *words) for name, text in DOCUMENTS.items() for words in commands(text)}
    assert len(found) > 100, found
    wrong = []
    for name, command, *words in sorted(found):
        if command == "squeue":  # the example of an unknown command
            continue
        if command not in helps:
            helps[command] = help_of(command) if command in names else ""
        known = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", helps[command]))
        flags = {word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)}
        if command not in names or flags - known:
            wrong.append(f"{name}: howdah {command} {' '.join(words)}: {flags - known or 'unknown command'}")
    assert not wrong, "\n".join(wrong)


def keys_with_values(text):
    """The mappings in the last columns of tables, such as {"timeouts": {"run": "2h"}}. Skips mappings that only list
    keys, such as `instances: {min, max}`."""
    for row in re.findall(r"^\|.*\|$", text, re.M):
        for code in re.findall(r"`(\w+: [^`]+)`", re.split(r"(?<!\\)\|", row)[-2]):
            value = yaml.safe_load(re.sub(r"\bN\b", "3", code).replace("…", "x"))
            if isinstance(value, dict) and "null" not in json.dumps(value):
                yield value


def test_every_key_in_the_tables_for_users_of_other_tools_exists():
    schema = json.loads(howdah("schema").stdout)
    role = {"memory": "1GiB", "command": "python train.py"}
    found = list(keys_with_values(DOCUMENTS["docs/coming-from.md"]))
    assert len(found) > 30, found
    checker = jsonschema.Draft202012Validator(schema)
    wrong = [keys for keys in found if not checker.is_valid({"roles": {"worker": role}, **keys})
             and not checker.is_valid({"roles": {"worker": {**role, **keys}}})]
    assert not wrong


def walk_steps(document):
    """The numbered steps and other paragraphs of the walks through the code, each without line breaks."""
    walks = document.partition("\n## Four walks through the code\n")[2].partition("\n## ")[0]
    return [" ".join(step.split()) for step in re.split(r"\n(?=\d+\. )|\n\n", walks) if "`" in step]


def defined_in(path):
    """The functions and classes that a C++ file defines: Function, Class::Function, Class. In a header, a function in a
    class has only its own name. An `On` that has overloads also has its form `On(Event)`."""
    text = (ROOT / path).read_text()
    names = {name.split("(")[0] for name, _, _ in tidy_cpp.functions(text)} | {c.name for c in tidy_cpp.classes(text)}
    return names | {f"On({event})" for event in re.findall(r"\bOn\(const (\w+)&", text)}


def headers_of(path):
    """The header beside a .cc file, and the one of the same name in the library's include folder."""
    name = pathlib.Path(path).stem + ".h"
    folder = (ROOT / path).parent
    found = [folder / name, folder / "include/howdah" / folder.relative_to(ROOT / "src") / name]
    return [str(header.relative_to(ROOT)) for header in found if header.is_file()]


def defines(path, name):
    """Whether a file or its header defines a function or class. The name may omit the class."""
    names = set().union(*(defined_in(file) for file in [path, *headers_of(path)]))
    name = re.sub(r"^(core|policy|diagnosis)::", "", name)
    owner, _, last = name.rpartition("::")
    inside = owner in names and last in names  # defined within the braces of its class
    return name in names or inside or (not owner and any(known.endswith("::" + name) for known in names))


def is_type(name):
    """Whether a header or a .proto file defines a class, a message, an enumeration, or a method of an interface."""
    last = name.rpartition("::")[2]
    pattern = re.compile(rf"\b(class|struct|message|enum|enum class) {last}\b[^;]*{{|\bvirtual [^;(]*\b{last}\(")
    return any(pattern.search(path.read_text()) for folder, ending in [("src", "*.h"), ("proto/howdah", "*.proto")]
               for path in (ROOT / folder).rglob(ending))


CODE_FILE = r"`(src/[\w./]+\.(?:cc|h))`"
CODE_NAME = r"`((?:\w+::)*[A-Z]\w*[a-z]\w*|On\(\w+\))`"


def wrong_names(step):
    """The files and names of a step that do not exist. A name that follows its file, or precedes `in FILE`, has to be
    defined there; any other function in one of the files of the step; a type anywhere."""
    files = re.findall(CODE_FILE, step)
    wrong = [path for path in files if not (ROOT / path).is_file()]
    files = [path for path in files if path not in wrong]
    sequences = re.findall(rf"{CODE_FILE}, ((?:{CODE_NAME}(?: and )?)+)", step)
    placed = [(path, name) for path, sequence, _ in sequences for name in re.findall(CODE_NAME, sequence)]
    placed += [(path, name) for name, path in re.findall(rf"{CODE_NAME} in {CODE_FILE}", step)]
    wrong += [f"{name} in {path}" for path, name in placed if path in files and not defines(path, name)]
    for name in sorted(set(re.findall(CODE_NAME, step)) - {name for _, name in placed}):
        if not any(defines(path, name) for path in files) and not is_type(name):
            wrong.append(name)
    return wrong


def test_every_file_and_function_of_the_walks_exists():
    steps = walk_steps(DOCUMENTS["docs/how-it-works.md"])
    assert sum(len(re.findall(CODE_NAME, step)) for step in steps) > 50, steps
    wrong = {step: names for step in steps if (names := wrong_names(step))}
    assert not wrong, wrong


@pytest.mark.parametrize("step, wrong", [
    ("`src/core/gone.cc`, `Phase::Run`", ["src/core/gone.cc"]),
    ("`src/core/phase.cc`, `Phase::Walk`: x", ["Phase::Walk in src/core/phase.cc"]),
    ("`src/core/phase.cc`, `Phase::Run` and `Phase::Walk`", ["Phase::Walk in src/core/phase.cc"]),
    ("`Recovery::React` in `src/core/phase.cc`", ["Recovery::React in src/core/phase.cc"]),
    ("`src/core/phase.cc`: then `Recovery::React`", ["Recovery::React"]),
    ("`src/core/phase.cc`, `Run`, of a `Phase`", []),
    ("`wire::Heartbeat` and `Phase::Run` in `src/core/phase.cc`", []),
])
def test_a_wrong_name_in_a_walk_is_found(step, wrong):
    assert wrong_names(step) == wrong
