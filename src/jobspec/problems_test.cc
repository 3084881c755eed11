// For each rule of the job file: texts that violate it, with all problems that must be reported for each text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

using ::testing::ElementsAreArray;
using testing::ProblemsOf;

struct Row {
  std::string text;
  std::vector<std::string> problems;  // without the prefix "job.yaml:"
};

void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    std::vector<std::string> want;
    for (const std::string& problem : row.problems) want.push_back("job.yaml:" + problem);
    EXPECT_THAT(ProblemsOf(row.text), ElementsAreArray(want)) << row.text;
  }
}

// A valid job, followed by `more` from line 2 on.
std::string Job(const std::string& more) { return "roles: {w: {memory: 1GiB, command: date}}\n" + more + "\n"; }
// A job whose role w has `more` from line 3 on.
std::string Role(const std::string& more) { return "roles:\n  w: {memory: 1GiB, command: date,\n    " + more + "}\n"; }

TEST(Problems, UnreadableTextIsReported) {
  std::string nested = "a: ";
  for (int i = 0; i < 40; ++i) nested += "[";
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) bomb += std::string("*") + static_cast<char>(c - 1) + ", ";
    bomb += "]\n";
  }
  // The items alone are as many values as are allowed. The list itself is one more value and exceeds the limit.
  std::string list = "tags: [";
  for (int i = 0; i < 20'000; ++i) list += "x,";
  list += "]\n";
  Check({
      {"", {"1: the file is empty; `howdah init` prints a template"}},
      {"# only a comment\n", {"1: the file is empty; `howdah init` prints a template"}},
      {"---\n~\n", {"1: the file is empty; `howdah init` prints a template"}},
      {"just words", {"1: must be a map, as in 'key: value'"}},
      {"[a, b]", {"1: must be a map, as in 'key: value'"}},
      {Job("---\nname: two"), {"2: a job file has only one YAML document; remove this '---'"}},
      {Job("name: &x [*x]"), {"2: alias *x contains itself; write the value out"}},
      {Job("name: *x"), {"2: alias *x has no anchor &x before it"}},
      {Job("\tname: x"),
       {"2: not valid YAML: while scanning for the next token, found character that cannot start any token; indent "
        "with spaces, and quote a value that begins with this character"}},
      {Job("name: \"x"), {"2: not valid YAML: while scanning a quoted scalar, found unexpected end of stream"}},
      {Job("tags: [a\nname: x"),
       {"3: not valid YAML: while parsing a flow sequence, did not find expected ',' or ']' (which begins in line 2)"}},
      {Job("name: a: b"),
       {"2: not valid YAML: mapping values are not allowed in this context; put quotes around a value that contains ': "
        "', and check the indentation"}},
      {Job("name: 'it's'"),
       {"2: not valid YAML: while parsing a block mapping, did not find expected key; check the indentation and the "
        "quotes: within '…' write '' for a quote, within \"…\" write \\\" (which begins in line 1)"}},
      {Job("outputs: [*.pt]"),
       {"2: not valid YAML: while scanning an alias, did not find expected alphabetic or numeric character; put quotes "
        "around a value that begins with * or &"}},
      {"\xef\xbb\xbf" + Job("name: a byte order mark is ignored"), {}},
      {"\xef\xbb\xbf", {"1: the file is empty; `howdah init` prints a template"}},
      {Job("[a]: b"), {"2: a key must be a string, not a list or a map; put quotes around it"}},
      {Job("~: b"), {"2: empty key; write a name before the ':'"}},
      {"{name: x} y", {"1: unexpected text after the end of the document"}},
      {Job("name: !!binary x"), {"2: unsupported tag 'tag:yaml.org,2002:binary'; remove it"}},
      {Job("name: !mine x"), {"2: unsupported tag '!mine'; remove it"}},
      {Job(std::string("name: x\0y", 9)), {"2: the file contains a NUL byte; is it a text file?"}},
      {Job("name: \xff"), {"2: the file is not valid UTF-8; save it as UTF-8"}},
      {nested, {"1: nested too deeply"}},
      {bomb, {"5: the aliases expand to more than 20000 values"}},
      {list, {"1: more than 20000 values, the limit for job files"}},
      {std::string((1 << 20) + 1, '#'), {" the file is larger than 1 MiB, the limit for job files"}},
  });
}

TEST(Problems, SyntaxErrorsShowTheLineWithACaret) {
  const auto repeat = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  const std::pair<std::string, std::string> rows[] = {
      {Job("name: a: b"), "  name: a: b\n         ^"},
      {Job("name: ä: b\r"), "  name: ä: b\n         ^"},
      {Job("outputs: [*.pt]"), "  outputs: [*.pt]\n             ^"},
      {Job("name: \"x"), "  name: \"x\n        ^"},
      {Job("\tname: x"), "  \\tname: x\n  ^"},
      {"name: [a\n", "  name: [a\n        ^"},
      {"name: " + repeat("ä", 100) + ": " + repeat("b", 50),
       "  …" + repeat("ä", 60) + ": " + repeat("b", 38) + "…\n  " + repeat(" ", 61) + "^"},
      {Job("roles: {}"), ""},
  };
  for (const auto& [text, excerpt] : rows) {
    const ParsedJob job = ParseJobFile(text, testing::Machine());
    ASSERT_EQ(job.problems.size(), 1U) << text;
    EXPECT_EQ(job.problems[0].excerpt, excerpt) << text;
  }
}

