// Every rule of the job file: a text, and all the lines that are said of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing.h"

namespace howdah::jobspec {
namespace {

using ::testing::ElementsAreArray;
using testing::ProblemsOf;

struct Row {
  std::string text;
  std::vector<std::string> problems;  // without "job.yaml:"
};

void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    std::vector<std::string> want;
    for (const std::string& problem : row.problems) want.push_back("job.yaml:" + problem);
    EXPECT_THAT(ProblemsOf(row.text), ElementsAreArray(want)) << row.text;
  }
}

// A job that is right but for `more`, from line 2 on.
std::string Job(const std::string& more) { return "roles: {w: {memory: 1GiB, command: date}}\n" + more + "\n"; }
// A job whose role w has `more` from line 3 on.
std::string Role(const std::string& more) { return "roles:\n  w: {memory: 1GiB, command: date,\n    " + more + "}\n"; }

TEST(Problems, OfTheText) {
  std::string nested = "a: ";
  for (int i = 0; i < 40; ++i) nested += "[";
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) bomb += std::string("*") + static_cast<char>(c - 1) + ", ";
    bomb += "]\n";
  }
  Check({
      {"", {"1: is empty; 'howdah init' writes a job file to start from"}},
      {"# only a comment\n", {"1: is empty; 'howdah init' writes a job file to start from"}},
      {"---\n~\n", {"1: is empty; 'howdah init' writes a job file to start from"}},
      {"just words", {"1: must be a map of keys and values, as in 'key: value'"}},
      {"[a, b]", {"1: must be a map of keys and values, as in 'key: value'"}},
      {Job("---\nname: two"), {"2: a second document begins; a job file has one: remove the '---'"}},
      {Job("name: &x [*x]"), {"2: the alias *x contains itself; write out what is meant"}},
      {Job("name: *x"), {"2: there is no anchor &x before this alias *x"}},
      {Job("\tname: x"),
       {"2: not valid YAML: while scanning for the next token, found character that cannot start any token; indent "
        "with "
        "spaces, and quote a value that begins with it"}},
      {Job("name: \"x"), {"2: not valid YAML: while scanning a quoted scalar, found unexpected end of stream"}},
      {Job("tags: [a\nname: x"),
       {"3: not valid YAML: while parsing a flow sequence, did not find expected ',' or ']' (it begins in line 2)"}},
      {Job("name: a: b"),
       {"2: not valid YAML: mapping values are not allowed in this context; put quotes around a value that contains ': "
        "', "
        "and check the indentation"}},
      {Job("[a]: b"), {"2: a key must be a text, not a list or a map; put quotes around it"}},
      {Job("~: b"), {"2: a key is empty; write a text before the ':'"}},
      {"{name: x} y", {"1: there is more text behind the end of the file's value"}},
      {Job("name: !!binary x"), {"2: the tag 'tag:yaml.org,2002:binary' is not understood; remove it"}},
      {Job("name: !mine x"), {"2: the tag '!mine' is not understood; remove it"}},
      {Job(std::string("name: x\0y", 9)), {"2: contains a NUL byte; is this a text file?"}},
      {Job("name: \xff"), {"2: is not UTF-8; save it with that encoding"}},
      {nested, {"1: nested too deep; no job file needs that"}},
      {bomb, {"5: its aliases stand for more than 20000 values"}},
      {std::string((1 << 20) + 1, '#'), {" larger than 1 MiB; no job file needs that"}},
  });
}

