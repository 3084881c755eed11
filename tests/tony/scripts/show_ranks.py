"""Prints the variables that come from the plan of horovod_driver.py."""
import os
names = ("HOROVOD_GLOO_RENDEZVOUS_PORT", "HOROVOD_RANK", "HOROVOD_SIZE", "HOROVOD_LOCAL_RANK", "HOROVOD_LOCAL_SIZE")
assert os.environ["HOROVOD_HOSTNAME"] and os.environ["HOROVOD_GLOO_RENDEZVOUS_ADDR"]
print(*(os.environ[name] for name in names))
