// Which file system a URI names, opened.
#pragma once

#include <memory>
#include <string>

#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/hdfs/file_system.h"
#include "howdah/hadoop/rpc/client_options.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::hadoop::hdfs {

struct OpenOptions {
  std::string user;                      // who asks (SIMPLE), and whose home it is
  hadoop::rpc::Credentials credentials;  // delegation tokens; used where one fits the file system
  hadoop::rpc::RetryLimits limits;
};

// uri: "hdfs://ns1/x", "file:///mnt", "/x" or "": the scheme and authority count, the path does not. Nothing is
// connected yet. kUnavailable: a scheme that cannot be read (s3a, ...), saying which can.
Result<std::unique_ptr<FileSystem>> Open(const hadoop::conf::Configuration& configuration, const std::string& uri,
                                         const OpenOptions& options);

// The path of a URI: "hdfs://ns1/a/b" → "/a/b", "/a/b" → "/a/b".
std::string PathOf(const std::string& uri);

}  // namespace howdah::hadoop::hdfs
