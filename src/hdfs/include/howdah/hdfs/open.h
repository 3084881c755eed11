// Which file system a URI names, opened.
#pragma once

#include <memory>
#include <string>

#include "howdah/hadoopconf/configuration.h"
#include "howdah/hadooprpc/client_options.h"
#include "howdah/hadooprpc/token.h"
#include "howdah/hdfs/file_system.h"

namespace howdah::hdfs {

struct OpenOptions {
  std::string user;                    // who asks (SIMPLE), and whose home it is
  hadooprpc::Credentials credentials;  // delegation tokens; used where one fits the file system
  hadooprpc::RetryLimits limits;
};

// uri: "hdfs://ns1/x", "file:///mnt", "/x" or "": the scheme and authority count, the path does not. Nothing is
// connected yet. kUnavailable: a scheme that cannot be read (s3a, ...), saying which can.
Result<std::unique_ptr<FileSystem>> Open(const hadoopconf::Configuration& configuration, const std::string& uri,
                                         const OpenOptions& options);

// The path of a URI: "hdfs://ns1/a/b" → "/a/b", "/a/b" → "/a/b".
std::string PathOf(const std::string& uri);

}  // namespace howdah::hdfs
