"""A Horovod driver of the user's own: assigns the ranks in reverse order, and runs until it is stopped. With `fail` the
driver ends with an error after it has written its plan. With `no-slots` its plan has no slots (places for ranks)."""
import json
import os
import signal
import sys

mode = sys.argv[1] if len(sys.argv) > 1 else ""
slots = []
for part in os.environ["CLUSTER_WORKER_LIST"].split(","):
    host, _, count = part.rpartition(":")
    for local_rank in range(int(count)):
        slots.append({"hostname": host, "localRank": local_rank, "localSize": count, "crossRank": 0, "crossSize": 1})
for rank, slot in enumerate(reversed(slots)):
    slot.update(rank=str(rank), size=len(slots))
name = os.path.join(os.environ["DRIVER_OUTPUT_PATH"], "4321____HOROVOD_RENDEZVOUS_SERVER____")
with open(name, "w") as file:
    file.flush()  # like TonY's script, makes an empty file before it writes the plan
    json.dump([] if mode == "no-slots" else slots, file)
if mode == "fail":
    sys.exit("driver: out of cheese")
signal.pause()
