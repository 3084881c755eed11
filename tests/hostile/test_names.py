"""Names of jobs cannot control the terminal on which they are shown."""
JOB = 'name: "%s"\nroles:\n  worker: {memory: 64MiB, command: "true"}\n'
EVIL = r"\e]0;title\a\nforged SUCCEEDED\u009b2J\u2028"


def test_control_characters_in_a_job_name_are_not_printed(machine, tmp_path):
    run = machine("run", machine.job_file(tmp_path, JOB % EVIL))
    assert run.code == 0, run
    for done in (run, machine("list", "--all"), machine("status", run.id), machine("events", run.id),
                 machine("history", "list"), machine("history", "show", run.id), machine("wait", run.id)):
        for text in (done.stdout, done.stderr):
            assert not [c for c in text if c != "\n" and (c < " " or "\x7f" <= c < "\xa0" or c == "\u2028")], done
            assert not [line for line in text.split("\n") if line.startswith("forged")], done


def test_long_names_are_refused_with_their_limit(machine, tmp_path):
    done = machine("run", machine.job_file(tmp_path, JOB % ("n" * 256)))
    assert done.code == 2 and "job.yaml:1: name: has 256 bytes; a job's name has at most 255 bytes" in done.stderr, done
    role = "r" * 64
    done = machine("run", machine.job_file(tmp_path, f"roles: {{{role}: {{memory: 64MiB, command: 'true'}}}}\n"))
    assert done.code == 2 and "has 64 characters; a role's name has at most 63" in done.stderr, done
