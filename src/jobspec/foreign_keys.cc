#include "foreign_keys.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

namespace howdah::jobspec {

namespace {

// Sorted by name. Names are in lower case, without dashes and underscores.
constexpr ForeignKey kForeignKeys[] = {
    {"accelerators", "gpus", true},
    {"activedeadlineseconds", "timeout", true},
    {"annotations", "tags", false},
    {"appname", "name", false},
    {"archives", "files", false},
    {"args", "command", true},
    {"backofflimit", "restart.max", true},
    {"checkpointdir", "checkpoint.dir", false},
    {"ckptdir", "checkpoint.dir", false},
    {"cmd", "command", true},
    {"code", "source", false},
    {"codedir", "source", false},
    {"completions", "instances", true},
    {"conda", "python.archive", false},
    {"condaenv", "python.archive", false},
    {"constraint", "node_label", false},
    {"container", "docker.image", false},
    {"containerenv", "env", true},
    {"containerimage", "docker.image", false},
    {"cores", "vcores", true},
    {"count", "instances", true},
    {"cpu", "vcores", true},
    {"cpupertask", "vcores", true},
    {"cpus", "vcores", true},
    {"cpuspertask", "vcores", true},
    {"deadline", "timeouts.run", false},
    {"dependencies", "after", true},
    {"dependency", "after", true},
    {"dependson", "after", true},
    {"dockerimage", "docker.image", false},
    {"entrypoint", "command", true},
    {"environment", "env", true},
    {"envs", "env", true},
    {"envvars", "env", true},
    {"exec", "command", true},
    {"executes", "command", true},
    {"filemounts", "files", false},
    {"gpu", "gpus", true},
    {"gpuspernode", "gpus", true},
    {"gpuspertask", "gpus", true},
    {"gres", "gpus", true},
    {"imageid", "docker.image", false},
    {"jaxreplicaspecs", "roles", false},
    {"jobid", "name", false},
    {"jobname", "name", false},
    {"jobs", "roles", false},
    {"jobtype", "framework", false},
    {"kind", "framework", false},
    {"labels", "tags", false},
    {"launcher", "framework", false},
    {"localfiles", "files", false},
    {"logdir", "tensorboard.logdir", false},
    {"maxrestarts", "restart.max", true},
    {"maxretries", "restart.max", true},
    {"maxruntime", "timeouts.run", false},
    {"mem", "memory", true},
    {"memorymb", "memory", true},
    {"mempernode", "memory", true},
    {"mounts", "files", false},
    {"ncpus", "vcores", true},
    {"needs", "after", true},
    {"ngpus", "gpus", true},
    {"nnodes", "instances", true},
    {"nodelabels", "node_label", false},
    {"nodes", "instances", true},
    {"nodeselector", "node_label", false},
    {"nprocpernode", "processes", true},
    {"ntasks", "instances", true},
    {"ntaskspernode", "processes", true},
    {"numcpus", "vcores", true},
    {"numgpus", "gpus", true},
    {"numnodes", "instances", true},
    {"numprocpernode", "processes", true},
    {"numreplicas", "instances", true},
    {"numworkers", "instances", true},
    {"parallelism", "instances", true},
    {"partition", "queue", false},
    {"pip", "python.archive", false},
    {"pool", "queue", false},
    {"procspernode", "processes", true},
    {"pythonvenv", "python.archive", false},
    {"pytorchreplicaspecs", "roles", false},
    {"qos", "queue", false},
    {"ram", "memory", true},
    {"replicas", "instances", true},
    {"replicaspecs", "roles", false},
    {"requirements", "python.archive", false},
    {"resourcesfiles", "files", false},
    {"restartpolicy", "restart.max", true},
    {"restarts", "restart.max", true},
    {"retries", "restart.max", true},
    {"retry", "restart.max", true},
    {"role", "roles", false},
    {"run", "command", true},
    {"runtimeenv", "python.archive", false},
    {"script", "command", true},
    {"services", "roles", false},
    {"setup", "python.archive", false},
    {"shellenv", "env", true},
    {"size", "instances", true},
    {"slotsperworker", "processes", true},
    {"src", "source", false},
    {"srcdir", "source", false},
    {"tasks", "roles", false},
    {"tensorboardlogdir", "tensorboard.logdir", false},
    {"tfreplicaspecs", "roles", false},
    {"time", "timeouts.run", false},
    {"timelimit", "timeouts.run", false},
    {"type", "framework", false},
    {"venv", "python.archive", false},
    {"virtualenv", "python.archive", false},
    {"volumes", "files", false},
    {"walltime", "timeouts.run", false},
    {"workdir", "source", false},
    {"workers", "instances", true},
    {"workingdir", "source", false},
    {"worldsize", "instances", true},
};

std::string Plain(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '-' && c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

}  // namespace

const ForeignKey* FindForeignKey(std::string_view name) {
  const std::string plain = Plain(name);
  const auto* const found = std::find_if(std::begin(kForeignKeys), std::end(kForeignKeys),
                                         [&](const ForeignKey& key) { return key.name == plain; });
  return found == std::end(kForeignKeys) ? nullptr : found;
}

}  // namespace howdah::jobspec
