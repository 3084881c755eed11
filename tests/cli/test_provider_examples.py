"""The providers in examples/autoscale. Programs of the same names stand in for those of the clouds: they record their
command lines, and print recorded output."""
import os
import pathlib
import shutil
import signal
import subprocess

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/autoscale"
POLICY = """workerConfig: {minInstances: 2, maxInstances: 4}
secondaryWorkerConfig: {maxInstances: 4}
basicAlgorithm: {yarnConfig: {scaleUpFactor: 1.0, scaleDownFactor: 1.0, gracefulDecommissionTimeout: 1h}}
"""
PROGRAM = """#!/bin/bash
printf '%s\\n' "$(basename "$0") $*" >>"$RECORD/calls"
cat "$RECORD/output" 2>/dev/null
if [ -e "$RECORD/errors" ]; then cat "$RECORD/errors" >&2; exit 1; fi
"""


class Provider:
    def __init__(self, folder, name):
        shutil.copytree(EXAMPLES, folder / "autoscale")
        self.folder, self.record = folder / "autoscale" / name, folder / "record"
        programs = folder / "bin"
        for made in (self.record, programs):
            made.mkdir()
        for program in ("gcloud", "aws", "az", "ssh"):
            (programs / program).write_text(PROGRAM)
            (programs / program).chmod(0o755)
        self.changes = {"RECORD": str(self.record), "PATH": f"{programs}:{os.environ['PATH']}"}
        self.env = {**os.environ, **self.changes}

    def answers(self, output="", errors=None):
        (self.record / "output").write_text(output)
        (self.record / "errors").unlink(missing_ok=True)
        if errors is not None:
            (self.record / "errors").write_text(errors)

    def __call__(self, command, group="primary", token="howdah-1a-1", **values):
        """Runs a command as `howdah autoscale` does. Returns the result, and the command lines that were recorded."""
        (self.record / "calls").unlink(missing_ok=True)
        env = {**self.env, "HOWDAH_GROUP": group, "HOWDAH_TOKEN": token,
               **{f"HOWDAH_{key.upper()}": str(value) for key, value in values.items()}}
        done = subprocess.run(["bash", "-c", f"./{command}-nodes"], cwd=self.folder, env=env, capture_output=True,
                              text=True, timeout=60)
        calls = self.record / "calls"
        return done, calls.read_text().splitlines() if calls.exists() else []


@pytest.fixture
def provider_of(tmp_path):
    return lambda name: Provider(tmp_path, name)


# The output of the cloud's list, and the sizes that `howdah autoscale check` finds in it.
LISTS = {
    "gce": ("howdah-1a-1-1,RUNNING,primary\nhowdah-1a-1-2,STAGING,primary\nhowdah-1a-2-1,TERMINATED,secondary\n", 2, 1),
    "ec2": ("i-1\tip-10-0-0-1.example.com\trunning\tprimary\ni-2\tip-10-0-0-2.example.com\tstopped\tsecondary\n", 1, 1),
    "azure": ("howdah-1a-1-1\tSucceeded\tVM running\tprimary\nhowdah-1a-1-2\tCreating\t\tprimary\n", 2, 0),
    "dataproc": ("training-w-0 training-w-1", 2, 0),
}


@pytest.mark.parametrize("name", LISTS)
def test_list_is_read(howdah, provider_of, tmp_path, name):
    provider = provider_of(name)
    output, primary, secondary = LISTS[name]
    provider.answers(output)
    if name == "dataproc":  # lists one group at a time
        program = tmp_path / "bin/gcloud"
        program.write_text(program.read_text().replace(
            'cat "$RECORD/output"', '[[ "$*" = *secondary* ]] || cat "$RECORD/output"'))
    (tmp_path / "policy.yaml").write_text(POLICY)
    done = howdah("autoscale", "check", tmp_path / "policy.yaml", "--provider", provider.folder / "provider.yaml",
                  env=provider.changes)
    assert f"`list` shows {primary} machines" in done.stdout.replace("1 machine ", "1 machines "), done
    assert f"and {secondary} of the group secondary" in done.stdout, done


