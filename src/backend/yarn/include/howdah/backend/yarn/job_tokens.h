// Collects the delegation tokens with which the containers of a job use the cluster, because they have no ticket.
#pragma once

#include <string>

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/rpc/token.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn {

// Fetches a token of the ResourceManager, and one of each HDFS file system that the job uses: the default one, those of
// URIs in the job file, that of the aggregated logs, and `file_systems`. For viewfs these are the targets of the mount
// table. Also fetches one of the KMS of each of these file systems. The ResourceManager renews all of them. The aliases
// are the services, as Java's clients write them: the ResourceManager replaces a token that expires by its alias. Needs
// a ticket (cluster.kerberos()). Blocks as calls do; the tokens are fetched in parallel. An error names the key that
// names the file system.
Result<hadoop::rpc::Credentials> FetchJobTokens(HadoopClient& cluster, const jobspec::JobSpec& spec);

// Fetches the same tokens for a job that runs, in the form that its AM expects (NewerTokens). The ResourceManager does
// not renew tokens that came after the submission, so they end when the first of them must be renewed. by: as in
// core::TokensChanged.
Result<hadoop::rpc::Credentials> FetchNewerTokens(HadoopClient& cluster, const jobspec::JobSpec& spec,
                                                  const std::string& by);

// Adds the tokens and secrets of the job's own token files (`tokens.files`). Those in `credentials` take precedence.
// Returns kUsage with the path if a file cannot be used.
Status AddTokensOfFiles(const jobspec::JobSpec& spec, hadoop::rpc::Credentials& credentials);

}  // namespace howdah::backend::yarn