TEST(Problems, OfKeys) {
  Check({
      {"name: x\n", {"1: roles: missing; write for example roles: {worker: {memory: 2GiB, command: python train.py}}"}},
      {"roles:\n",
       {"1: roles: has no value; write for example roles: {worker: {memory: 2GiB, command: python train.py}}"}},
      {"roles: {}\n", {"1: roles: no role is there; write for example worker: {memory: 2GiB, command: …}"}},
      {"roles: [w]\n", {"1: roles: must be a map of keys and values, as in 'key: value'"}},
      {"roles:\n  w:\n", {"2: roles.w: has no keys; write memory and command"}},
      {"roles:\n  w: date\n", {"2: roles.w: must be a map of keys and values, as in 'key: value'"}},
      {"roles:\n  w:\n    command: date\n", {"2: roles.w.memory: missing; write for example memory: 2GiB"}},
      {"roles:\n  w:\n    memory: ~\n    command:\n",
       {"3: roles.w.memory: has no value; write for example memory: 2GiB",
        "4: roles.w.command: has no value; write for example command: python train.py"}},
      {Job("nmae: x"), {"2: nmae: unknown key; did you mean 'name'?"}},
      {Job("Name: x"), {"2: Name: unknown key; did you mean 'name'?"}},
      {Job("memory: 2GiB"), {"2: memory: unknown key here; did you mean 'memory' of a role: roles.NAME.memory?"}},
      {Role("timeouts: {run: 1s}"),
       {"3: roles.w.timeouts: unknown key here; did you mean 'timeouts' of the job, beside 'roles'?"}},
      {Job("start: gang\nstart: free"), {"3: start: this key is there already in line 2; remove one of them"}},
      {Role("vcores: 1, vcores: 1"), {"3: roles.w.vcores: this key is there already in line 3; remove one of them"}},
      {Job("env: {A: 1, A: 2}"), {"2: env.A: this key is there already in line 2; remove one of them"}},
      {"roles:\n  w: {memory: 1GiB, command: date}\n  w: {memory: 1GiB, command: date}\n",
       {"3: roles.w: this key is there already in line 2; remove one of them"}},
      {Job("zzz: x"),
       {"2: zzz: unknown key; remove it; the keys here are name, framework, source, files, python, docker, env, "
        "tony_env, "
        "env_from, "
        "queue, "
        "priority, node_label, am, tags, roles, tensorboard, checkpoint, restart, timeouts, start, history"}},
      {Job("\"a\\nb\": x\ntimeouts: {runs: 1s}\npython: {archiv: x}"),
       {"2: a\\nb: unknown key; remove it; the keys here are name, framework, source, files, python, docker, env, "
        "tony_env, "
        "env_from, "
        "queue, "
        "priority, node_label, am, tags, roles, tensorboard, checkpoint, restart, timeouts, start, history",
        "3: timeouts.runs: unknown key; did you mean 'run'?", "4: python.archiv: unknown key; did you mean 'archive'?",
        "4: python.archive: missing; write for example archive: env.tar.gz"}},
  });
}

