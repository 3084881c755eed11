// Data for the recovery of an AM. The ResourceManager reports some facts to an AM attempt only once. The checkpoint
// keeps them in a file of the container, for the next AM process in the container if this one is killed. This header
// also compares the containers of an earlier AM with those that YARN reports.
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

// Single-threaded. Only the owner can read the file, because it contains tokens.
class ResourceManagerCheckpoint {
 public:
  struct State {
    int32_t response_id = 0;  // response id of the last answer that the AM processed
    // The containers that were granted to this attempt or an earlier one: `containers` has those that are still
    // allocated, `completed` those that have ended.
    std::map<hadoop::yarn::ContainerId, ::hadoop::yarn::ContainerProto> containers;
    std::map<hadoop::yarn::ContainerId, ::hadoop::yarn::ContainerStatusProto> completed;
    std::vector<::hadoop::yarn::NMTokenProto> nm_tokens;      // in the order in which they arrived
    std::optional<::hadoop::common::TokenProto> am_rm_token;  // set if YARN has replaced the container's token
  };

  // restored: receives the state that earlier processes of this attempt saved; unset if the attempt has not registered.
  static Result<ResourceManagerCheckpoint> Open(const std::string& path, std::optional<State>& restored);

  // Saves an answer of the ResourceManager. Must be called before the AM acts on the answer.
  Status Save(const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response);
  Status Save(const ::hadoop::yarn::AllocateResponseProto& response);

 private:
  explicit ResourceManagerCheckpoint(os::files::RecordFile file) : file_(std::move(file)) {}

  os::files::RecordFile file_;
};

// The result of comparing the containers that the job has recorded with those that YARN reports.
struct Takeover {
  std::vector<std::pair<backend::Inherited, ::hadoop::yarn::ContainerProto>> running;
  std::vector<std::pair<backend::Inherited, ::hadoop::yarn::ContainerStatusProto>> ended;
  std::vector<backend::Inherited> missing;              // recorded, but YARN has not reported them (yet)
  std::vector<::hadoop::yarn::ContainerProto> surplus;  // reported, but not recorded by the job; to be released
};

// Compares the containers for an AM process that replaces an earlier process of the same attempt. Pure.
Takeover TakeOver(const std::vector<backend::Inherited>& inherited, const ResourceManagerCheckpoint::State& state);
// Compares the containers for a new AM attempt with those in the answer to its registration. The first answer to a
// heartbeat may list missing containers as completed, so TakeOverMissing compares them again. Pure.
Takeover TakeOver(const std::vector<backend::Inherited>& inherited,
                  const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response);
Takeover TakeOverMissing(const std::vector<backend::Inherited>& missing,
                         const ::hadoop::yarn::AllocateResponseProto& first_answer);

}  // namespace howdah::backend::yarn::am
