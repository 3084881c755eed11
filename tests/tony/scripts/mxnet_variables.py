"""Checks the variables of each task of TonY's MXNet example."""
import os
assert os.environ["DMLC_ROLE"] == os.environ["JOB_NAME"]
assert (os.environ["DMLC_NUM_SERVER"], os.environ["DMLC_NUM_WORKER"]) == ("2", "2")
assert os.environ["DMLC_PS_ROOT_URI"] and int(os.environ["DMLC_PS_ROOT_PORT"]) > 0
assert os.environ["DMLC_LOCAL"] == "0"
