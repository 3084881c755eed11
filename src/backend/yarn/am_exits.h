// How containers end, out of what YARN says of it. Pure.
#pragma once

#include <string>

#include "howdah/hadoop/yarn.pb.h"

namespace howdah::yarnplace {

struct ExitStory {
  std::string how;           // as core::ContainerExited::how; empty: by itself and successfully
  bool node_failed = false;  // the node could not run it: another may
};

// status: of a completed container (org.apache.hadoop.yarn.api.records.ContainerExitStatus). node: its name for people.
ExitStory StoryOf(const hadoop::yarn::ContainerStatusProto& status, const std::string& node);

// The same of a container that its NodeManager would not take. why: the NodeManager's words, or how it could not be
// reached.
std::string WhyNotStarted(const std::string& node, const std::string& why);

}  // namespace howdah::yarnplace