TEST(Problems, UnknownAndMissingKeysAreReported) {
  Check({
      {"name: x\n", {"1: roles: missing; write for example roles: {worker: {memory: 2GiB, command: python train.py}}"}},
      {"roles:\n",
       {"1: roles: has no value; write for example roles: {worker: {memory: 2GiB, command: python train.py}}"}},
      {"roles: {}\n", {"1: roles: no roles; write for example worker: {memory: 2GiB, command: ...}"}},
      {"roles: [w]\n",
       {"1: roles: must be a map of roles by name; write for example worker: {memory: 2GiB, command: ...}"}},
      {"roles:\n  w: {command: date}\n  memory: 1GiB\n",
       {"2: roles.w.memory: missing; write for example memory: 2GiB",
        "3: roles.memory: is a key of a role; indent it below the name of its role"}},
      {"roles:\n  w:\n", {"2: roles.w: has no keys; write memory and command"}},
      {"roles:\n  w: date\n", {"2: roles.w: must be a map, as in 'key: value'"}},
      {"roles:\n  w:\n    command: date\n", {"2: roles.w.memory: missing; write for example memory: 2GiB"}},
      {"roles:\n  w:\n    memory: ~\n    command:\n",
       {"3: roles.w.memory: has no value; write for example memory: 2GiB",
        "4: roles.w.command: has no value; write for example command: python train.py"}},
      {Job("nmae: x"), {"2: nmae: unknown key; did you mean 'name'?"}},
      {Job("Name: x"), {"2: Name: unknown key; did you mean 'name'?"}},
      {Job("memory: 2GiB"), {"2: memory: unknown key here; did you mean roles.w.memory?"}},
      {Role("timeouts: {run: 1s}"),
       {"3: roles.w.timeouts: unknown key here; did you mean 'timeouts' at the top level?"}},
      {Job("start: gang\nstart: free"), {"3: start: duplicate key (first in line 2); remove one of them"}},
      {Role("vcores: 1, vcores: 1"), {"3: roles.w.vcores: duplicate key (first in line 3); remove one of them"}},
      {Job("env: {A: 1, A: 2}"), {"2: env.A: duplicate key (first in line 2); remove one of them"}},
      {"roles:\n  w: {memory: 1GiB, command: date}\n  w: {memory: 1GiB, command: date}\n",
       {"3: roles.w: duplicate key (first in line 2); remove one of them"}},
      {Job("outputs: /tmp/out"), {"2: outputs: is an absolute path; write a path relative to the working directory"}},
      {Role("outputs: [a/../../b]"), {"3: roles.w.outputs[0]: leaves the working directory; remove '..'"}},
      {Job("outputs: ['']"), {"2: outputs[0]: is empty; remove it"}},
      {Job("nproc_per_node: 2"), {"2: nproc_per_node: unknown key here; did you mean roles.w.processes?"}},
      {Role("cpu: 2"), {"3: roles.w.cpu: unknown key here; did you mean 'vcores'?"}},
      {Role("num-nodes: 2"), {"3: roles.w.num-nodes: unknown key here; did you mean 'instances'?"}},
      {Role("workdir: ./src"), {"3: roles.w.workdir: unknown key here; did you mean 'source' at the top level?"}},
      {Job("timeout: {run: 1h}"), {"2: timeout: unknown key; did you mean 'timeouts'?"}},
      {"roles:\n  v: {memory: 1GiB, command: date}\n  w: {memory: 1GiB, command: date}\nvcores: 2\n",
       {"4: vcores: unknown key here; did you mean roles.NAME.vcores?"}},
      {Job("gang: 5m"), {"2: gang: unknown key here; did you mean timeouts.gang?"}},
      {Job("backoff: 5s"), {"2: backoff: unknown key here; did you mean roles.w.restart.backoff?"}},
      {Role("backoff: 5s"), {"3: roles.w.backoff: unknown key here; did you mean 'restart.backoff'?"}},
      {Role("hold: 5s"), {"3: roles.w.hold: unknown key here; did you mean 'timeouts.hold' at the top level?"}},
      {"role:\n  w: {memroy: 1GiB, command: date}\n",
       {"1: role: unknown key; did you mean 'roles'?", "2: role.w.memroy: unknown key; did you mean 'memory'?",
        "2: role.w.memory: missing; write for example memory: 2GiB"}},
      {"tasks:\n  w: {memory: 2, command: date}\n",
       {"1: tasks: unknown key here; did you mean roles?",
        "2: tasks.w.memory: '2' has no unit; write 2GiB or 2048MiB"}},
      {Job("role: {v: {memory: 2}}"), {"2: role: unknown key; did you mean 'roles'?"}},
      {Job("walltime: 1h"), {"2: walltime: unknown key here; did you mean timeouts.run?"}},
      {Job("zzz: x"),
       {"2: zzz: unknown key; the keys here are name, framework, source, files, outputs, keep_new_files, python, "
        "docker, env, "
        "tony_env, "
        "env_from, queue, priority, node_label, am, file_systems, tokens, kerberos, access, tags, roles, feeds, "
        "tensorboard, checkpoint, "
        "restart, timeouts, metrics, start, history, advice"}},
      {Job("advice: {off: [vcores-ovr]}"),
       {"2: advice.off[0]: unknown value 'vcores-ovr'; did you mean 'vcores-over'?"}},
      {Job("advice: {on: [lost]}"), {"2: advice.on: unknown key; the keys here are off"}},
      {Job("\"a\\nb\": x\ntimeouts: {runs: 1s}\npython: {archiv: x}"),
       {"2: a\\nb: unknown key; the keys here are name, framework, source, files, outputs, keep_new_files, python, "
        "docker, env, "
        "tony_env, "
        "env_from, queue, priority, node_label, am, file_systems, tokens, kerberos, access, tags, roles, feeds, "
        "tensorboard, checkpoint, "
        "restart, timeouts, metrics, start, history, advice",
        "3: timeouts.runs: unknown key; did you mean 'run'?", "4: python.archiv: unknown key; did you mean 'archive'?",
        "4: python.archive: missing; write for example archive: env.tar.gz"}},
  });
}

