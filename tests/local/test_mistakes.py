"""Typical mistakes of new users, and the message that Howdah must print for each. Small scripts stand in for libraries;
they print the texts of the real ones. The numbers in names, such as `test_mistake_31_…`, count mistakes, not the rows
of docs/failures.md; tests of those rows are in test_reasons.py."""
import getpass
import os
import re
import signal
import socket
import subprocess

import pytest

from machine import BIN, eventually

# The module `fail` prints a traceback as PyTorch does. The types and texts below are from PyTorch 2.15 and 1.13.
TORCH = """
import os, sys
def fail(kind, text):
    sys.stderr.write(f'''Traceback (most recent call last):
  File "{os.path.abspath(sys.argv[0])}", line 4, in <module>
    dist.init_process_group()
  File "/usr/lib/python3/dist-packages/torch/distributed/distributed_c10d.py", line 862, in init_process_group
    raise
{kind}: {text}
''')
    sys.exit(1)
"""
NO_RANK = ("ValueError", "Error initializing torch.distributed using env:// rendezvous: environment variable RANK "
           "expected, but not set")
NO_PEERS = ("torch.distributed.DistStoreError", "wait timeout after 15000ms, keys: /default_pg/0//cpu//0/0")
NO_PEERS_AT_RANK_0 = ("torch.distributed.DistStoreError",
                      "Timed out after 16 seconds waiting for clients. 2/4 clients joined.")
NO_PEERS_1_13 = ("RuntimeError", "Socket Timeout")
NO_GPU = ("RuntimeError", "nccl2 requires at least one CUDA device")


@pytest.fixture
def source(tmp_path):
    """A directory with a program that fails with the exception that its arguments describe."""
    directory = tmp_path / "src"
    directory.mkdir()
    (directory / "fail.py").write_text(TORCH)
    (directory / "train.py").write_text("import sys, fail\nfail.fail(*sys.argv[1:])\n")
    return directory


def said(done, *facts):
    text = done.stdout + done.stderr
    missing = [fact for fact in facts if fact not in text]
    assert not missing, (missing, done)


# --- mistakes that are reported before the job runs -------------------------------------------------------------------

def role(more):
    return f"roles:\n  w: {{memory: 1GiB, command: date,\n    {more}}}\n"


@pytest.mark.parametrize("text, facts", [
    pytest.param("roles:\n" + "".join(f"  w{i}: {{memory: {size}, command: date}}\n"
                                      for i, size in enumerate(("2G", "512 M", "2048"))),
                 ["2: roles.w0.memory: invalid memory size '2G'; write 2GiB, or 2GB for powers of 1000",
                  "3: roles.w1.memory: invalid memory size '512 M'; write 512MiB",
                  "4: roles.w2.memory: '2048' has no unit; write 2048MiB or 2GiB"],
                 id="09-units-of-memory"),
    pytest.param("naem: x\nroles:\n  w: {memroy: 1GiB, comand: date}\n",
                 ["1: naem: unknown key; did you mean 'name'?", "3: roles.w.memroy: unknown key; did you mean 'memory'",
                  "3: roles.w.comand: unknown key; did you mean 'command'?"], id="10-misspelt-keys"),
    pytest.param("role:\n  w: {memroy: 1GiB, command: date}\nvcores: 2\n",
                 ["1: role: unknown key; did you mean 'roles'?",
                  "2: role.w.memroy: unknown key; did you mean 'memory'?",
                  "3: vcores: unknown key here; did you mean roles.NAME.vcores?"],
                 id="11-role-for-roles"),
    pytest.param("setup: x\n" + role("nproc_per_node: 2, num_nodes: 2, cpu: 2, workers: 2, replicas: 2"),
                 ["nproc_per_node: unknown key here; did you mean 'processes'", "num_nodes: unknown key here; did you "
                  "mean 'instances'", "cpu: unknown key here; did you mean 'vcores'", "workers: unknown key here; did "
                  "you mean 'instances'", "replicas: unknown key here; did you mean 'instances'",
                  "1: setup: unknown key here; did you mean python.archive"],
                 id="12-keys-of-other-tools"),
    pytest.param("roles:\n  - name: w\n    memory: 1GiB\n", ["1: roles: must be a map of roles by name; write for "
                                                             "example worker: {memory: 2GiB, command: ...}"],
                 id="13-list-of-roles"),
    pytest.param(role("restart: often"), ["3: roles.w.restart.max: 'often' is not a whole number; write"],
                 id="13-restart"),
    pytest.param("roles:\n  w:\n    memory: 1GiB\n    command: python3 t.py --msg \"a: b\"\n",
                 ["4: not valid YAML", "put quotes around a value that contains ': '",
                  "\n      command: python3 t.py --msg \"a: b\"\n" + " " * 36 + "^\n"], id="28-colon-in-a-value"),
    pytest.param("roles:\n  w:\n    memory: 1GiB\n    command: 'echo it's'\n",
                 ["not valid YAML", "check the indentation and the quotes: within '…' write '' for a quote"],
                 id="29-nested-quotes"),
    pytest.param("outputs: [*.pt]\n" + role(""), ["1: not valid YAML", "put quotes around a value that begins with *"],
                 id="29-asterisk"),
    pytest.param("roles:\n  w:\n    command: date\n  memory: 1GiB\n",
                 ["4: roles.memory: is a key of a role; indent it below the name of its role"], id="31-indentation"),
    pytest.param("roles:\n\tw: {memory: 1GiB}\n", ["2: not valid YAML", "indent with spaces"], id="31-tab"),
    pytest.param("roles: {}\n---\nroles: {}\n", ["2: a job file has only one YAML document; remove this '---'"],
                 id="31-two-documents"),
    pytest.param("", ["the file is empty; `howdah init` prints a template"], id="31-empty"),
    pytest.param("\ufeff", ["the file is empty; `howdah init` prints a template"], id="31-byte-order-mark"),
    pytest.param("name: a\nname: b\n" + role(""), ["2: name: duplicate key (first in line 1); remove one of them"],
                 id="31-duplicate-key"),
])
def test_mistakes_in_a_job_file_are_named_with_line_and_remedy(machine, tmp_path, text, facts):
    done = machine("plan", machine.job_file(tmp_path, text))
    assert done.code == 2, done
    said(done, *facts)


