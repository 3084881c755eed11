// Hadoop's tokens, and the files they travel in.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::hadoop::rpc {

// org.apache.hadoop.security.token.Token. The identifier is opaque here.
struct Token {
  std::string identifier, password;
  std::string kind;     // "YARN_AM_RM_TOKEN", "NMToken", "HDFS_DELEGATION_TOKEN", ...
  std::string service;  // "10.0.0.7:8032", "ha-hdfs:ns", ""
  friend bool operator==(const Token&, const Token&) = default;
};

// org.apache.hadoop.security.Credentials: what HADOOP_TOKEN_FILE_LOCATION names and ContainerLaunchContextProto.tokens
// holds.
struct Credentials {
  std::map<std::string, Token> tokens;         // by alias
  std::map<std::string, std::string> secrets;  // by alias: bytes private to the application
  // The first token of the kind whose service is `service` (any, if empty); null: none.
  const Token* Find(std::string_view kind, std::string_view service = {}) const;
  friend bool operator==(const Credentials&, const Credentials&) = default;
};

// "HDTS" and version 0 (Writable) or 1 (protobuf). Any bytes are safe to give; the error says where they are wrong.
Result<Credentials> ParseCredentials(std::string_view bytes);
// Version 0, which every Hadoop reads.
std::string WriteCredentials(const Credentials& credentials);

}  // namespace howdah::hadoop::rpc
