"""A package in the format of Slider's TensorFlow package, with a script that takes the package's flags."""
import json
import os
import pathlib
import zipfile

# Prints its flags. A worker waits for the file `go` in the directory of the checkpoints, and ps forever.
SCRIPT = """
import argparse, json, os, threading
parser = argparse.ArgumentParser()
for name in ("ps_hosts", "worker_hosts", "job_name", "ckp_dir", "work_dir"):
    parser.add_argument("--" + name)
parser.add_argument("--task_index", type=int)
flags = parser.parse_args()
print(json.dumps({**vars(flags), "cluster": json.loads(os.environ["HOWDAH_CLUSTER"])}), flush=True)
while flags.job_name == "ps" or not os.path.exists(os.environ["GO"]):
    threading.Event().wait(0.01)
"""

# The keys of resources.default.json and appConfig.default.json of the package.
ROLES = {"ps": 2, "chiefworker": 1, "worker": 2}


def resources(memory_mb=64, **changes):
    components = {"slider-appmaster": {}}
    for priority, (role, instances) in enumerate({**ROLES, **changes}.items()):
        components[role] = {"yarn.role.priority": str(priority + 1), "yarn.component.instances": str(instances),
                            "yarn.memory": str(memory_mb), "yarn.vcores": "1", "yarn.container.failure.threshold": "0"}
    return {"schema": "http://example.org/specification/v2.0.0", "metadata": {}, "global": {}, "components": components}


def app_config(prefix, go, path):
    settings = {"hadoop.conf": "/etc/hadoop/conf", "yarn.cgroup.root": "/hadoop-yarn", "user.scripts.entry": "train.py",
                "user.checkpoint.prefix": prefix, "user.name": "${USER_NAME}", "zookeeper.quorum": "${ZK_HOST}",
                "docker.image": "ytensorflow:0.2.1", "go": str(go)}
    ports = {f"{role}.port": f"${{{role}.ALLOCATED_PORT}}{{PER_CONTAINER}}" for role in (*ROLES, "tensorboard")}
    options = {"site.global." + name: value for name, value in {**settings, **ports}.items()}
    return {"schema": "http://example.org/specification/v2.0.0", "metadata": {},
            "global": {**options, "env.PATH": path}}


def metainfo():
    script = {"script": "scripts/tensorflow.py", "scriptType": "PYTHON"}
    components = [{"name": role, "compExports": f"{role}-host_port", "commandScript": script}
                  for role in (*ROLES, "tensorboard")]
    groups = [{"name": role, "exports": [{"name": "host_port",
                                          "value": f"${{{role}_HOST}}:${{site.global.{role}.port}}"}]}
              for role in ROLES]
    return {"schemaVersion": "2.1", "application": {
        "name": "tensorflow", "version": "0.1.1", "exportGroups": groups, "components": components,
        "packages": [{"type": "folder", "name": "files"}]}}


class Package:
    """The files of a package, and the flags of `slider create` for them."""

    def __init__(self, folder, prefix=None, files=None, python="/usr/bin/python3", memory_mb=64, **instances):
        self.folder = pathlib.Path(folder) / "tensorflow"
        self.go = self.folder.parent / "go"
        (self.folder / "package/files").mkdir(parents=True)
        for name, text in (files or {"train.py": SCRIPT}).items():
            (self.folder / "package/files" / name).write_text(text)
        command = self.folder.parent / "bin/python"  # a machine may lack the command `python`
        command.parent.mkdir()
        command.write_text(f'#!/bin/sh\nexec {python} "$@"\n')
        command.chmod(0o755)
        self.path = f"{command.parent}:{os.environ['PATH']}"
        self.write("resources.json", resources(memory_mb, **instances))
        self.write("appConfig.json", app_config(prefix or f"{folder}/ckpt", self.go, self.path))
        self.write("metainfo.json", metainfo())

    def write(self, name, value):
        (self.folder / name).write_text(json.dumps(value, indent=1))

    def flags(self, appdef="."):
        return ("--appdef", appdef, "--template", "appConfig.json", "--resources", "resources.json")

    def zip(self):
        with zipfile.ZipFile(self.folder / "package.zip", "w") as archive:
            for path in (self.folder / "metainfo.json", self.folder / "package/files/train.py"):
                archive.write(path, path.relative_to(self.folder))
        return "package.zip"
