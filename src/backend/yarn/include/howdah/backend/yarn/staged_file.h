// A file of a cluster's file system that NodeManagers localize into containers: YARN's LocalResource.
#pragma once

#include <cstdint>
#include <string>

#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::backend::yarn {

struct StagedFile {
  enum class Type { kFile, kArchive };  // archives are unpacked by the node, once
  // kPublic: nodes keep one copy for all users, who may all read the file.
  enum class Visibility { kPublic, kPrivate, kApplication };
  std::string uri;  // absolute, never percent-encoded: "hdfs://ns1/user/ann/.howdah/cache/3f…/train.py"
  int64_t size = 0;
  int64_t modified_millis = 0;  // a NodeManager rejects the file if it has another modification time
  Type type = Type::kFile;
  Visibility visibility = Visibility::kPrivate;
  friend bool operator==(const StagedFile&, const StagedFile&) = default;
};

// As launch contexts hold it. The port of a URI without one is -1, as YARN reads an absent port as 0.
::hadoop::yarn::LocalResourceProto ToProto(const StagedFile& file);

}  // namespace howdah::backend::yarn
