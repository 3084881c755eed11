// Recovery of an AM: what the ResourceManager reports to an attempt only once is saved in a file of the container, for
// an AM process that replaces a killed one there; and what an AM takes over from the one before it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "howdah/backend/backend.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/hadoop/messages/yarn_service.pb.h"
#include "howdah/hadoop/yarn/ids.h"
#include "howdah/os/files/record_file.h"

namespace howdah::backend::yarn::am {

// The file has tokens; only its owner can read it. One thread.
class ResourceManagerCheckpoint {
 public:
  struct State {
    int32_t response_id = 0;  // of the last processed answer
    // Granted to this attempt or an earlier one and not known to be released; and those that have ended.
    std::map<hadoop::yarn::ContainerId, ::hadoop::yarn::ContainerProto> containers;
    std::map<hadoop::yarn::ContainerId, ::hadoop::yarn::ContainerStatusProto> completed;
    std::vector<::hadoop::yarn::NMTokenProto> nm_tokens;      // in the order of arrival
    std::optional<::hadoop::common::TokenProto> am_rm_token;  // if it has replaced the container's token
  };

  // restored: the state of this attempt so far; none if it has not registered.
  static Result<ResourceManagerCheckpoint> Open(const std::string& path, std::optional<State>& restored);

  // To be called before acting on the answer.
  Status Save(const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response);
  Status Save(const ::hadoop::yarn::AllocateResponseProto& response);

 private:
  explicit ResourceManagerCheckpoint(os::files::RecordFile file) : file_(std::move(file)) {}

  os::files::RecordFile file_;
};

// The containers that an AM takes over, compared with what YARN knows of them.
struct Takeover {
  std::vector<std::pair<backend::Inherited, ::hadoop::yarn::ContainerProto>> running;
  std::vector<std::pair<backend::Inherited, ::hadoop::yarn::ContainerStatusProto>> ended;
  std::vector<backend::Inherited> missing;              // YARN has not reported them (yet)
  std::vector<::hadoop::yarn::ContainerProto> surplus;  // unknown to the job; to be released
};

// From a process of the same attempt. Pure.
Takeover TakeOver(const std::vector<backend::Inherited>& inherited, const ResourceManagerCheckpoint::State& state);
// From an earlier attempt. The missing ones may be among the completed containers of the first answer. Pure.
Takeover TakeOver(const std::vector<backend::Inherited>& inherited,
                  const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response);
Takeover TakeOverMissing(const std::vector<backend::Inherited>& missing,
                         const ::hadoop::yarn::AllocateResponseProto& first_answer);

}  // namespace howdah::backend::yarn::am