ADDS = {
    "gce": ["gcloud compute instances create howdah-1a-1-1 --zone=us-central1-a --source-instance-template=yarn-worker "
            "--labels=howdah-cluster=training,howdah-group=primary --async",
            "gcloud compute instances create howdah-1a-1-2 --zone=us-central1-a --source-instance-template=yarn-worker "
            "--labels=howdah-cluster=training,howdah-group=primary --async"],
    "ec2": ["aws ec2 run-instances --launch-template LaunchTemplateName=yarn-worker --count 2 "
            "--client-token howdah-1a-1 "
            "--tag-specifications ResourceType=instance,"
            "Tags=[{Key=howdah-cluster,Value=training},{Key=howdah-group,Value=primary}]"],
    "azure": ["az vm create --resource-group hadoop --name howdah-1a-1-1 --image yarn-worker --size Standard_D8s_v5 "
              "--public-ip-address  --os-disk-delete-option Delete --nic-delete-option Delete "
              "--tags howdah-cluster=training howdah-group=primary --no-wait",
              "az vm create --resource-group hadoop --name howdah-1a-1-2 --image yarn-worker --size Standard_D8s_v5 "
              "--public-ip-address  --os-disk-delete-option Delete --nic-delete-option Delete "
              "--tags howdah-cluster=training howdah-group=primary --no-wait"],
}


@pytest.mark.parametrize("name", ADDS)
def test_add_orders_machines_by_the_token(provider_of, name):
    done, calls = provider_of(name)("add", count=2)
    assert done.returncode == 0, done
    assert calls == ADDS[name]


def test_dataproc_orders_a_number_of_workers_that_a_repeated_order_keeps(provider_of):
    provider = provider_of("dataproc")
    provider.answers("training-w-0 training-w-1")
    update = "gcloud dataproc clusters update training --region=us-central1 --num-workers=5 --quiet"
    assert provider("add", count=3)[1][-1] == update
    provider.answers("training-w-0 training-w-1 training-w-2")
    assert provider("add", count=3)[1][-1] == update
    assert provider("add", token="howdah-1a-2", count=1)[1][-1] == update.replace("=5", "=6"), "beside the first order"
    provider.answers("training-w-0 training-w-1 training-w-2 training-w-3 training-w-4")
    done, calls = provider("add", count=3)
    assert done.returncode == 0 and update not in calls, "the order has been carried out"
    provider.answers(errors="ERROR: connection reset")
    done, calls = provider("add", token="howdah-1a-3", count=1)
    assert done.returncode != 0 and not [call for call in calls if " update " in call], "the number is not known"
    provider.answers()
    done, calls = provider("remove", ids="training-sw-x training-sw-y", group="secondary")
    assert done.returncode == 0, done
    assert calls == ["gcloud dataproc clusters repair training --region=us-central1 --quiet --node-pool="
                     "id=SECONDARY_WORKER_POOL,repair-action=delete,instance-names=training-sw-x;training-sw-y"]


@pytest.mark.parametrize("name, calls", [
    ("gce", ["gcloud compute instances delete a --zone=us-central1-a --quiet",
             "gcloud compute instances delete b --zone=us-central1-a --quiet"]),
    ("ec2", ["aws ec2 terminate-instances --instance-ids a", "aws ec2 terminate-instances --instance-ids b"]),
    ("azure", ["az vm delete --resource-group hadoop --name a --yes --no-wait",
               "az vm delete --resource-group hadoop --name b --yes --no-wait"]),
])
def test_remove_names_each_machine(provider_of, name, calls):
    done, recorded = provider_of(name)("remove", ids="a b")
    assert done.returncode == 0, done
    assert recorded == calls