@pytest.mark.parametrize("text", ["\ufeff" + role(""), role("").replace("\n", "\r\n")],
                         ids=["byte-order-mark", "crlf"])
def test_mistake_31_job_files_of_other_editors_are_read(machine, tmp_path, text):
    path = tmp_path / "job.yaml"
    path.write_bytes(text.encode())
    assert machine("plan", path).code == 0


@pytest.mark.parametrize("arguments, code, facts", [
    pytest.param(["run", "nowhere.yaml"], 2, ["No such file", "`howdah init > nowhere.yaml` writes a template"],
                 id="03-no-job-file"),
    pytest.param(["run", "--memory", "900TiB", "--", "true"], 3,
                 ["requests 900 TiB of memory, but this machine offers", "lower roles.worker.memory"], id="07-memory"),
    pytest.param(["run", "--memory", "2G", "--framework", "torch", "--", "true"], 2,
                 ["--memory: invalid memory size '2G'; write 2GiB", "--framework: unknown value 'torch'"],
                 id="09-units-of-memory"),
    pytest.param(["run", "--gpus", "1000", "--", "true"], 3, ["requests 1000 GPUs, but this machine has"],
                 id="18-gpus"),
    pytest.param(["plan", "job.yaml", "--set", "checkpoint.dir=train.py/ckpt"], 3,
                 ["checkpoint.dir: making the directory", "train.py/ckpt: Not a directory; choose another directory"],
                 id="20-checkpoint-directory"),
    pytest.param(["plan", "job.yaml", "--set", "roles.w.command=torchrun train.py", "--set", "framework=pytorch"], 0,
                 ["torchrun starts a separate group of processes in every task", "`processes`"], id="15-launcher"),
    pytest.param(["plan", "job.yaml", "--set", "roles.w.command=pip install -r nope.txt; python3 train.py"], 0,
                 ["goes on after a failed `pip install`; begin it with `set -e`"], id="33-installation"),
    pytest.param(["run", "train.py"], 2, ["howdah run -- python3 train.py"], id="30-no-dashes"),
    pytest.param(["run", "python3", "train.py"], 2, ["a command follows --, as in `howdah run -- python3 train.py`"],
                 id="30-no-dashes-before-a-command"),
    pytest.param(["run", "nvidia-smi"], 2, ["as in `howdah run -- nvidia-smi`"], id="30-no-dashes-before-a-word"),
    pytest.param(["status", "nobody"], 2, ["'nobody': no job has this name or id"], id="27-unknown-name"),
    pytest.param(["status", "--on", "local", "application_1700000000000_0014"], 2, ["a job on yarn"],
                 id="34-id-of-the-other-backend"),
])
def test_mistakes_on_the_command_line_are_named_with_the_remedy(machine, tmp_path, source, arguments, code, facts):
    machine.job_file(source, role(""))
    done = machine(*arguments, cwd=source)
    assert done.code == code, done
    said(done, *facts)