TEST(Problems, InvalidValuesAreReported) {
  Check({
      {Job("name: [x]"), {"2: name: must be a string, but is a list"}},
      {Job("queue: {x: y}"), {"2: queue: must be a string, but is a map"}},
      {Job("name: \"a\\0\""), {"2: name: contains a NUL character, which cannot be passed to a program; remove it"}},
      {Job("tags: {x: y}"), {"2: tags: must be a list, as in [a, b]"}},
      {Job("tags: [a, ~]"), {"2: tags[1]: must be a string, but is null"}},
      {Job("tags: ['']"), {"2: tags[0]: is empty; remove it"}},
      {Job("tags: [a, 'Howdah-gang:1x1m']"),
       {"2: tags[1]: tags that begin with 'howdah-gang:' are set by Howdah; remove it"}},
      {Job("priority: high"), {"2: priority: 'high' is not a whole number; write a whole number from 0 to 1000000"}},
      {Job("priority: -1"), {"2: priority: '-1' is negative; write a whole number from 0 to 1000000"}},
      {Job("env: [A]"), {"2: env[0]: must be NAME=VALUE, but is 'A'"}},
      {Job("env: [1A=x]"), {"2: env[0]: must be NAME=VALUE, but is '1A=x'"}},
      {Job("env: {1A: x}"), {"2: env.1A: invalid variable name; use letters, digits and _, not starting with a digit"}},
      {Job("env: {A: }"), {"2: env.A: has no value; write \"\" for an empty string"}},
      {Job("env: {A: [1]}"), {"2: env.A: must be a string, but is a list"}},
      {Job("env_from: [A-B]"),
       {"2: env_from[0]: invalid variable name 'A-B'; use letters, digits and _, not starting with a digit"}},
      {Job("start: gnag"), {"2: start: unknown value 'gnag'; did you mean 'gang'?"}},
      {Job("start: x"), {"2: start: unknown value 'x'; write one of gang, free"}},
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
      {Role("chief: yes"), {"3: roles.w.chief: invalid value 'yes'; write true or false"}},
      {Role("kind: services"), {"3: roles.w.kind: unknown value 'services'; did you mean 'service'?"}},
      {Role("on_failure: some"),
       {"3: roles.w.on_failure: unknown value 'some'; write one of fail, tolerate, ignore, ignore_others"}},
      {Role("restart: often"),
       {"3: roles.w.restart.max: 'often' is not a whole number; write a whole number from 0 to 1000000"}},
      {Role("restart: {max: 1, backoff: 2}"), {"3: roles.w.restart.backoff: '2' has no unit; write 2s or 2m"}},
      {Role("after: [{finished: true}]"), {"3: roles.w.after[0].role: missing; write for example role: reader"}},
      {Job("timeouts: {run: 2 s}"),
       {"2: timeouts.run: invalid duration '2 s'; write a whole number with ms, s, m, h or d, for example 30s"}},
      {Job("timeouts: {run: -2s}"), {"2: timeouts.run: '-2s' is negative; write for example 30s"}},
      {Job("timeouts: {run: 0s}"), {"2: timeouts.run: must be more than 0; write for example 30s"}},
      {Job("metrics: {interval: 500ms}"), {"2: metrics.interval: must be from 1s to 1m, or 0s, but is 500ms"}},
      {Job("metrics: 2m"), {"2: metrics.interval: must be from 1s to 1m, or 0s, but is 2m"}},
      {Job("metrics: 5"), {"2: metrics.interval: '5' has no unit; write 5s or 5m"}},
      {Job("checkpoint: {signal: TERM}"), {"2: checkpoint.signal: unknown value 'TERM'; did you mean 'SIGTERM'?"}},
      {Job("checkpoint: {signal: 15}"),
       {"2: checkpoint.signal: unknown value '15'; write one of SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT, "
        "SIGALRM, SIGABRT, SIGBUS, SIGCHLD, SIGCONT, SIGFPE, SIGILL, SIGIO, SIGPIPE, SIGPROF, SIGPWR, SIGSEGV, SIGSYS, "
        "SIGTRAP, SIGTSTP, SIGTTIN, SIGSTKFLT, SIGTTOU, SIGURG, SIGVTALRM, SIGWINCH, SIGXCPU, SIGXFSZ"}},
      {"roles:\n  1w: {memory: 1GiB, command: date}\n",
       {"2: roles.1w: invalid role name; use letters, digits, _ and -, starting with a letter"}},
      {Job("name: " + std::string(255, 'n')), {}},
      {Job("name: " + std::string(256, 'n')), {"2: name: has 256 bytes; a job's name has at most 255 bytes"}},
      {"roles:\n  " + std::string(63, 'w') + ": {memory: 1GiB, command: date}\n", {}},
      {"roles:\n  " + std::string(64, 'w') + ": {memory: 1GiB, command: date}\n",
       {"2: roles." + std::string(60, 'w') + "…: has 64 characters; a role's name has at most 63"}},
      {"roles:\n  w: {memory: 1GiB, command: []}\n",
       {"2: roles.w.command: is empty; write the command to run, for example: python train.py"}},
      {"roles:\n  w: {memory: 1GiB, command: ['', x]}\n",
       {"2: roles.w.command: is empty; write the command to run, for example: python train.py"}},
      {"roles:\n  w: {memory: 1GiB, command: [x, ~, [y]]}\n",
       {"2: roles.w.command[1]: must be a string, but is null",
        "2: roles.w.command[2]: must be a string, but is a list"}},
      {"roles:\n  w: {memory: 1GiB, command: {x: y}}\n",
       {"2: roles.w.command: must be a string for bash, or a list of strings, but is a map"}},
  });
}