@pytest.mark.parametrize("name, command, error, kind", [
    ("gce", "add", "ERROR: (gcloud.compute.instances.create) Quota 'CPUS' exceeded.  Limit: 24.0", "QUOTA"),
    ("gce", "add", "ERROR: The zone 'x' does not have enough resources available to fulfill the request.", "CAPACITY"),
    ("gce", "add", "ERROR: Required 'compute.instances.create' permission for 'x'", "FATAL"),
    ("gce", "add", "ERROR: The resource 'howdah-1a-1-1' already exists", None),
    ("gce", "remove", "ERROR: The resource 'howdah-1a-1-1' was not found", None),
    ("gce", "add", "Connection reset by peer", "TRANSIENT"),
    ("gce", "add", "ERROR: failed\n - code: ZONE_RESOURCE_POOL_EXHAUSTED\n   message: try later", "CAPACITY"),
    ("ec2", "add", "An error occurred (VcpuLimitExceeded) when calling the RunInstances operation: more", "QUOTA"),
    ("ec2", "add", "An error occurred (InsufficientInstanceCapacity) when calling the RunInstances operation",
     "CAPACITY"),
    ("ec2", "add", "An error occurred (UnauthorizedOperation) when calling the RunInstances operation", "FATAL"),
    ("ec2", "remove", "An error occurred (InvalidInstanceID.NotFound) when calling the TerminateInstances operation",
     None),
    ("azure", "add", "(QuotaExceeded) Operation could not be completed", "QUOTA"),
    ("azure", "add", "(AllocationFailed) Allocation failed.", "CAPACITY"),
    ("azure", "remove", "(ResourceNotFound) The Resource was not found.", None),
    ("dataproc", "remove", "ERROR: PERMISSION_DENIED: Not authorized to requested resource.", "FATAL"),
])
def test_errors_have_the_right_class(provider_of, name, command, error, kind):
    provider = provider_of(name)
    provider.answers(errors=error + "\n")
    done, _ = provider(command, count=1, ids="howdah-1a-1-1")
    if kind is None:
        assert done.returncode == 0, done
    else:
        assert done.returncode == 1 and f'"class": "{kind}"' in done.stdout, done
        assert done.stderr.strip() == error.splitlines()[-1].strip()


def test_ssh_switches_machines_on_and_off(provider_of):
    provider = provider_of("ssh")
    done, calls = provider("add", count=2)
    assert done.returncode == 0, done
    start = "ssh -o BatchMode=yes -o ConnectTimeout=10 w{}.example.com yarn --daemon start nodemanager"
    assert calls == [start.format(1), start.format(2)]
    assert provider("add", count=2)[1] == [], "the same order again"
    assert provider("list")[0].stdout.count('"state": "running"') == 2
    done, calls = provider("add", token="howdah-1a-2", count=3)
    assert calls == [start.format(3), start.format(4)]
    assert done.returncode == 1 and '"class": "CAPACITY"' in done.stdout and "1 more were ordered" in done.stderr, done
    done, calls = provider("remove", ids="w1.example.com w9.example.com")
    assert calls == [start.format(1).replace("start", "stop")]
    assert '"w1.example.com"' not in provider("list")[0].stdout


def test_machine_runs_a_node_manager_for_each_address(provider_of, tmp_path):
    provider = provider_of("machine")
    hadoop = tmp_path / "hadoop"
    (hadoop / "bin").mkdir(parents=True)
    (hadoop / "conf").mkdir()
    (hadoop / "conf/yarn-site.xml").write_text("<configuration></configuration>\n")
    (hadoop / "bin/yarn").write_text('#!/bin/sh\necho "$@" >"$2/../started"\nexec sleep 1000\n')
    (hadoop / "bin/yarn").chmod(0o755)
    provider.env |= {"HADOOP_HOME": str(hadoop), "HADOOP_CONF_DIR": str(hadoop / "conf")}
    nodes = provider.folder / "nodes"
    done, _ = provider("add", count=2)
    pids = [int((nodes / host / "pid").read_text()) for host in ("127.0.1.1", "127.0.1.2")]
    try:
        assert done.returncode == 0, done
        assert ("<name>yarn.nodemanager.address</name><value>127.0.1.2:8041</value>"
                in (nodes / "127.0.1.2/conf/yarn-site.xml").read_text())
        assert provider("add", count=2)[0].returncode == 0
        listed = provider("list")[0].stdout
        assert listed.count('"state": "running"') == 2 and '"host": "127.0.1.1"' in listed, listed
        assert provider("remove", ids="127.0.1.1")[0].returncode == 0
        assert '"127.0.1.1"' not in provider("list")[0].stdout
        os.kill(pids[1], signal.SIGKILL)
        failed = provider("list")[0].stdout
        assert '"state": "failed"' in failed and "the NodeManager has ended" in failed, failed
    finally:
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
