"""Checks the variables of TonY's Horovod workers."""
import os
names = ("CONTROLLER", "CPU_OPERATIONS", "GLOO_TIMEOUT_SECONDS", "GLOO_RENDEZVOUS_PORT", "GLOO_RENDEZVOUS_ADDR",
         "CROSS_RANK", "CROSS_SIZE", "LOCAL_RANK", "LOCAL_SIZE", "SIZE", "RANK", "HOSTNAME")
for name in names:
    assert os.environ["HOROVOD_" + name], name
assert os.environ["JOB_NAME"] == "worker"