TEST(Problems, OfTypes) {
  Check({
      {Job("name: [x]"), {"2: name: must be a text, but is a list"}},
      {Job("queue: {x: y}"), {"2: queue: must be a text, but is a map"}},
      {Job("name: \"a\\0\""), {"2: name: contains a NUL character, which no program can be given; remove it"}},
      {Job("tags: x"), {"2: tags: must be a list; write [x]"}},
      {Job("tags: {x: y}"), {"2: tags: must be a list, as in [a, b]"}},
      {Job("tags: [a, ~]"), {"2: tags[1]: must be a text, but is nothing"}},
      {Job("tags: ['']"), {"2: tags[0]: is empty; remove it"}},
      {Job("priority: high"), {"2: priority: 'high' is not a whole number; write a whole number from 0 to 1000000"}},
      {Job("priority: -1"), {"2: priority: '-1' is negative; write a whole number from 0 to 1000000"}},
      {Job("env: [A=1]"), {"2: env: must be a map of keys and values, as in 'key: value'"}},
      {Job("env: {1A: x}"), {"2: env.1A: is not the name of a variable; use letters, digits and _, not a digit first"}},
      {Job("env: {A: }"), {"2: env.A: has no value; write \"\" for an empty one"}},
      {Job("env: {A: [1]}"), {"2: env.A: must be a text, but is a list"}},
      {Job("env_from: [A-B]"), {"2: env_from[0]: 'A-B' is not the name of a variable; use letters, digits and _"}},
      {Job("start: gnag"), {"2: start: 'gnag' is not known; did you mean 'gang'?"}},
      {Job("start: x"), {"2: start: 'x' is not known; write one of gang, free"}},
      {Role("instances: 0"), {"3: roles.w.instances: '0' is too small; write a whole number from 1 to 100000"}},
      {Role("instances: 1.5"),
       {"3: roles.w.instances: '1.5' is not a whole number; write a whole number from 1 to 100000"}},
      {Role("instances: 99999999999999999999"),
       {"3: roles.w.instances: '99999999999999999999' is too large; write a whole number from 1 to 100000"}},
      {Role("instances: {min: 2}"), {"3: roles.w.instances.max: missing; write for example max: 8"}},
      {Role("instances: {min: 0, max: 2}"),
       {"3: roles.w.instances.min: '0' is too small; write a whole number from 1 to 100000"}},
      {Role("processes: 0"), {"3: roles.w.processes: '0' is too small; write a whole number from 1 to 4096"}},
      {Role("vcores: 0"), {"3: roles.w.vcores: '0' is too small; write a whole number from 1 to 1000000"}},
      {Role("gpus: [1]"), {"3: roles.w.gpus: must be a whole number, but is a list"}},
      {Role("chief: yes"), {"3: roles.w.chief: 'yes' is neither true nor false"}},
      {Role("kind: services"), {"3: roles.w.kind: 'services' is not known; did you mean 'service'?"}},
      {Role("on_failure: some"),
       {"3: roles.w.on_failure: 'some' is not known; write one of fail, tolerate, ignore, ignore_others"}},
      {Role("restart: 3"), {"3: roles.w.restart: must be a map of keys and values, as in 'key: value'"}},
      {Role("restart: {max: 1, backoff: 2}"), {"3: roles.w.restart.backoff: '2' has no unit; write 2s or 2m"}},
      {Role("after: w"), {"3: roles.w.after: must be a list; write [w]"}},
      {Role("after: [{finished: true}]"), {"3: roles.w.after[0].role: missing; write for example role: reader"}},
      {Job("timeouts: {run: 2 s}"),
       {"2: timeouts.run: '2 s' is not a time; write a whole number and ms, s, m, h or d, as in 30s"}},
      {Job("timeouts: {run: -2s}"), {"2: timeouts.run: '-2s' is negative; write for example 30s"}},
      {Job("timeouts: {run: 0s}"), {"2: timeouts.run: must be more than 0; write for example 30s"}},
      {Job("checkpoint: {signal: TERM}"), {"2: checkpoint.signal: 'TERM' is not known; did you mean 'SIGTERM'?"}},
      {Job("checkpoint: {signal: 15}"),
       {"2: checkpoint.signal: '15' is not known; write one of SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT, "
        "SIGALRM, "
        "SIGABRT, SIGBUS, SIGCHLD, SIGCONT, SIGFPE, SIGILL, SIGIO, SIGPIPE, SIGPROF, SIGPWR, SIGSEGV, SIGSYS, SIGTRAP, "
        "SIGTSTP, SIGTTIN, SIGSTKFLT, SIGTTOU, SIGURG, SIGVTALRM, SIGWINCH, SIGXCPU, SIGXFSZ"}},
      {"roles:\n  1w: {memory: 1GiB, command: date}\n",
       {"2: roles.1w: is no name for a role; use letters, digits, _ and -, a letter first"}},
      {"roles:\n  w: {memory: 1GiB, command: []}\n",
       {"2: roles.w.command: is empty; write what is to run, as in: python train.py"}},
      {"roles:\n  w: {memory: 1GiB, command: ['', x]}\n",
       {"2: roles.w.command: is empty; write what is to run, as in: python train.py"}},
      {"roles:\n  w: {memory: 1GiB, command: [x, ~, [y]]}\n",
       {"2: roles.w.command[1]: must be a text, but is nothing",
        "2: roles.w.command[2]: must be a text, but is a list"}},
      {"roles:\n  w: {memory: 1GiB, command: {x: y}}\n",
       {"2: roles.w.command: must be a text for bash, or a list of words, but is a map"}},
  });
}

