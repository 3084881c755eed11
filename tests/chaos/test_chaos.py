"""A real training on a real cluster survives pauses and network cuts in quick succession. Other tests inject single
faults; `./dev chaos` is for long runs."""
import re
import subprocess
import sys

import pytest

from machine import ROOT

KINDS = ("pause_process", "pause_executor", "pause_am", "pause_node_manager", "pause_resource_manager", "cut_network")
EVERY_S = 6


def can_create_networks():
    return subprocess.run(["unshare", "--net", "ip", "link", "add", "hub", "type", "bridge"],
                          capture_output=True).returncode == 0


@pytest.mark.skipif(not can_create_networks(), reason="needs the right to make network namespaces (root)")
@pytest.mark.long
def test_training_survives_every_pause():
    minutes = 2 * (len(KINDS) + 1) * EVERY_S / 60  # an undisturbed training would take half of this time
    done = subprocess.run([sys.executable, ROOT / "tools/chaos", "training", "--on", "yarn", "--every", str(EVERY_S),
                           "--minutes", str(minutes), "--kinds", ",".join(KINDS)], capture_output=True, text=True,
                          timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    made = re.search(r"no more faults; (\d+) were made: (.*)", done.stdout)
    assert made and set(KINDS) == set(re.findall(r"'(\w+)'", made.group(2))), done.stdout


@pytest.mark.long
def test_each_row_of_a_feed_is_in_the_checkpoint_once_whatever_dies():
    kinds = ("kill_process", "kill_executor", "kill_am", "kill_source", "pause_process", "pause_am", "pause_source")
    done = subprocess.run([sys.executable, ROOT / "tools/chaos", "feed", "--on", "local", "--every", str(EVERY_S),
                           "--minutes", str((len(kinds) + 1) * EVERY_S / 60), "--kinds", ",".join(kinds)],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    made = re.search(r"no more faults; (\d+) were made: (.*)", done.stdout)
    assert made and set(kinds) == set(re.findall(r"'(\w+)'", made.group(2))), done.stdout