TEST(Problems, InvalidRestartRulesAreReported) {
  const std::string key = "3: roles.w.restart.rules[0]";
  Check({
      {Role("restart: {rules: [{log: 'bad (record|shard) .*$', exit: 3, then: fail}]}"), {}},
      {Role("restart: {rules: [{signal: SIGKILL, then: restart_free}, {exit: 75, then: elsewhere}]}"), {}},
      {Role("restart: {rules: {log: x, then: fail}}"), {"3: roles.w.restart.rules: must be a list, as in [a, b]"}},
      {Role("restart: {rules: [{log: 'bad (record', then: fail}]}"),
       {key + ".log: invalid regular expression 'bad (record': missing ): bad (record"}},
      {Role("restart: {rules: [{log: '(?=x)', then: fail}]}"),
       {key + ".log: invalid regular expression '(?=x)': invalid perl operator: (?="}},
      {Role("restart: {rules: [{then: fail}]}"), {key + ": matches every failure; add log, exit or signal"}},
      {Role("restart: {rules: [{exit: 1, signal: SIGBUS, then: fail}]}"),
       {key + ": a process ends with an exit code or by a signal, never both; write two rules"}},
      {Role("restart: {rules: [{log: x}]}"), {key + ".then: missing; write for example then: fail"}},
      {Role("restart: {rules: [{log: x, then: elsewere}]}"),
       {key + ".then: unknown value 'elsewere'; did you mean 'elsewhere'?"}},
      {Role("restart: {rules: [{exit: 256, then: fail}]}"),
       {key + ".exit: '256' is too large; write a whole number from 1 to 255"}},
      {Role("restart: {rules: [{signal: KILL, then: fail}]}"),
       {key + ".signal: unknown value 'KILL'; did you mean 'SIGKILL'?"}},
      {Job("restart: {rules: []}"), {"2: restart.rules: unknown key; the keys here are max"}},
  });
}