TEST(Problems, OfRulesForRestarts) {
  const std::string key = "3: roles.w.restart.rules[0]";
  Check({
      {Role("restart: {rules: [{log: 'bad (record|shard) .*$', exit: 3, then: fail}]}"), {}},
      {Role("restart: {rules: [{signal: SIGKILL, then: restart_free}, {exit: 75, then: elsewhere}]}"), {}},
      {Role("restart: {rules: {log: x, then: fail}}"), {"3: roles.w.restart.rules: must be a list, as in [a, b]"}},
      {Role("restart: {rules: [{log: 'bad (record', then: fail}]}"),
       {key + ".log: 'bad (record' is no regular expression: missing ): bad (record"}},
      {Role("restart: {rules: [{log: '(?=x)', then: fail}]}"),
       {key + ".log: '(?=x)' is no regular expression: invalid perl operator: (?="}},
      {Role("restart: {rules: [{then: fail}]}"), {key + ": fits every failure; say which with log, exit or signal"}},
      {Role("restart: {rules: [{exit: 1, signal: SIGBUS, then: fail}]}"),
       {key + ": no process ends with both an exit code and a signal; make two rules of it"}},
      {Role("restart: {rules: [{log: x}]}"), {key + ".then: missing; write for example then: fail"}},
      {Role("restart: {rules: [{log: x, then: elsewere}]}"),
       {key + ".then: 'elsewere' is not known; did you mean 'elsewhere'?"}},
      {Role("restart: {rules: [{exit: 256, then: fail}]}"),
       {key + ".exit: '256' is too large; write a whole number from 1 to 255"}},
      {Role("restart: {rules: [{signal: KILL, then: fail}]}"),
       {key + ".signal: 'KILL' is not known; did you mean 'SIGKILL'?"}},
      {Job("restart: {rules: []}"), {"2: restart.rules: unknown key; remove it; the keys here are max"}},
  });
}

TEST(Problems, OfWhatIsAboutTheCluster) {
  Check({
      {Job("docker: {network: host}"), {"2: docker.image: missing; write for example image: library/python:3.11"}},
      {Job("docker: python"), {"2: docker: must be a map of keys and values, as in 'key: value'"}},
      {Job("docker: {image: 'a b'}"), {"2: docker.image: 'a b' is no name of an image; write for example python:3.11"}},
      {Job("docker: {image: a, network: 'ho,st', runtime: -x}"),
       {"2: docker.network: 'ho,st' is no name of a network; write for example host",
        "2: docker.runtime: '-x' is no name of a runtime; write for example nvidia"}},
      {Job("docker: {image: a, mounts: [/a, '/a:/b', '/a:/b:r', '/a:b:ro', '/a,:/b:ro', '/a:/b:ro:x', '/a:/b:ro']}"),
       {"2: docker.mounts[0]: '/a' is not a mount; write source:target:ro, as in /data:/data:ro",
        "2: docker.mounts[1]: '/a:/b' does not say how; write /a:/b:ro or :rw",
        "2: docker.mounts[2]: 'r' is no way to mount; write ro or rw",
        "2: docker.mounts[3]: '/a:b:ro' is not a mount; write source:target:ro, as in /data:/data:ro",
        "2: docker.mounts[4]: '/a,:/b:ro' is not a mount; write source:target:ro, as in /data:/data:ro",
        "2: docker.mounts[5]: '/a:/b:ro:x' is not a mount; write source:target:ro, as in /data:/data:ro"}},
      {Job("docker: {image: a, tmpfs: [tmp, /run]}"),
       {"2: docker.tmpfs[0]: 'tmp' is no absolute path in the container; write for example /tmp"}},
      {Job("am: {attempts: 0}"), {"2: am.attempts: '0' is too small; write a whole number from 1 to 1000000"}},
      {Job("am: {memory: 64}"), {"2: am.memory: '64' has no unit; write 64GiB or 65536MiB"}},
      {Job("am: {gpus: 1}"), {"2: am.gpus: unknown key; remove it; the keys here are attempts, memory, vcores"}},
      {Job("max_per_node: 1"),
       {"2: max_per_node: unknown key here; did you mean 'max_per_node' of a role: roles.NAME.max_per_node?"}},
      {Role("max_per_node: 0"), {"3: roles.w.max_per_node: '0' is too small; write a whole number from 1 to 1000000"}},
      {Role("resources: {yarn.io/fpga: 2, disk: 1, a.b-c.d/e_f.g-h: 1}"), {}},
      {Role("resources: [fpga]"), {"3: roles.w.resources: must be a map of keys and values, as in 'key: value'"}},
      {Role("resources: {yarn.io/gpu: 1}"),
       {"3: roles.w.resources.yarn.io/gpu: has a key of its own; write 'gpus' of the role"}},
      {Role("resources: {memory-mb: 1}"),
       {"3: roles.w.resources.memory-mb: has a key of its own; write 'memory' of the role"}},
      {Role("resources: {disk: 0, tape: ~}"),
       {"3: roles.w.resources.disk: '0' is too small; write a whole number from 1 to 2147483647",
        "3: roles.w.resources.tape: has no value; write how many a task gets"}},
      {Role("locality: {strict: true}"),
       {"3: roles.w.locality.strict: there is nowhere to run only; add nodes or racks, or remove it"}},
      {Role("locality: {nodes: ['*', n1, 'n1:8041', 'n1:x', 'n1:1:2'], racks: [rack1, /r]}"),
       {"3: roles.w.locality.nodes[0]: '*' is no host name; write it as the cluster names the node",
        "3: roles.w.locality.nodes[3]: 'n1:x' is no host name; write it as the cluster names the node",
        "3: roles.w.locality.nodes[4]: 'n1:1:2' is no host name; write it as the cluster names the node",
        "3: roles.w.locality.racks[0]: 'rack1' is no rack; write its path, as in /rack1"}},
  });
}

