// A job of TonY as a job file of ours. Everything here is a translation into concepts that any job file has.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/compat/tony/config/flags.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::compat::tony::config {

// What translating needs to know of the submitter's machine and of remote file systems.
struct Facts {
  std::string directory;  // absolute: relative paths count from here
  std::function<jobspec::PathKind(const std::string& path)> path_kind;
  bool on_cluster = false;  // containers run on nodes of Hadoop
  // Whether a file of this machine may be executed.
  std::function<bool(const std::string& path)> executable;
  // The files of a remote directory, as URIs; none if the URI is a file.
  std::function<Result<std::vector<std::string>>(const std::string& uri)> list;
};

// A key that has no effect here, or a name that is no key.
struct Note {
  std::string key;
  std::string origin;  // "tony.xml", "-conf"
  std::string text;    // why, a clause
  std::string ToText() const;
};

struct Translation {
  jobspec::JobSpec job;
  std::vector<Note> notes;
  // What is wrong, each a sentence that names the key and the remedy. The job is of use only if there is none.
  std::vector<std::string> problems;
};

// Pure, but for what it asks of `facts`.
Translation Translate(const Flags& flags, const hadoop::conf::Configuration& configuration, const Facts& facts);

}  // namespace howdah::compat::tony::config