TEST(Problems, InvalidClusterValuesAreReported) {
  Check({
      {Job("file_systems: [hdfs://, s3a://b, ns2, 'hdfs:///x', hdfs://ns2, viewfs://t]"),
       {"2: file_systems[0]: 'hdfs://' names no NameNode or name service; write for example hdfs://ns2",
        "2: file_systems[1]: 's3a://b' is not the URI of a file system that issues tokens; write for example "
        "hdfs://ns2",
        "2: file_systems[2]: 'ns2' is not the URI of a file system that issues tokens; write for example hdfs://ns2",
        "2: file_systems[3]: 'hdfs:///x' names no NameNode or name service; write for example hdfs://ns2"}},
      {Job("tokens: {to_tasks: [hdsf], files: [src, none.dt, hdfs://a/b, side.txt]}"),
       {"2: tokens.to_tasks[0]: unknown value 'hdsf'; did you mean 'hdfs'?",
        "2: tokens.files[0]: '/jobs/src' is a directory; write the path of a file",
        "2: tokens.files[1]: no such file or directory: '/jobs/none.dt'; relative paths start at the job file's "
        "directory",
        "2: tokens.files[2]: 'hdfs://a/b' is a URI; write the path of a file on this machine"}},
      {Job("access: {view: [ann, '@ml', '*', ann@EXAMPLE.COM, 'a,b', '@', nn/host@R], modify: ['a b', '@a@b', '**'], "
           "x: 1}"),
       {"2: access.view[3]: 'ann@EXAMPLE.COM' is a principal; write the user's short name, for example 'ann'",
        "2: access.view[4]: invalid user or group 'a,b'; write a user (ann), a group (\"@ml\") or \"*\" for everybody, "
        "without spaces and commas",
        "2: access.view[5]: invalid user or group '@'; write a user (ann), a group (\"@ml\") or \"*\" for everybody, "
        "without spaces and commas",
        "2: access.view[6]: 'nn/host@R' is a principal; write the user's short name, for example 'nn'",
        "2: access.modify[0]: invalid user or group 'a b'; write a user (ann), a group (\"@ml\") or \"*\" for "
        "everybody, without spaces and commas",
        "2: access.modify[1]: invalid user or group '@a@b'; write a user (ann), a group (\"@ml\") or \"*\" for "
        "everybody, without spaces and commas",
        "2: access.modify[2]: invalid user or group '**'; write a user (ann), a group (\"@ml\") or \"*\" for "
        "everybody, "
        "without spaces and commas",
        "2: access.x: unknown key; the keys here are view, modify"}},
      {Job("kerberos: {principal: ann}"), {"2: kerberos.keytab: missing; write for example keytab: ~/ann.keytab"}},
      {Job("kerberos: {keytab: ~/ann.keytab}"),
       {"2: kerberos.keytab: no such file or directory: '/home/u/ann.keytab'"}},
      {Job("docker: {network: host}"), {"2: docker.image: missing; write for example image: library/python:3.11"}},
      {Job("docker: python"), {"2: docker: must be a map, as in 'key: value'"}},
      {Job("docker: {image: 'a b'}"), {"2: docker.image: invalid image name 'a b'; write for example python:3.11"}},
      {Job("docker: {image: a, network: 'ho,st', runtime: -x}"),
       {"2: docker.network: invalid network name 'ho,st'; write for example host",
        "2: docker.runtime: invalid runtime name '-x'; write for example nvidia"}},
      {Job("docker: {image: a, mounts: [/a, '/a:/b', '/a:/b:r', '/a:b:ro', '/a,:/b:ro', '/a:/b:ro:x', '/a:/b:ro']}"),
       {"2: docker.mounts[0]: invalid mount '/a'; write source:target:ro, for example /data:/data:ro",
        "2: docker.mounts[1]: mount '/a:/b' has no mode; append :ro or :rw",
        "2: docker.mounts[2]: invalid mount mode 'r'; write ro or rw",
        "2: docker.mounts[3]: invalid mount '/a:b:ro'; write source:target:ro, for example /data:/data:ro",
        "2: docker.mounts[4]: invalid mount '/a,:/b:ro'; write source:target:ro, for example /data:/data:ro",
        "2: docker.mounts[5]: invalid mount '/a:/b:ro:x'; write source:target:ro, for example /data:/data:ro"}},
      {Job("docker: {image: a, tmpfs: [tmp, /run]}"),
       {"2: docker.tmpfs[0]: 'tmp' is not an absolute path in the container; write for example /tmp"}},
      {Job("am: {attempts: 0}"), {"2: am.attempts: '0' is too small; write a whole number from 1 to 1000000"}},
      {Job("am: {memory: 64}"), {"2: am.memory: '64' has no unit; write 64GiB or 65536MiB"}},
      {Job("am: {gpus: 1}"), {"2: am.gpus: unknown key; the keys here are attempts, memory, vcores"}},
      {Job("max_per_node: 1"), {"2: max_per_node: unknown key here; did you mean roles.w.max_per_node?"}},
      {Role("max_per_node: 0"), {"3: roles.w.max_per_node: '0' is too small; write a whole number from 1 to 1000000"}},
      {Role("resources: {yarn.io/fpga: 2, disk: 1, a.b-c.d/e_f.g-h: 1}"), {}},
      {Role("resources: [fpga]"), {"3: roles.w.resources: must be a map, as in 'key: value'"}},
      {Role("resources: {yarn.io/gpu: 1}"),
       {"3: roles.w.resources.yarn.io/gpu: has its own key; use 'gpus' of the role"}},
      {Role("resources: {memory-mb: 1}"),
       {"3: roles.w.resources.memory-mb: has its own key; use 'memory' of the role"}},
      {Role("resources: {disk: 0, tape: ~}"),
       {"3: roles.w.resources.disk: '0' is too small; write a whole number from 1 to 2147483647",
        "3: roles.w.resources.tape: has no value; write the amount per task"}},
      {Role("locality: {strict: true}"), {"3: roles.w.locality.strict: needs nodes or racks; add some, or remove it"}},
      {Role("locality: {nodes: ['*', n1, 'n1:8041', 'n1:x', 'n1:1:2'], racks: [rack1, /r]}"),
       {"3: roles.w.locality.nodes[0]: invalid host name '*'; write the cluster's name for the node",
        "3: roles.w.locality.nodes[3]: invalid host name 'n1:x'; write the cluster's name for the node",
        "3: roles.w.locality.nodes[4]: invalid host name 'n1:1:2'; write the cluster's name for the node",
        "3: roles.w.locality.racks[0]: invalid rack 'rack1'; write its path, for example /rack1"}},
  });
}

TEST(Problems, InvalidReadinessIsReported) {
  const std::string both =
      "roles:\n  a: {memory: 1GiB, command: date, kind: service}\n"
      "  b: {memory: 1GiB, command: date,\n    after: [{role: a, ";
  Check({
      {Role("ready: {http: 'http://127.0.0.1:${HOWDAH_PORT}/up', interval: 500ms, timeout: 10s}"), {}},
      {Role("ready: {}"), {"3: roles.w.ready: needs http or port; write for example port: \"${HOWDAH_PORT}\""}},
      {Role("ready: {port: 80, http: 'http://localhost/'}"),
       {"3: roles.w.ready: has both http and port; remove one of them"}},
      {Role("ready: {port: 65536}"),
       {"3: roles.w.ready.port: '65536' is not a port; write a number from 1 to 65535, or a variable such as "
        "${HOWDAH_PORT}"}},
      {Role("ready: {http: 'https://localhost/'}"),
       {"3: roles.w.ready.http: 'https://localhost/' is not an http URL; write for example "
        "http://127.0.0.1:${HOWDAH_PORT}/"}},
      {Role("ready: {port: 80, interval: 0s}"),
       {"3: roles.w.ready.interval: must be more than 0; write for example 30s"}},
      {both + "ready: true}]}\n",
       {"4: roles.b.after: role 'a' is never ready; add to it for example `ready: {port: \"${HOWDAH_PORT}\"}`"}},
      {both + "ready: true, finished: true}]}\n",
       {"4: roles.b.after: role 'a' is a service and ends only with the job; remove 'finished'",
        "4: roles.b.after: role 'a' cannot be both ready and finished; remove one of the two"}},
  });
}

