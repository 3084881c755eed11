// What the ResourceManager tells an attempt only once, in a file of its container: for an AM's process that goes on
// there after one that was killed. It holds tokens and is its owner's alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/hadoop/messages/yarn_service.pb.h"
#include "howdah/hadoop/yarn/ids.h"
#include "howdah/os/files/record_file.h"

namespace howdah::backend::yarn::am {

// One thread.
class ResourceManagerCheckpoint {
 public:
  struct Past {
    int32_t response_id = 0;  // of the last answer that was taken
    // Granted to this attempt or to one before it, and not given back for all that is known; and how they ended.
    std::map<hadoop::yarn::ContainerId, ::hadoop::yarn::ContainerProto> containers;
    std::map<hadoop::yarn::ContainerId, ::hadoop::yarn::ContainerStatusProto> completed;
    std::vector<::hadoop::yarn::NMTokenProto> nm_tokens;      // in the order in which they came
    std::optional<::hadoop::common::TokenProto> am_rm_token;  // if it is another one than the container's
  };

  // past: of the attempt so far; none if it has not registered.
  static Result<ResourceManagerCheckpoint> Open(const std::string& path, std::optional<Past>& past);

  // To be called before anything that follows from the answer is done.
  Status Keep(const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response);
  Status Keep(const ::hadoop::yarn::AllocateResponseProto& response);

 private:
  explicit ResourceManagerCheckpoint(os::files::RecordFile file) : file_(std::move(file)) {}

  os::files::RecordFile file_;
};

}  // namespace howdah::backend::yarn::am