TEST(Problems, OfNamesOfResourceTypes) {
  for (const char* name : {"1disk", "a/1b", "/a", "a/", "-a/b", "a-/b", "a..b/c", "a/b/c", "a b"}) {
    Check({{Role("resources: {'" + std::string(name) + "': 1}"),
            {"3: roles.w.resources." + std::string(name) +
             ": is no name of a resource type; write it as the cluster names it, as in yarn.io/fpga"}}});
  }
}

TEST(Problems, OfMemory) {
  const struct {
    const char* text;
    const char* problem;
  } rows[] = {
      {"'2'", "'2' has no unit; write 2GiB or 2048MiB"},
      {"4096", "'4096' has no unit; write 4096MiB or 4GiB"},
      {"1000", "'1000' has no unit; write 1000MiB"},
      {"2Gi", "'2Gi' is not an amount of memory; write 2GiB"},
      {"2 gb", "'2 gb' is not an amount of memory; write 2GB"},
      {"2G", "'2G' is not an amount of memory; write 2GiB"},
      {"1.5GiB", "'1.5GiB' is not an amount of memory; write a whole number and KiB, MiB, GiB or TiB, as in 4GiB"},
      {"99999999TiB",
       "'99999999TiB' is not an amount of memory; write a whole number and KiB, MiB, GiB or TiB, as in 4GiB"},
      {"0GiB", "'0GiB' is nothing; write for example 2GiB"},
      {"0", "'0' has no unit; write for example 2GiB"},
      {"-2GiB", "'-2GiB' is negative; write for example 2GiB"},
      {"[2GiB]", "must be an amount of memory such as 4GiB, but is a list"}};
  for (const auto& row : rows) {
    Check({{"roles: {w: {command: date, memory: " + std::string(row.text) + "}}",
            {"1: roles.w.memory: " + std::string(row.problem)}}});
  }
}

TEST(Problems, OfVariables) {
  Check({
      {Job("name: ${NO}"),
       {"2: name: ${NO} is not set in your environment; set it, or give a default: ${NO:-default}"}},
      {Job("env: {A: \"${NO}${HOME}${NOR}\"}"),
       {"2: env.A: ${NO} is not set in your environment; set it, or give a default: ${NO:-default}",
        "2: env.A: ${NOR} is not set in your environment; set it, or give a default: ${NOR:-default}"}},
      {Job("name: ${LATIN}"), {"2: name: a variable in '${LATIN}' has a value that is not UTF-8"}},
      {Job("priority: ${HOME}"),
       {"2: priority: '/home/u' is not a whole number; write a whole number from 0 to 1000000"}},
      {"roles: {w: {memory: 1GiB, command: 'echo ${NO}'}}", {}},
  });
}