TEST(Problems, RestartsWithoutEndMustNotBeAwaited) {
  const std::string ranked = "framework: pytorch\n" + Role("restart: {max: 1, always: true}");
  Check({
      {Role("restart: {max: unlimited, window: 6h, always: true}"), {}},
      {Role("restart: unlimited"), {}},
      {Role("restart: {max: endless}"),
       {"3: roles.w.restart.max: 'endless' is not a whole number; write a whole number from 0 to 1000000"}},
      {Role("restart: {window: 0s}"), {"3: roles.w.restart.window: must be more than 0; write for example 30s"}},
      {Role("chief: true, restart: {always: true}"),
       {"3: roles.w.restart.always: the end of the chief decides the outcome of the job, so the chief must end; remove "
        "chief or "
        "restart.always"}},
      {ranked,
       {"4: roles.w.restart.always: the workers of a pytorch job restart together, so none of them restarts after a "
        "success; remove it"}},
      {Role("restart: {always: true}") + "  s: {memory: 1GiB, command: date, after: [{role: w, finished: true}]}\n",
       {"3: roles.w.restart.always: role 's' waits for the end of this role; remove restart.always, or finished: "
        "true in the other role"}},
      {Role("restart: {max: 1}") + "  s: {memory: 1GiB, command: date, kind: setup, restart: {always: true}}\n",
       {"4: roles.s.restart.always: all other roles wait for the end of a setup role; remove it"}},
  });
}

TEST(Problems, InvalidPlacementIsReported) {
  Check({
      {Role("placement: {attributes: {gen: v100, rm.yarn.io/disk: [ssd, nvme], '!os': rhel7}, max_per_rack: 2}"), {}},
      {Role("placement: {apart: [w]}"), {}},
      {Role("placement: {attributes: {'a b': c}}"),
       {"3: roles.w.placement.attributes.a b: invalid name of a node attribute; write the cluster's name for it, for "
        "example gen"}},
      {Role("placement: {attributes: {gen: ~, disk: []}}"),
       {"3: roles.w.placement.attributes.gen: has no value; write one value, or a list",
        "3: roles.w.placement.attributes.disk: has no value; write one value, or a list"}},
      {Role("placement: {attributes: {gen: 'a,b'}}"),
       {"3: roles.w.placement.attributes.gen: invalid value 'a,b'; use letters, digits, '-', '_' and '.'"}},
      {Role("placement: {near: [w]}"), {"3: roles.w.placement.near: a role cannot be near itself; name other roles"}},
      {Role("placement: {near: [ww], apart: [x]}"),
       {"3: roles.w.placement.near: unknown role 'ww'; write the name of another role, or remove it",
        "3: roles.w.placement.apart: unknown role 'x'; write the name of another role, or remove it"}},
      {Role("placement: {max_per_rack: 0}"),
       {"3: roles.w.placement.max_per_rack: '0' is too small; write a whole number from 1 to 1000000"}},
      {Role("placement: {near: [s], apart: [s]}") + "  s: {memory: 1GiB, command: date}\n",
       {"3: roles.w.placement: role 's' is both in near and in apart; remove one"}},
  });
}

TEST(Problems, InvalidResourceNamesAreReported) {
  for (const char* name : {"1disk", "a/1b", "/a", "a/", "-a/b", "a-/b", "a..b/c", "a/b/c", "a b"}) {
    Check({{Role("resources: {'" + std::string(name) + "': 1}"),
            {"3: roles.w.resources." + std::string(name) +
             ": invalid name of a resource type; write the cluster's name for it, for example yarn.io/fpga"}}});
  }
}

TEST(Problems, InvalidMemorySizesAreReported) {
  const struct {
    const char* text;
    const char* problem;
  } rows[] = {
      {"'2'", "'2' has no unit; write 2GiB or 2048MiB"},
      {"4096", "'4096' has no unit; write 4096MiB or 4GiB"},
      {"1000", "'1000' has no unit; write 1000MiB"},
      {"2G", "invalid memory size '2G'; write 2GiB, or 2GB for powers of 1000"},
      {"512 M", "invalid memory size '512 M'; write 512MiB, or 512MB for powers of 1000"},
      {"2 g", "invalid memory size '2 g'; write 2GiB, or 2GB for powers of 1000"},
      {"2Gb/s", "invalid memory size '2Gb/s'; write a whole number with KiB, MiB, GiB or TiB, for example 4GiB"},
      {"2ib", "invalid memory size '2ib'; write a whole number with KiB, MiB, GiB or TiB, for example 4GiB"},
      {"99999999Ti",
       "invalid memory size '99999999Ti'; write a whole number with KiB, MiB, GiB or TiB, for example "
       "4GiB"},
      {"0Gi", "must be more than 0; write for example 2GiB"},
      {"1.5GiB", "invalid memory size '1.5GiB'; write a whole number with KiB, MiB, GiB or TiB, for example 4GiB"},
      {"99999999TiB",
       "invalid memory size '99999999TiB'; write a whole number with KiB, MiB, GiB or TiB, for example 4GiB"},
      {"0GiB", "must be more than 0; write for example 2GiB"},
      {"0", "'0' has no unit; write for example 2GiB"},
      {"-2GiB", "'-2GiB' is negative; write for example 2GiB"},
      {"[2GiB]", "must be a memory size such as 4GiB, but is a list"}};
  for (const auto& row : rows) {
    Check({{"roles: {w: {command: date, memory: " + std::string(row.text) + "}}",
            {"1: roles.w.memory: " + std::string(row.problem)}}});
  }
}

