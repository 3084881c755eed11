// Recovery of an AM. The ResourceManager reports some facts to an AM attempt only once. The checkpoint saves them in a
// file of the container, for an AM process that replaces a killed one there. This header also compares the containers
// of an earlier AM with those that YARN reports.
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

// The file contains tokens, so only its owner can read it. Single-threaded.
class ResourceManagerCheckpoint {
 public:
  struct State {
    int32_t response_id = 0;  // of the last answer that was processed
    // Containers that were granted to this attempt or an earlier one and have not ended, and containers that have
    // ended.
    std::map<hadoop::yarn::ContainerId, ::hadoop::yarn::ContainerProto> containers;
    std::map<hadoop::yarn::ContainerId, ::hadoop::yarn::ContainerStatusProto> completed;
    std::vector<::hadoop::yarn::NMTokenProto> nm_tokens;      // in the order of arrival
    std::optional<::hadoop::common::TokenProto> am_rm_token;  // set if it has replaced the token of the container
  };

  // restored: receives the state of this attempt so far; unset if the attempt has not registered.
  static Result<ResourceManagerCheckpoint> Open(const std::string& path, std::optional<State>& restored);

  // To be called before the AM acts on the answer.
  Status Save(const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response);
  Status Save(const ::hadoop::yarn::AllocateResponseProto& response);

 private:
  explicit ResourceManagerCheckpoint(os::files::RecordFile file) : file_(std::move(file)) {}

  os::files::RecordFile file_;
};

// The containers that an AM takes over, compared with those that YARN reports.
struct Takeover {
  std::vector<std::pair<backend::Inherited, ::hadoop::yarn::ContainerProto>> running;
  std::vector<std::pair<backend::Inherited, ::hadoop::yarn::ContainerStatusProto>> ended;
  std::vector<backend::Inherited> missing;              // YARN has not reported them, or not yet
  std::vector<::hadoop::yarn::ContainerProto> surplus;  // not recorded by the job; to be released
};

// Takes over from an earlier process of the same attempt. Pure.
Takeover TakeOver(const std::vector<backend::Inherited>& inherited, const ResourceManagerCheckpoint::State& state);
// Takes over from an earlier attempt. The missing containers may be among the completed ones of the first answer. Pure.
Takeover TakeOver(const std::vector<backend::Inherited>& inherited,
                  const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response);
Takeover TakeOverMissing(const std::vector<backend::Inherited>& missing,
                         const ::hadoop::yarn::AllocateResponseProto& first_answer);

}  // namespace howdah::backend::yarn::am