def test_mistake_23_a_large_source_is_named_before_it_is_copied(machine, tmp_path, source):
    for name in (".git/objects/pack", "data/large.bin"):
        (source / name).parent.mkdir(parents=True)
        with open(source / name, "wb") as file:
            file.truncate(101 << 20)  # a hole: no space is used
    (source / ".gitignore").write_text("*.log\n")
    done = machine("plan", machine.job_file(tmp_path, "source: src\n" + role("")))
    said(done, "copying 101 MiB", "largest: data", ".howdahignore", ".gitignore leaves out .git")


def test_mistake_20_plan_names_a_checkpoint_directory_that_is_missing_or_read_only(machine, tmp_path):
    job = machine.job_file(tmp_path, "checkpoint: {dir: ./ckpt}\n" + role(""))
    missing = f"checkpoint.dir: {tmp_path}/ckpt does not exist yet; it is created when the job is submitted"
    said(machine("plan", job), missing)
    (tmp_path / "ckpt").mkdir(mode=0o555)
    without_override = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-all"] if os.geteuid() == 0 else []
    done = subprocess.run([*without_override, str(BIN), "plan", str(job)], env=machine.env, capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0 and missing not in done.stderr, done
    assert (f"checkpoint.dir: tasks can only read: writing to {tmp_path}/ckpt: Permission denied; choose another "
            "directory if the job writes there") in done.stderr, done


def test_mistake_23_data_that_gitignore_leaves_out_is_named(machine, source):
    """At submission if the command names the file, otherwise when the program does not find it."""
    (source / "data").mkdir()
    (source / "data/train.csv").write_text("1")
    (source / "lib.py").touch()
    (source / ".gitignore").write_text("data/\nlib.py\n")
    remedy = "copy .gitignore to .howdahignore and add the line `!data` there"
    why = "data/train.csv was not copied from the source, because .gitignore leaves out data: to copy it, " + remedy
    read = "import sys; open(sys.argv[1] if len(sys.argv) > 1 else 'data/' + 'train.csv')"
    for command in ("plan", "run"):
        done = machine(command, "--memory", "64MiB", "--", *python(read), "data/train.csv", cwd=source)
        said(done, "howdah: roles.worker.command: " + why)
    said(run(machine, source, *python(read)), "reason: worker:0 failed", "advice: " + why)
    for command in ("cat ./data/t* $PWD/data/train.csv", "python3 data/train.csv"):
        said(run(machine, source, "bash", "-c", command), "advice: " + why)
    said(run(machine, source, *python("import lib")), "advice: lib", "was not copied from the source")
    (source / ".howdahignore").write_text("data/\nlib.py\n!data\n")
    done = run(machine, source, *python(read), "data/train.csv", code=0)
    assert "was not copied" not in done.stderr, done


# --- mistakes that are reported when the job fails or ends ------------------------------------------------------------

def run(machine, source, *words, code=1, flags=()):
    done = machine("run", "--memory", "64MiB", *flags, "--", *words, cwd=source)
    assert done.code == code, done
    return done


def python(text):
    return ["python3", "-c", text]


@pytest.mark.parametrize("flags, words, facts", [
    pytest.param([], ["python3", "trian.py"],
                 ["cannot open ./trian.py: no such file", "closest match in the working directory: train.py",
                  "did you mean train.py?"], id="01-wrong-script"),
    pytest.param([], ["python3", "src/train.py"], ["cannot open ./src/train.py", "did you mean train.py?"],
                 id="02-path-with-the-source"),
    pytest.param([], python("raise ModuleNotFoundError(\"No module named 'sklearn.svm'\")"),
                 ["No module named 'sklearn.svm'", "the package scikit-learn (module sklearn)", "/python3"],
                 id="04-05-missing-module-and-wrong-environment"),
    pytest.param([], ["python3", "train.py", *NO_RANK],
                 [NO_RANK[1], "(train.py line 4)", "the job's framework is plain; with `framework: pytorch` "
                  "(--framework pytorch) tasks have RANK"], id="14-no-framework"),
    pytest.param(["--framework", "tensorflow"], ["python3", "train.py", *NO_RANK],
                 ["the job's framework is tensorflow; with `framework: pytorch`"], id="14-wrong-framework"),
    *(pytest.param(["--framework", "pytorch", "--workers", "2"], ["python3", "train.py", *text],
                   [text[1], "the job has 2 ranks: take the world size from WORLD_SIZE"], id=f"16-{name}")
      for name, text in (("peer", NO_PEERS), ("rank-0", NO_PEERS_AT_RANK_0), ("torch-1.13", NO_PEERS_1_13))),
    pytest.param(["--framework", "pytorch"], ["python3", "train.py", *NO_GPU],
                 [NO_GPU[1], "the task requests no GPU: use the backend gloo, or add `gpus: 1`"], id="17-nccl"),
    pytest.param([], python("open('./data/train.csv')"),
                 ["No such file or directory: './data/train.csv'", "relative to the working directory, a copy of "
                  "`source`: add the file with `files:`"], id="19-relative-dataset"),
    pytest.param([], python("open('/data/imagenet/train.csv')"),
                 ["the path must exist on every node", "`files:`"], id="19-absolute-dataset"),
    pytest.param([], python("raise OSError(30, 'Read-only file system', '/ckpt/1.pt')"),
                 ["Read-only file system: '/ckpt/1.pt'", "write to another directory"], id="20-checkpoint"),
    pytest.param([], python("import pickle; pickle.dumps(lambda: 0)"), ["PicklingError: Can't pickle"],
                 id="24-not-picklable"),
    pytest.param([], ["echo hi && echo there"],
                 ["command not found: echo hi && echo there (quoted as one word", "bash -c 'echo hi && echo there'"],
                 id="30-one-word"),
    pytest.param([], ["bash", "-c", "python3 -c pass\n  --epochs 3"],
                 ["command not found: --epochs", "end the line before it with a backslash"], id="29-folded-text"),
])
def test_mistakes_in_a_program_are_named_with_the_remedy(machine, source, flags, words, facts):
    said(run(machine, source, *words, flags=flags), *facts)


def test_mistake_06_process_that_uses_a_fixed_port_is_named(machine, source):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run(machine, source, *python(f"import socket; socket.create_server(('127.0.0.1', {port}))"))
    said(done, f"port {port}", f"(pid {os.getpid()})", "$HOWDAH_PORT")


def test_mistake_08_memory_use_above_the_request_gives_advice(machine, source):
    done = run(machine, source, *python("x = bytearray(250 << 20); x[::4096] = b'1' * len(x[::4096])"), code=0)
    found = re.search(r"advice: worker:0 used (\d+) MiB of memory but requested 64 MiB; a cluster with memory limits "
                      r"kills such a task: `memory: (\d+)MiB` is enough", done.stderr)
    assert found and int(found.group(2)) > int(found.group(1)) > 240, done


def test_mistake_32_server_that_is_not_a_service_is_named_at_the_time_limit(machine, tmp_path):
    job = machine.job_file(tmp_path, "timeouts: {run: 2s}\nroles:\n  worker: {memory: 8MiB, command: date}\n"
                                     "  server: {memory: 8MiB, command: exec sleep 300}\n")
    done = machine("run", job)
    assert done.code == 4, done
    said(done, "the time limit of 2s (timeouts.run) was reached", "worker has ended, server:0 has not",
         "a role that is to stop with the others needs `kind: service`")


def test_mistake_33_failed_program_in_a_pipeline_fails_the_job(machine, tmp_path):
    job = machine.job_file(tmp_path, "roles: {w: {memory: 8MiB, command: 'bash -c \"exit 3\" | tee log'}}\n")
    assert machine("run", job).code == 1


def test_mistake_25_second_ctrl_c_skips_the_grace(machine, tmp_path):
    job = machine.job_file(tmp_path, "roles: {w: {memory: 8MiB, command: 'trap \"\" TERM; echo ready; while :; do "
                                     "sleep 1; done'}}\ncheckpoint: {grace: 1d}\n")
    with (tmp_path / "out").open("w+") as output:
        process = subprocess.Popen([str(BIN), "run", str(job)], env=machine.env, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=output)
        for shown in ("ready", "press Ctrl-C again to skip the grace period"):
            eventually(lambda shown=shown: shown in (tmp_path / "out").read_text(), shown)
            process.send_signal(signal.SIGINT)
        assert process.wait(60) == 4
    assert getpass.getuser() in (tmp_path / "out").read_text()