TEST(Problems, InvalidVariablesAreReported) {
  Check({
      {Job("name: ${NO}"),
       {"2: name: ${NO} is not set in your environment; set it, or give a default: ${NO:-default}"}},
      {Job("env: {A: \"${NO}${HOME}${NOR}\"}"),
       {"2: env.A: ${NO} is not set in your environment; set it, or give a default: ${NO:-default}",
        "2: env.A: ${NOR} is not set in your environment; set it, or give a default: ${NOR:-default}"}},
      {Job("name: ${LATIN}"), {"2: name: the value of a variable in '${LATIN}' is not valid UTF-8"}},
      {Job("priority: ${HOME}"),
       {"2: priority: '/home/u' is not a whole number; write a whole number from 0 to 1000000"}},
      {"roles: {w: {memory: 1GiB, command: 'echo ${NO}'}}", {}},
  });
}

TEST(Problems, InvalidPathsAreReported) {
  const std::string endings =
      "; archives are recognised by their endings: zip tar tar.gz tgz tar.bz2 tar.xz tar.zst jar";
  Check({
      {Job("source: ./no"),
       {"2: source: no such file or directory: '/jobs/no'; relative paths start at the job file's directory"}},
      {Job("source: file:///no"), {"2: source: no such file or directory: '/no'"}},
      {Job("source: file://host/no"), {"2: source: a file URI must not name a host; write file:///path"}},
      {Job("source: ~/no"), {"2: source: '~' is not expanded in job files; write ${HOME}/no"}},
      {Job("source: side.txt"), {"2: source: '/jobs/side.txt' is neither a directory nor an archive" + endings}},
      {Job("source: hdfs:///no"), {}},
      {Job("python: {archive: src}"), {"2: python.archive: '/jobs/src' is not an archive; pack it"}},
      {Job("python: {archive: side.txt}"), {"2: python.archive: '/jobs/side.txt' is not an archive" + endings}},
      {Job("tensorboard: {}"), {"2: tensorboard.logdir: missing; write for example logdir: ./logs"}},
      {Job("tensorboard: {logdir: new}\ncheckpoint: {dir: new}"), {}},
      {Job("files: [no.txt, side.txt]"),
       {"2: files[0]: no such file or directory: '/jobs/no.txt'; relative paths start at the job file's directory"}},
      {Job("files: [{to: x}]"), {"2: files[0].from: missing; write for example from: labels.csv"}},
      {Job("files: [{from: side.txt, to: /x}]"),
       {"2: files[0].to: '/x' is absolute; write a path within the working directory"}},
      {Job("files: [{from: side.txt, to: a/../../x}]"),
       {"2: files[0].to: 'a/../../x' may lead outside the working directory; remove the '..'"}},
      {Job("files: [{from: side.txt, to: ./}]"),
       {"2: files[0].to: './' is not a file name; write the name for the file"}},
      {Job("files:\n  - a/x.txt\n  - side.txt\n  - b/x.txt"),
       {"5: files[2]: 'x.txt' is already the target of files[0]; set another 'to'"}},
      {"files: [a/x.txt]\nroles:\n  w:\n    memory: 1g\n    command: x\n    files:\n      - side.txt\n      - "
       "b/x.txt\n",
       {"8: roles.w.files[1]: 'x.txt' is already the target of files[0]; set another 'to'"}},
      {Job("files: [{from: side.txt, unpack: true}]"), {"2: files[0]: cannot unpack '/jobs/side.txt'" + endings}},
      {Job("files: [{from: dir.zip, unpack: true}]"),
       {"2: files[0]: cannot unpack '/jobs/dir.zip', a directory; remove 'unpack'"}},
      {Job("files: ['hdfs:///dir/']"), {"2: files[0]: has no file name; set one: {from: ..., to: ...}"}},
      {Job("files: ['']"), {"2: files[0]: is empty; write for example labels.csv"}},
  });
}

