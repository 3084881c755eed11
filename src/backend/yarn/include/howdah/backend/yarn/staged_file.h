// A file in a cluster's file system that NodeManagers copy into containers: YARN's LocalResource.
#pragma once

#include <cstdint>
#include <string>

#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::backend::yarn {

struct StagedFile {
  enum class Type { kFile, kArchive };  // a node unpacks an archive once, not once per container
  // kPublic: every user may read the file, and a node keeps one copy for all users.
  enum class Visibility { kPublic, kPrivate, kApplication };
  std::string uri;  // absolute, never percent-encoded: "hdfs://ns1/user/ann/.howdah/cache/3f…/train.py"
  int64_t size = 0;
  int64_t modified_millis = 0;  // a NodeManager rejects the file if its actual modification time differs
  Type type = Type::kFile;
  Visibility visibility = Visibility::kPrivate;
  friend bool operator==(const StagedFile&, const StagedFile&) = default;
};

// Returns the file as a message of a launch context. If the URI has no port, the port is set to -1, because YARN reads
// a missing port as 0.
::hadoop::yarn::LocalResourceProto ToProto(const StagedFile& file);

}  // namespace howdah::backend::yarn
