#include "howdah/compat/skeinspec/keys.h"

namespace howdah::compat::skeinspec {
namespace {

constexpr common::Effect kNone = common::Effect::kNone;
constexpr common::Effect kHonoured = common::Effect::kHonoured;

constexpr std::string_view kLog4j = "for log4j in Skein's application master; Howdah runs no JVM";
constexpr std::string_view kTls = "for Skein's own service; each job of Howdah makes certificates of its own";
constexpr std::string_view kSystem = "read from the file system";
constexpr std::string_view kSharing = "a file is kept once per user and content, and only that user can read it";

std::vector<common::Key> OfApplication() {
  return {
      {"name", "skein", kHonoured, "`name`"},
      {"queue", "default", kHonoured, "`queue`; without the key, the default queue of the cluster"},
      {"user", "", kNone, "set HADOOP_USER_NAME instead, or HADOOP_PROXY_USER on a cluster with Kerberos"},
      {"node_label", "", kHonoured, "`node_label`"},
      {"max_attempts", "1", kHonoured,
       "`am.attempts`; without the key 2, because tasks keep running while an application master is replaced"},
      {"tags", "[]", kHonoured, "`tags`"},
      {"file_systems", "[]", kHonoured, "`file_systems`"},
      {"acls.enable", "false", kHonoured, "if it is false, the other keys of `acls` have no effect, as in Skein"},
      {"acls.view_users", "[]", kHonoured, "`access.view`"},
      {"acls.view_groups", "[]", kHonoured, "`access.view`, as `@GROUP`"},
      {"acls.modify_users", "[]", kHonoured, "`access.modify`"},
      {"acls.modify_groups", "[]", kHonoured, "`access.modify`, as `@GROUP`"},
      {"acls.ui_users", "[]", kNone,
       "Skein's user interface does not exist; users in `view_users` may open the status page"},
      {"services", "{}", kHonoured,
       "`roles`; of `kind: service` if there is a `master.script`, otherwise of `kind: worker`. A character that a "
       "role's name cannot have becomes `-`: `dask.worker` is `dask-worker`"},
  };
}

std::vector<common::Key> OfMaster() {
  return {
      {"master.script", "", kHonoured, "`command` of a role `driver` with `chief: true`: the job ends with it"},
      {"master.resources.memory", "512 MiB", kHonoured, "`memory` of `driver`; without a script `am.memory`"},
      {"master.resources.vcores", "1", kHonoured, "`vcores` of `driver`; without a script `am.vcores`"},
      {"master.resources.gpus", "0", kHonoured, "`gpus` of `driver`; without a script no effect"},
      {"master.resources.fpgas", "0", kHonoured, "`resources` of `driver`; without a script no effect"},
      {"master.files.<file>", "", kHonoured, "`files` of `driver`; without a script no effect"},
      {"master.env", "{}", kHonoured, "`env` of `driver`; without a script no effect"},
      {"master.log_level", "info", kNone, kLog4j},
      {"master.log_config", "", kNone, kLog4j},
      {"master.security.cert_file", "", kNone, kTls},
      {"master.security.key_file", "", kNone, kTls},
      {"master.security.cert_bytes", "", kNone, kTls},
      {"master.security.key_bytes", "", kNone, kTls},
  };
}

std::vector<common::Key> OfServices() {
  return {
      {"services.<service>.script", "required", kHonoured,
       "`command` of the role. It must not call Skein's service, which does not run: `skein kv`, `dask-yarn`"},
      {"services.<service>.instances", "1", kHonoured,
       "`instances`; 0 is an error, because nothing could add instances"},
      {"services.<service>.resources.memory", "required", kHonoured, "`memory`; a number without a unit is in MiB"},
      {"services.<service>.resources.vcores", "required", kHonoured, "`vcores`"},
      {"services.<service>.resources.gpus", "0", kHonoured, "`gpus`"},
      {"services.<service>.resources.fpgas", "0", kHonoured, "`resources`, as `yarn.io/fpga`"},
      {"services.<service>.env", "{}", kHonoured, "`env` of the role"},
      {"services.<service>.depends", "[]", kHonoured,
       "`after`: the role starts when all tasks of the others have started"},
      {"services.<service>.max_restarts", "0", kHonoured,
       "`restart.max`; -1 is `unlimited`. Howdah counts the restarts of each task, and Skein those of the service"},
      {"services.<service>.allow_failures", "false", kHonoured,
       "`kind: sidecar` if there is a `master.script`, otherwise `on_failure: ignore`"},
      {"services.<service>.node_label", "", kHonoured, "`node_label` of the role"},
      {"services.<service>.nodes", "[]", kHonoured, "`locality.nodes`"},
      {"services.<service>.racks", "[]", kHonoured, "`locality.racks`"},
      {"services.<service>.relax_locality", "false", kHonoured, "`locality.strict`, with the opposite value"},
  };
}

std::vector<common::Key> OfFiles() {
  return {
      {"services.<service>.files.<file>", "", kHonoured,
       "an item of `files` of the role, with `to: <file>`; a plain string is its `source`"},
      {"services.<service>.files.<file>.source", "required", kHonoured,
       "`from`; a relative path starts at the directory of the specification"},
      {"services.<service>.files.<file>.type", "by the ending", kHonoured,
       "`unpack`: true for `archive`, and without the key for `.zip`, `.tar.gz` and `.tgz`"},
      {"services.<service>.files.<file>.visibility", "application", kNone, kSharing},
      {"services.<service>.files.<file>.size", "0", kNone, kSystem},
      {"services.<service>.files.<file>.timestamp", "0", kNone, kSystem},
  };
}

}  // namespace

const common::KeyTable& Keys() {
  static const common::KeyTable table({{"Application", OfApplication()},
                                       {"Application master", OfMaster()},
                                       {"Services", OfServices()},
                                       {"Files", OfFiles()}});
  return table;
}

std::string KeysText() { return Keys().ToMarkdown("Skein's default"); }

}  // namespace howdah::compat::skeinspec
