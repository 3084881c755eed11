"""A rank of a real job cannot connect to rank 0: the reason names both hosts."""
import socket

import job_reports

TRAIN = """
import datetime, os
import torch.distributed as dist
if os.environ["RANK"] == "1":
    os.environ["MASTER_PORT"] = os.environ["CLOSED"]
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=3 if os.environ["RANK"] == "1" else 60))
"""


def test_29_unreachable_rank_0_is_named_with_both_hosts(machine, installed, tmp_path):
    source = tmp_path / "src"
    source.mkdir()
    (source / "train.py").write_text(TRAIN)
    with socket.socket() as closed:  # bound but not listening
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        done = machine("run", machine.job_file(tmp_path, f"""
            framework: pytorch
            source: {source}
            env: {{CLOSED: "{port}"}}
            roles:
              worker: {{instances: 2, memory: 256MiB, command: exec {installed("torch")} train.py}}
            """), timeout=240)
    assert done.code == 1, done
    status = job_reports.final_status(machine, done.id, done.stderr)
    job_reports.assert_facts(status["reason"], "worker:1", f"{socket.gethostname()} could not connect to ", f":{port}")
    assert "firewall" in status["advice"], status
