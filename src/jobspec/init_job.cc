#include "howdah/jobspec/init_job.h"

namespace howdah::jobspec {

namespace {

constexpr const char* kHead =
    "# A Howdah job. `howdah plan FILE` checks it and shows what would run; `howdah run FILE` runs it.\n"
    "# All keys: the job-file reference in the docs, or `howdah schema`.\n";

constexpr const char* kTail = R"(
# source: ./src              # a directory; its content becomes every task's working directory
# files: [labels.csv]        # more files, in addition to source
# python: {archive: env.tar.gz}   # a packed environment (venv-pack, conda-pack); its bin/ comes first in PATH
# env: {OMP_NUM_THREADS: 1}  # for every task; ${VAR} and ${VAR:-default} expand to your environment
# tensorboard: {logdir: ./logs}   # a TensorBoard next to the job; tasks get the directory in $TB_LOG_DIR
# checkpoint: {dir: ./checkpoints, grace: 30s}   # $HOWDAH_CHECKPOINT_DIR; grace: time between stop signal and SIGKILL
# restart: {max: 1}          # restarts of the whole job once a task has used up its own
# timeouts: {run: 24h}       # the job is killed after this time
# queue: default             # on YARN
)";

constexpr const char* kPlain = R"(name: hello

roles:
  worker:
    instances: 2             # number of tasks
    memory: 256MiB           # per task; required
    # vcores: 1
    # gpus: 0
    # A string runs under bash -o pipefail -c; a list, as in [python3, train.py], is executed directly.
    command: echo "hello from $HOWDAH_ROLE:$HOWDAH_TASK_INDEX of $HOWDAH_ROLE_SIZE"
    # restart: {max: 3, backoff: 1s}   # a failed task restarts
    # on_failure: tolerate   # default: fail, the job fails too

  # Another role: the job does not wait for a service and stops it at the end. 'after' orders starts.
  # ps:
  #   memory: 1GiB
  #   command: python3 server.py
  #   kind: service
)";

constexpr const char* kPytorch = R"(name: pytorch-hello
framework: pytorch           # tasks get MASTER_ADDR, MASTER_PORT, RANK, WORLD_SIZE, … as torchrun sets them

roles:
  worker:
    instances: 2             # number of tasks
    memory: 1GiB             # per task; required
    # gpus: 1
    # processes: 4           # ranks per task, as torchrun's nproc-per-node
    # Replace this with your own, for example: python3 train.py --epochs 10
    command: |
      exec python3 - <<'EOF'
      import torch, torch.distributed as dist
      dist.init_process_group("gloo")
      total = torch.ones(1) * dist.get_rank()
      dist.all_reduce(total)
      print(f"rank {dist.get_rank()} of {dist.get_world_size()}: the sum of all ranks is {total.item():.0f}")
      dist.destroy_process_group()
      EOF
    # restart: {max: 3}      # after a failure all ranks restart together
)";

constexpr const char* kTensorflow = R"(name: tensorflow-hello
framework: tensorflow        # tasks get TF_CONFIG

roles:
  worker:
    instances: 2             # number of tasks
    memory: 2GiB             # per task; required
    # gpus: 1
    # Replace this with your own, for example: python3 train.py --epochs 10
    command: |
      exec python3 - <<'EOF'
      import tensorflow as tf
      strategy = tf.distribute.MultiWorkerMirroredStrategy()
      print(f"{strategy.num_replicas_in_sync} replicas in sync")
      EOF

  # For ParameterServerStrategy, add a chief and parameter servers. The success of the chief ends the job:
  # chief:
  #   memory: 2GiB
  #   command: python3 train.py
  #   chief: true
  # ps:
  #   memory: 2GiB
  #   command: python3 train.py
  #   kind: service          # stopped at the end of the job
)";

constexpr const char* kJax = R"(name: jax-hello
framework: jax               # jax.distributed.initialize() works without arguments

