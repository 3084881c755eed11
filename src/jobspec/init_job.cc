#include "howdah/jobspec/init_job.h"

namespace howdah::jobspec {
namespace {

constexpr const char* kHead =
    "# A howdah job. 'howdah plan FILE' checks it and shows what would run; 'howdah run FILE' runs it.\n"
    "# Every key: 'howdah schema', or the job-file reference of the docs.\n";

constexpr const char* kTail = R"(
# source: ./src              # a directory; its content becomes every task's working directory
# files: [labels.csv]        # more files, beside the source
# python: {archive: env.tar.gz}   # a packed environment (venv-pack, conda-pack); its bin/ comes first in PATH
# env: {OMP_NUM_THREADS: 1}  # of every task; ${VAR} and ${VAR:-default} take from your environment
# tensorboard: {logdir: ./logs}   # a TensorBoard beside the job; tasks find the directory in $TB_LOG_DIR
# checkpoint: {dir: ./checkpoints, grace: 30s}   # $HOWDAH_CHECKPOINT_DIR; grace is given before a stop
# restart: {max: 1}          # whole-job restarts once the tasks' own are spent
# timeouts: {run: 24h}       # the job is killed after so long
# queue: default             # on YARN
)";

constexpr const char* kPlain = R"(name: hello

roles:
  worker:
    instances: 2             # how many tasks
    memory: 256MiB           # of one task; required
    # vcores: 1
    # gpus: 0
    # A text runs under bash -c; a list, as in [python3, train.py], is executed as it is.
    command: echo "hello from $HOWDAH_ROLE:$HOWDAH_TASK_INDEX of $HOWDAH_ROLE_SIZE"
    # restart: {max: 3, backoff: 1s}   # a failed task starts again
    # on_failure: tolerate   # fail (default): the job fails with it

  # Another role: 'service' is not waited for and stopped at the end; start order by 'after'.
  # ps:
  #   memory: 1GiB
  #   command: python3 server.py
  #   kind: service
)";

constexpr const char* kPytorch = R"(name: pytorch-hello
framework: pytorch           # tasks find MASTER_ADDR, MASTER_PORT, RANK, WORLD_SIZE, … as torchrun sets them

roles:
  worker:
    instances: 2             # how many tasks
    memory: 1GiB             # of one task; required
    # gpus: 1
    # processes: 4           # ranks of one task, as torchrun's nproc-per-node
    # Replace it with your own, as in: python3 train.py --epochs 10
    command: |
      exec python3 - <<'EOF'
      import torch, torch.distributed as dist
      dist.init_process_group("gloo")
      total = torch.ones(1) * dist.get_rank()
      dist.all_reduce(total)
      print(f"rank {dist.get_rank()} of {dist.get_world_size()}: the sum of all ranks is {total.item():.0f}")
      dist.destroy_process_group()
      EOF
    # restart: {max: 3}      # a failed rank takes all ranks into the next generation
)";

constexpr const char* kTensorflow = R"(name: tensorflow-hello
framework: tensorflow        # tasks find TF_CONFIG

roles:
  worker:
    instances: 2             # how many tasks
    memory: 2GiB             # of one task; required
    # gpus: 1
    # Replace it with your own, as in: python3 train.py --epochs 10
    command: |
      exec python3 - <<'EOF'
      import tensorflow as tf
      strategy = tf.distribute.MultiWorkerMirroredStrategy()
      print(f"{strategy.num_replicas_in_sync} replicas in sync")
      EOF

  # With ParameterServerStrategy, a chief whose success ends the job, and parameter servers:
  # chief:
  #   memory: 2GiB
  #   command: python3 train.py
  #   chief: true
  # ps:
  #   memory: 2GiB
  #   command: python3 train.py
  #   kind: service          # not waited for, stopped at the end
)";

constexpr const char* kJax = R"(name: jax-hello
framework: jax               # jax.distributed.initialize() works without arguments

roles:
  worker:
    instances: 2             # how many processes
    memory: 1GiB             # of one task; required
    # gpus: 1
    # Replace it with your own, as in: python3 train.py --epochs 10
    command: |
      exec python3 - <<'EOF'
      import jax
      jax.distributed.initialize()
      print(f"process {jax.process_index()} of {jax.process_count()}: {jax.device_count()} devices in all")
      EOF
)";

constexpr const char* kHorovod = R"(name: horovod-hello
framework: horovod           # tasks find HOROVOD_RANK, HOROVOD_SIZE, … as horovodrun sets them

roles:
  worker:
    instances: 2             # how many tasks
    memory: 1GiB             # of one task; required
    # gpus: 1
    # processes: 4           # ranks of one task
    # Replace it with your own, as in: python3 train.py --epochs 10
    command: |
      exec python3 - <<'EOF'
      import horovod.torch as hvd, torch
      hvd.init()
      total = hvd.allreduce(torch.ones(1) * hvd.rank(), op=hvd.Sum)
      print(f"rank {hvd.rank()} of {hvd.size()}: the sum of all ranks is {total.item():.0f}")
      EOF
    # restart: {max: 3}      # a failed rank takes all ranks into the next generation
)";

constexpr const char* kMxnet = R"(name: mxnet-hello
framework: mxnet             # tasks find DMLC_ROLE, DMLC_PS_ROOT_URI, …

env:
  # All roles run the same program: importing MXNet makes a server or scheduler of it where DMLC_ROLE says so.
  PROGRAM: import mxnet as mx; kv = mx.kv.create("dist_sync"); print("worker", kv.rank, "of", kv.num_workers)

roles:
  worker:
    instances: 2             # how many tasks
    memory: 1GiB             # of one task; required
    # gpus: 1
    command: exec python3 -c "$PROGRAM"
  server:                    # these two have these names
    instances: 1
    memory: 1GiB
    command: exec python3 -c "$PROGRAM"
    kind: service            # not waited for, stopped at the end
  scheduler:
    memory: 512MiB
    command: exec python3 -c "$PROGRAM"
    kind: service
)";

constexpr const char* kXgboost = R"(name: xgboost-hello
framework: xgboost           # tasks find DMLC_TRACKER_URI, DMLC_TRACKER_PORT, DMLC_TASK_ID

roles:
  worker:
    instances: 2             # how many tasks
    memory: 1GiB             # of one task; required
    # Replace it with your own, as in: python3 train.py --rounds 10
    command: |
      exec python3 - <<'EOF'
      import os
      from xgboost import collective
      with collective.CommunicatorContext(dmlc_tracker_uri=os.environ["DMLC_TRACKER_URI"],
                                          dmlc_tracker_port=int(os.environ["DMLC_TRACKER_PORT"]),
                                          dmlc_task_id=os.environ["DMLC_TASK_ID"]):
          print(f"rank {collective.get_rank()} of {collective.get_world_size()}")
      EOF
    # restart: {max: 3}      # a failed rank takes all ranks into the next generation
)";

constexpr const char* kMpi = R"(name: mpi-hello
framework: mpi               # the command runs once, in worker:0; mpirun starts its ranks in all tasks

roles:
  worker:
    instances: 2             # how many tasks
    memory: 512MiB           # of one task; required
    vcores: 1                # ranks of one task
    # Replace it with your own, as in: mpirun python3 train.py --epochs 10
    command: mpirun hostname
    # restart: {max: 3}      # when mpirun fails it starts again
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
