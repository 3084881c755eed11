"""TonY's jobs on YARN: the same scenarios, with the same results, as on the local backend."""
import pytest

from tony_cases import *  # noqa: F403
from tony_cases import K, PYTHON, S, conf, roles, run


@pytest.fixture
def machine(howdah):
    return howdah


def test_26_a_job_that_is_not_started_in_time_is_killed(difficult, howdah_of, tmp_path):
    bob, alice = howdah_of(difficult, "bob"), howdah_of(difficult, "alice")
    holder = bob.submit(bob.job_file(tmp_path, """
name: holder
queue: tiny
roles:
  worker: {memory: 64MiB, command: exec sleep 300}
"""))
    bob.running(holder)
    done = run(alice, *S, *K, "-executes", f"{PYTHON} succeed.py", *roles(worker=1),
               *conf("tony.yarn.queue=tiny", "tony.am.startup-timeout=1500"))
    assert done.code == 4, done
    assert "timeouts.queue" in done.stderr
    assert alice.status(done.id)["state"] == "KILLED"
    bob("kill", holder)


def test_resources_and_configuration_in_hdfs_are_used(cluster, howdah):
    xml = ("<configuration><property><name>tony.worker.instances</name><value>1</value></property>"
           "<property><name>tony.worker.memory</name><value>64m</value></property></configuration>")
    cluster.write("/user/alice/.howdah/tony/tony.xml", xml.encode(), "alice")
    cluster.write("/user/alice/.howdah/tony/one.txt", b"one", "alice")
    done = run(howdah, *K, "-executes", "cat one.txt tony.xml", "-conf_file",
               "hdfs:///user/alice/.howdah/tony/tony.xml",
               *conf("tony.containers.resources=hdfs:///user/alice/.howdah/tony"))
    assert done.code == 0, done
    assert howdah.log(done.id, "worker:0") == "one" + xml


def test_hadoops_class_path_applies_to_the_whole_command(howdah, tmp_path):
    hadoop = tmp_path / "bin/hadoop"
    hadoop.parent.mkdir()
    hadoop.write_text("#!/bin/sh\necho jars of $*\n")
    hadoop.chmod(0o755)
    done = run(howdah, "-executes", "true && echo $CLASSPATH", "-shell_env", f"HADOOP_HDFS_HOME={tmp_path}",
               *roles(worker=1))
    assert done.code == 0, done
    assert howdah.log(done.id, "worker:0") == "jars of classpath --glob\n"
