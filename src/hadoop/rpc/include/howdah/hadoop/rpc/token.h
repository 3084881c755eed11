// Hadoop's tokens and token files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::hadoop::rpc {

// A token as in org.apache.hadoop.security.token.Token. Howdah does not parse the identifier.
struct Token {
  std::string identifier, password;
  std::string kind;     // "YARN_AM_RM_TOKEN", "NMToken", "HDFS_DELEGATION_TOKEN", ...
  std::string service;  // "10.0.0.7:8032", "ha-hdfs:ns", ""
  friend bool operator==(const Token&, const Token&) = default;
};

// Credentials as in org.apache.hadoop.security.Credentials: the content of the file that HADOOP_TOKEN_FILE_LOCATION
// names, and of ContainerLaunchContextProto.tokens.
struct Credentials {
  std::map<std::string, Token> tokens;         // by alias
  std::map<std::string, std::string> secrets;  // by alias: private data of the application
  // Returns the first token of this kind and service (of any service if empty), or null if there is none.
  const Token* Find(std::string_view kind, std::string_view service = {}) const;
  friend bool operator==(const Credentials&, const Credentials&) = default;
};

// Parses "HDTS" files of version 0 (Writable) and 1 (protobuf). Any bytes are safe. An error states the byte position.
Result<Credentials> ParseCredentials(std::string_view bytes);
// Writes version 0, which all versions of Hadoop read.
std::string WriteCredentials(const Credentials& credentials);

}  // namespace howdah::hadoop::rpc
