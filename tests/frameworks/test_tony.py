"""The unchanged configuration files of TonY's examples, with our own training scripts."""
import re

import pytest

from machine import CONTRACT

GOOD = 0.8   # the accuracy that every training in tests/contract must reach
RUN_S = 240  # an upper bound for a busy machine, not the expected duration


def configuration(tmp_path, **values):
    """Writes the configuration file that the README of TonY's example shows."""
    keys = {"tony.application.security.enabled": "false", **values}
    path = tmp_path / "tony-test.xml"
    path.write_text("<configuration>" + "".join(
        f"<property><name>{key}</name><value>{value}</value></property>" for key, value in keys.items()) +
        "</configuration>")
    return path


def run(machine, script, interpreter, *flags):
    return machine("tony", "LocalSubmitter", f"--src_dir={CONTRACT / 'train'}", f"--executes={script}",
                   f"--python_binary_path={interpreter}", *flags, timeout=RUN_S)


def accuracies(text):
    return [float(a) for a in re.findall(r"accuracy (\d\.\d+)", text)]


def test_mnist_pytorch_reaches_the_expected_accuracy(machine, installed, tmp_path):
    conf = configuration(tmp_path, **{"tony.ps.instances": 0, "tony.worker.instances": 2,
                                      "tony.application.framework": "pytorch"})
    done = run(machine, "torch_ddp.py", installed("torch"), f"--conf_file={conf}")
    assert done.code == 0, done
    assert [a > GOOD for a in accuracies(done.stdout)] == [True], done
    assert "rank 1/2 epoch 1" in done.stdout, done


@pytest.mark.long
def test_mnist_tensorflow_reaches_the_expected_accuracy(machine, installed, tmp_path):
    done = run(machine, "tf_mwms.py", installed("tensorflow"), "--conf", "tony.worker.instances=2",
               f"--conf_file={configuration(tmp_path)}")
    assert done.code == 0, done
    assert [a > GOOD for a in accuracies(done.stdout)] == [True, True], done