TEST(Problems, OfPaths) {
  const std::string endings = "; an archive's name ends in one of zip tar tar.gz tgz tar.bz2 tar.xz tar.zst jar";
  Check({
      {Job("source: ./no"), {"2: source: there is no '/jobs/no'; a relative path counts from the job file"}},
      {Job("source: file:///no"), {"2: source: there is no '/no'"}},
      {Job("source: file://host/no"), {"2: source: a file URI names no host; write file:///path"}},
      {Job("source: ~/no"), {"2: source: '~' stands for nothing in a job file; write ${HOME}/no"}},
      {Job("source: side.txt"), {"2: source: '/jobs/side.txt' is neither a directory nor an archive" + endings}},
      {Job("source: hdfs:///no"), {}},
      {Job("python: {archive: src}"), {"2: python.archive: '/jobs/src' is not an archive; pack it"}},
      {Job("python: {archive: side.txt}"), {"2: python.archive: '/jobs/side.txt' is not an archive" + endings}},
      {Job("tensorboard: {}"), {"2: tensorboard.logdir: missing; write for example logdir: ./logs"}},
      {Job("tensorboard: {logdir: new}\ncheckpoint: {dir: new}"), {}},
      {Job("files: [no.txt, side.txt]"),
       {"2: files[0]: there is no '/jobs/no.txt'; a relative path counts from the job file"}},
      {Job("files: [{to: x}]"), {"2: files[0].from: missing; write for example from: labels.csv"}},
      {Job("files: [{from: side.txt, to: /x}]"),
       {"2: files[0].to: '/x' is absolute; write a path within the working directory"}},
      {Job("files: [{from: side.txt, to: a/../../x}]"),
       {"2: files[0].to: 'a/../../x' may leave the working directory; write it without '..'"}},
      {Job("files: [{from: side.txt, to: ./}]"),
       {"2: files[0].to: './' names nothing; write the name the file is to have"}},
      {Job("files:\n  - a/x.txt\n  - side.txt\n  - b/x.txt"),
       {"5: files[2]: 'x.txt' is the place of files[0] already; give another 'to'"}},
      {"files: [a/x.txt]\nroles:\n  w:\n    memory: 1g\n    command: x\n    files:\n"
       "      - side.txt\n      - b/x.txt\n",
       {"8: roles.w.files[1]: 'x.txt' is the place of files[0] already; give another 'to'"}},
      {Job("files: [{from: side.txt, unpack: true}]"), {"2: files[0]: '/jobs/side.txt' cannot be unpacked" + endings}},
      {Job("files: [{from: dir.zip, unpack: true}]"),
       {"2: files[0]: '/jobs/dir.zip' is a directory and cannot be unpacked; remove 'unpack'"}},
      {Job("files: ['hdfs:///dir/']"),
       {"2: files[0]: has no name of its own; say how it is to be called: {from: …, to: …}"}},
      {Job("files: ['']"), {"2: files[0]: names no file; write for example labels.csv"}},
  });
}

