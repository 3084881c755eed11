"""Real Horovod and XGBoost with the AM's rendezvous servers, and the environment variables for MXNet."""
import rendezvous_cases as cases

RUN_S = cases.RUN_S


def test_horovod_resumes_after_a_killed_rank(machine, installed, tmp_path):
    machine.assert_clean(cases.run_horovod_with_a_killed_rank(machine, installed, tmp_path))


def test_xgboost_trains_the_same_model_as_one_process(machine, installed):
    machine.assert_clean(cases.check_xgboost_equals_one_process(machine, installed))


def test_xgboost_rendezvous_works_again_after_a_failure_and_for_a_second_training(machine, installed, tmp_path):
    (tmp_path / "twice.py").write_text("""
import os, signal
from xgboost import collective
import numpy as np
for training in range(2):
    with collective.CommunicatorContext(dmlc_tracker_uri=os.environ["DMLC_TRACKER_URI"],
                                        dmlc_tracker_port=int(os.environ["DMLC_TRACKER_PORT"]),
                                        dmlc_task_id=os.environ["DMLC_TASK_ID"]):
        rank = collective.get_rank()
        if training == 1 and rank == 1 and os.environ["HOWDAH_ATTEMPT"] == "0":
            os.kill(os.getpid(), signal.SIGKILL)
        total = collective.allreduce(np.array([rank + 1.0]), collective.Op.SUM)[0]
        collective.communicator_print(f"{training}: {total}")
""")
    (tmp_path / "job.yaml").write_text(f"""
framework: xgboost
files: [twice.py]
roles:
  worker: {{instances: 2, memory: 256MiB, command: exec {installed("xgboost")} twice.py, restart: {{max: 1}}}}
  other: {{memory: 256MiB, processes: 2, command: exec {installed("xgboost")} twice.py}}
""")
    done = machine("run", "job.yaml", cwd=tmp_path, timeout=RUN_S)
    assert done.code == 0, done
    status = machine.status()
    assert [t["ranks"] for t in status["tasks"]] == [[0], [1], [2, 3]], status
    assert status["generation"] == 1, status
    lines = machine.log(status["id"], "worker:0", "--attempt", "1").splitlines()
    assert {"0: 10.0", "1: 10.0"} <= set(lines), lines


def test_mxnet_tasks_connect_to_the_scheduler(machine, tmp_path):
    """node.py connects in the same way as MXNet's ps-lite: the scheduler listens at the address that all tasks get, and
    waits until every server and worker has connected."""
    (tmp_path / "node.py").write_text("""
import os, socket
role, where = os.environ["DMLC_ROLE"], (os.environ["DMLC_PS_ROOT_URI"], int(os.environ["DMLC_PS_ROOT_PORT"]))
count = int(os.environ["DMLC_NUM_SERVER"]) + int(os.environ["DMLC_NUM_WORKER"])
if role == "scheduler":
    with socket.create_server(where) as server:
        peers = [server.accept()[0] for _ in range(count)]
        roles = sorted(peer.recv(64).decode() for peer in peers)
        for peer in peers:
            peer.sendall(" ".join(roles).encode())
            peer.close()
else:
    while True:
        try:
            with socket.create_connection(where) as peer:
                peer.sendall(role.encode())
                print(peer.recv(999).decode(), flush=True)
            break
        except ConnectionRefusedError:
            pass
""")
    (tmp_path / "job.yaml").write_text("""
framework: mxnet
files: [node.py]
roles:
  scheduler: {memory: 64MiB, command: exec python3 node.py, kind: service}
  server: {instances: 2, memory: 64MiB, command: exec python3 node.py, kind: service}
  worker: {instances: 2, memory: 64MiB, command: exec python3 node.py}
""")
    done = machine("run", "job.yaml", cwd=tmp_path)
    assert done.code == 0, done
    for task in ("worker:0", "worker:1"):
        assert f"{task} │ server server worker worker\n" in done.stdout, done