TEST(Problems, ConflictsBetweenKeysAreReported) {
  const auto roles = [](const std::vector<std::string>& roles) {
    std::string text = "roles:\n";
    for (const std::string& role : roles) text += "  " + role + ", memory: 1GiB, command: date}\n";
    return text;
  };
  Check({
      {"framework: mpi\n" + Role("processes: 2"),
       {"4: roles.w.processes: mpirun starts the ranks, one per vcore of a task; write 1"}},
      {"framework: mxnet\n" + roles({"worker: {processes: 2", "scheduler: {kind: service, instances: 2"}),
       {"2: roles: an MXNet job needs the roles scheduler, server and worker; add server",
        "3: roles.worker.processes: an MXNet task must be one process, because it is one member of the cluster; write "
        "1, and increase instances instead",
        "4: roles.scheduler.instances: MXNet needs exactly one scheduler; write 1"}},
      {Role("processes: 2"), {}},
      {"framework: tensorflow\n" + Role("processes: 2"),
       {"4: roles.w.processes: a TensorFlow task must be one process, because it is one member of the cluster; write "
        "1, and increase instances instead"}},
      {Role("chief: true"), {}},
      {Role("chief: true,\n instances: 2"), {"4: roles.w.instances: the chief must be a single task; write 1"}},
      {Role("chief: true,\n instances: {min: 1, max: 2}"),
       {"4: roles.w.instances: the chief must be a single task; write 1"}},
      {roles({"a: {chief: true, kind: sidecar", "b: {vcores: 1"}),
       {"2: roles.a.kind: the chief must have kind worker; remove kind or chief"}},
      {roles({"a: {chief: true", "b: {chief: true"}),
       {"3: roles.b.chief: a job has only one chief, and role 'a' is already the chief; remove this"}},
      {roles({"a: {outlive: {roles: [], by: 1s}", "b: {outlive: {roles: [b, c, d], by: 1s}", "c: {kind: service",
              "e: {kind: sidecar, outlive: {roles: [a], by: 1s}"}),
       {"2: roles.a.outlive.roles: is empty; write for example [chief]",
        "3: roles.b.outlive.roles: a role cannot outlive itself; name other roles",
        "3: roles.b.outlive.roles: role 'c' is a service and ends only with the job; name other roles",
        "3: roles.b.outlive.roles: unknown role 'd'; write the name of another role, or remove it",
        "5: roles.e.outlive: applies only to workers, and this role is a sidecar; remove it"}},
      {roles({"a: {kind: setup, after: [b]", "b: {vcores: 1", "c: {kind: setup, after: [a]"}),
       {"2: roles.a.after: role 'b' starts only after all setup roles have finished; remove it"}},
      {roles({"a: {exports: {X: 'X='}", "b: {after: [a]", "c: {exports: {Y: '', Z: \"a\\nb\"}",
              "d: {kind: setup, exports: {X: 'X='}", "e: {after: [{role: c, finished: true}]"}),
       {"2: roles.a.exports: no role waits for 'a' to finish; add `after: [{role: a, finished: true}]` to the role "
        "that uses the variables",
        "4: roles.c.exports.Y: must be the text that is printed before the value, on one line; write for example 'Y='",
        "4: roles.c.exports.Z: must be the text that is printed before the value, on one line; write for example "
        "'Z='"}},
      {Role("exports: {1X: 'X='}"),
       {"3: roles.w.exports.1X: invalid variable name; use letters, digits and _, not starting with a digit"}},
      {Role("instances: {min: 8, max: 2}"), {"3: roles.w.instances: min (8) is larger than max (2); swap them"}},
      {Role("kind: service"),
       {"1: roles: no role has kind worker, so the job has nothing to wait for; make one a worker"}},
      {roles({"a: {kind: service, on_failure: tolerate", "b: {vcores: 1", "c: {kind: sidecar, on_failure: tolerate"}),
       {"2: roles.a.on_failure: 'tolerate' applies only to workers, and this role is a service; write kind: sidecar if "
        "its failures should only be reported",
        "4: roles.c.on_failure: 'tolerate' applies only to workers, and this role is a sidecar; failures of a "
        "sidecar are only reported in any case; remove this key"}},
      {roles({"reader: {after: [raeder]"}), {"2: roles.reader.after: unknown role 'raeder'; did you mean 'reader'?"}},
      {roles({"a: {after: [a]"}), {"2: roles.a.after: a role cannot wait for itself; remove it"}},
      {roles({"z: {after: [b]", "a: {after: [{role: c, finished: true}]", "b: {after: [a]", "c: {after: [b]"}),
       {"3: roles.a.after: circular dependency: a → c → b → a; remove one of them"}},
      {roles({"a: {after: [b]", "b: {after: [a]", "c: {after: [d]", "d: {after: [c]"}),
       {"2: roles.a.after: circular dependency: a → b → a; remove one of them",
        "4: roles.c.after: circular dependency: c → d → c; remove one of them"}},
      {roles({"a: {kind: service", "b: {after: [{role: a, finished: true}]"}),
       {"3: roles.b.after: role 'a' is a service and ends only with the job; remove 'finished'"}},
      {Job("checkpoint: {max_grace: 5s}"),
       {"2: checkpoint.max_grace: max_grace (5s) is shorter than grace (10s); make it longer"}},
      {Job("timeouts: {gang: 5s}"), {}},
      {Job("timeouts: {gang: 5s, hold: 6s}"),
       {"2: timeouts.hold: hold (6s) is longer than gang (5s), the total wait; make it shorter"}},
      {Job("timeouts: {hold: 1h}"),
       {"2: timeouts.hold: hold (1h) is longer than gang (15m), the total wait; make it shorter"}},
  });
}

TEST(Problems, TotalNumberOfTasksIsLimited) {
  const auto two_roles = [](const std::string& a, const std::string& b) {
    return "roles:\n  a: {instances: " + a + ", memory: 1GiB, command: date}\n  b: {instances: " + b +
           ", memory: 1GiB, command: date}\n";
  };
  Check({
      {two_roles("40000", "60000"), {}},
      {two_roles("40000", "{min: 1, max: 60001}"),
       {"1: roles: the job has 100001 tasks, and at most 100000 are supported; decrease instances"}},
  });
}

TEST(Problems, AtMost200AreReported) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "k" + std::to_string(i) + ": x\n";
  const std::vector<std::string> problems = ProblemsOf(text);
  ASSERT_EQ(problems.size(), 201u);
  EXPECT_EQ(problems.back(), "job.yaml: and 801 more problems");
}

}  // namespace
}  // namespace howdah::jobspec
