import os
for name in ("RANK", "WORLD", "INIT_METHOD"):
    print(name, os.environ[name])
assert os.environ["INIT_METHOD"].startswith("tcp://")
assert os.environ["WORLD"] == os.environ["TASK_NUM"]