roles:
  worker:
    instances: 2             # number of processes
    memory: 1GiB             # per task; required
    # gpus: 1
    # Replace this with your own, for example: python3 train.py --epochs 10
    command: |
      exec python3 - <<'EOF'
      import jax
      jax.distributed.initialize()
      print(f"process {jax.process_index()} of {jax.process_count()}: {jax.device_count()} devices in all")
      EOF
)";

constexpr const char* kHorovod = R"(name: horovod-hello
framework: horovod           # tasks get HOROVOD_RANK, HOROVOD_SIZE, … as horovodrun sets them

roles:
  worker:
    instances: 2             # number of tasks
    memory: 1GiB             # per task; required
    # gpus: 1
    # processes: 4           # ranks per task
    # Replace this with your own, for example: python3 train.py --epochs 10
    command: |
      exec python3 - <<'EOF'
      import horovod.torch as hvd, torch
      hvd.init()
      total = hvd.allreduce(torch.ones(1) * hvd.rank(), op=hvd.Sum)
      print(f"rank {hvd.rank()} of {hvd.size()}: the sum of all ranks is {total.item():.0f}")
      EOF
    # restart: {max: 3}      # after a failure all ranks restart together
)";

constexpr const char* kMxnet = R"(name: mxnet-hello
framework: mxnet             # tasks get DMLC_ROLE, DMLC_PS_ROOT_URI, …

env:
  # All roles run the same program: importing MXNet turns it into a server or scheduler if DMLC_ROLE says so.
  PROGRAM: import mxnet as mx; kv = mx.kv.create("dist_sync"); print("worker", kv.rank, "of", kv.num_workers)

roles:
  worker:
    instances: 2             # number of tasks
    memory: 1GiB             # per task; required
    # gpus: 1
    command: exec python3 -c "$PROGRAM"
  server:                    # MXNet requires these two names
    instances: 1
    memory: 1GiB
    command: exec python3 -c "$PROGRAM"
    kind: service            # stopped at the end of the job
  scheduler:
    memory: 512MiB
    command: exec python3 -c "$PROGRAM"
    kind: service
)";

constexpr const char* kXgboost = R"(name: xgboost-hello
framework: xgboost           # tasks get DMLC_TRACKER_URI, DMLC_TRACKER_PORT, DMLC_TASK_ID

roles:
  worker:
    instances: 2             # number of tasks
    memory: 1GiB             # per task; required
    # Replace this with your own, for example: python3 train.py --rounds 10
    command: |
      exec python3 - <<'EOF'
      import os
      from xgboost import collective
      with collective.CommunicatorContext(dmlc_tracker_uri=os.environ["DMLC_TRACKER_URI"],
                                          dmlc_tracker_port=int(os.environ["DMLC_TRACKER_PORT"]),
                                          dmlc_task_id=os.environ["DMLC_TASK_ID"]):
          print(f"rank {collective.get_rank()} of {collective.get_world_size()}")
      EOF
    # restart: {max: 3}      # after a failure all ranks restart together
)";

constexpr const char* kMpi = R"(name: mpi-hello
framework: mpi               # the command runs once, in worker:0; mpirun starts ranks in all tasks

roles:
  worker:
    instances: 2             # number of tasks
    memory: 512MiB           # per task; required
    vcores: 1                # ranks per task
    # Replace this with your own, for example: mpirun python3 train.py --epochs 10
    command: mpirun hostname
    # restart: {max: 3}      # a failed mpirun restarts
)";

const char* BodyFor(Framework framework) {
  switch (framework) {
    case Framework::kPlain:
      return kPlain;
    case Framework::kPytorch:
      return kPytorch;
    case Framework::kTensorflow:
      return kTensorflow;
    case Framework::kJax:
      return kJax;
    case Framework::kHorovod:
      return kHorovod;
    case Framework::kMpi:
      return kMpi;
    case Framework::kMxnet:
      return kMxnet;
    case Framework::kXgboost:
      return kXgboost;
  }
  return nullptr;
}

}  // namespace

std::string InitJobFile(Framework framework) {
  const char* body = BodyFor(framework);
  return body == nullptr ? "" : std::string(kHead) + body + kTail;
}

}  // namespace howdah::jobspec