TEST(Problems, BetweenKeys) {
  const auto roles = [](const std::vector<std::string>& roles) {
    std::string text = "roles:\n";
    for (const std::string& role : roles) text += "  " + role + ", memory: 1GiB, command: date}\n";
    return text;
  };
  Check({
      {"framework: mpi\n" + Role("processes: 2"),
       {"4: roles.w.processes: mpirun starts the ranks, as many in a task as it has vcores; write 1"}},
      {"framework: mxnet\n" + roles({"worker: {processes: 2", "scheduler: {kind: service, instances: 2"}),
       {"2: roles: an MXNet job has roles called scheduler, server and worker; add server",
        "3: roles.worker.processes: an MXNet task has one place in the cluster; write 1, and more instances",
        "4: roles.scheduler.instances: MXNet's scheduler is one task; write 1"}},
      {Role("processes: 2"), {}},
      {"framework: tensorflow\n" + Role("processes: 2"),
       {"4: roles.w.processes: a TensorFlow task has one place in the cluster; write 1, and more instances"}},
      {Role("chief: true"), {}},
      {Role("chief: true,\n instances: 2"), {"4: roles.w.instances: a chief is one task; write 1"}},
      {Role("chief: true,\n instances: {min: 1, max: 2}"), {"4: roles.w.instances: a chief is one task; write 1"}},
      {roles({"a: {chief: true, kind: sidecar", "b: {vcores: 1"}),
       {"2: roles.a.kind: a chief is of kind worker; remove one of the two"}},
      {roles({"a: {chief: true", "b: {chief: true"}),
       {"3: roles.b.chief: role 'a' is the chief already; a job has one: remove it"}},
      {roles({"a: {outlive: {roles: [], by: 1s}", "b: {outlive: {roles: [b, c, d], by: 1s}", "c: {kind: service",
              "e: {kind: sidecar, outlive: {roles: [a], by: 1s}"}),
       {"2: roles.a.outlive.roles: names no role; write for example [chief]",
        "3: roles.b.outlive.roles: a role cannot outlive itself; name others",
        "3: roles.b.outlive.roles: role 'c' is a service, which ends only with the job; name others",
        "3: roles.b.outlive.roles: there is no role 'd'; write the name of a role, or remove it",
        "5: roles.e.outlive: is for workers; this is a sidecar, which the job does not wait for; remove it"}},
      {roles({"a: {kind: setup, after: [b]", "b: {vcores: 1", "c: {kind: setup, after: [a]"}),
       {"2: roles.a.after: role 'b' starts when all of kind setup have ended; remove it"}},
      {roles({"a: {exports: {X: 'X='}", "b: {after: [a]", "c: {exports: {Y: '', Z: \"a\\nb\"}",
              "d: {kind: setup, exports: {X: 'X='}", "e: {after: [{role: c, finished: true}]"}),
       {"2: roles.a.exports: no role waits for the end of 'a'; give one `after: [{role: a, finished: true}]`",
        "4: roles.c.exports.Y: write the text of one line behind which its value is printed, such as 'Y='",
        "4: roles.c.exports.Z: write the text of one line behind which its value is printed, such as 'Z='"}},
      {Role("exports: {1X: 'X='}"),
       {"3: roles.w.exports.1X: is not the name of a variable; use letters, digits and _, not a digit first"}},
      {Role("instances: {min: 8, max: 2}"), {"3: roles.w.instances: min 8 is above max 2; swap them"}},
      {Role("kind: service"),
       {"1: roles: no role is of kind worker, so the job has nothing to wait for; make one a worker"}},
      {roles({"a: {kind: service, on_failure: tolerate", "b: {vcores: 1", "c: {kind: sidecar, on_failure: tolerate"}),
       {"2: roles.a.on_failure: 'tolerate' is for workers, this is a service; to have its failures only reported, "
        "write "
        "kind: sidecar",
        "4: roles.c.on_failure: 'tolerate' is for workers, this is a sidecar, whose failures are only reported anyway; "
        "remove it"}},
      {roles({"reader: {after: [raeder]"}),
       {"2: roles.reader.after: there is no role 'raeder'; did you mean 'reader'?"}},
      {roles({"a: {after: [a]"}), {"2: roles.a.after: waits for itself; remove it"}},
      {roles({"z: {after: [b]", "a: {after: [{role: c, finished: true}]", "b: {after: [a]", "c: {after: [b]"}),
       {"3: roles.a.after: waits for itself: a → c → b → a; remove one of these"}},
      {roles({"a: {after: [b]", "b: {after: [a]", "c: {after: [d]", "d: {after: [c]"}),
       {"2: roles.a.after: waits for itself: a → b → a; remove one of these",
        "4: roles.c.after: waits for itself: c → d → c; remove one of these"}},
      {roles({"a: {kind: service", "b: {after: [{role: a, finished: true}]"}),
       {"3: roles.b.after: role 'a' is a service, which ends only with the job; remove 'finished'"}},
      {Job("checkpoint: {max_grace: 5s}"),
       {"2: checkpoint.max_grace: max_grace (5s) is shorter than grace (10s); make it longer"}},
      {Job("timeouts: {gang: 5s}"),
       {"2: timeouts.gang: hold (10s) is longer than gang (5s), the whole wait; make it shorter"}},
      {Job("timeouts: {hold: 1h}"),
       {"2: timeouts.hold: hold (1h) is longer than gang (15m), the whole wait; make it shorter"}},
  });
}

TEST(Problems, OfAGreatManyAreCut) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "k" + std::to_string(i) + ": x\n";
  const std::vector<std::string> problems = ProblemsOf(text);
  ASSERT_EQ(problems.size(), 201u);
  EXPECT_EQ(problems.back(), "job.yaml: and 801 more problems");
}

}  // namespace
}  // namespace howdah::jobspec
