// Opens the file system of a URI.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "howdah/base/time.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/hdfs/file_system.h"
#include "howdah/hadoop/rpc/client_options.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::hadoop::hdfs {

struct OpenOptions {
  std::string user;                      // the user in requests (SIMPLE) and the name of the home directory
  hadoop::rpc::Credentials credentials;  // delegation tokens; Open selects the token of the file system, if any
  hadoop::rpc::RetryLimits limits;
  // Used if the credentials lack a token. The configuration supplies the principal of the NameNode and the protection.
  std::optional<hadoop::rpc::KerberosLogin> kerberos = {};
};

// `uri` is "hdfs://ns1/x", "file:///mnt", "/x" or "". Its path is ignored. Open does not connect to the cluster.
// Returns kUnavailable if the scheme (such as s3a) is not supported; the message lists the supported schemes.
Result<std::unique_ptr<FileSystem>> Open(const hadoop::conf::Configuration& configuration, const std::string& uri,
                                         const OpenOptions& options);

// Fetches a delegation token of the file system, which `renewer`, a principal, may renew; its service is set. Returns
// nullopt if the file system needs none (file:, and a NameNode that requires no authentication). Needs
// options.kerberos, because a NameNode issues tokens only to callers with a ticket. Blocks as calls do.
Result<std::optional<hadoop::rpc::Token>> FetchToken(const hadoop::conf::Configuration& configuration,
                                                     const std::string& uri, const OpenOptions& options,
                                                     const std::string& renewer);

// Returns until when a token of the file system that is issued now is accepted if nothing renews it. Fetches a token
// with the caller as its renewer, renews it and cancels it, because only a renewal reports this time. user: the
// caller's account. Needs options.kerberos, and that the file system has tokens. Blocks as calls do.
Result<Instant> ValidityOfNewToken(const hadoop::conf::Configuration& configuration, const std::string& uri,
                                   const OpenOptions& options);

// A token of the KMS that keeps the keys of the file system's encryption zones, and the alias by which Java's clients
// look it up: the address of the first server.
struct KmsToken {
  std::string alias;
  hadoop::rpc::Token token;
};
// As FetchToken and ValidityOfNewToken. nullopt and Instant::max(): the file system has no KMS.
Result<std::optional<KmsToken>> FetchKmsToken(const hadoop::conf::Configuration& configuration, const std::string& uri,
                                              const OpenOptions& options, const std::string& renewer);
Result<Instant> ValidityOfNewKmsToken(const hadoop::conf::Configuration& configuration, const std::string& uri,
                                      const OpenOptions& options);

// The path of a URI: "hdfs://ns1/a/b" → "/a/b", "/a/b" → "/a/b".
std::string PathOf(const std::string& uri);

}  // namespace howdah::hadoop::hdfs
