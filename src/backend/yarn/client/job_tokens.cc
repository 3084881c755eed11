#include "job_tokens.h"

#include <string>
#include <utility>

#include "howdah/hadoop/conf/security.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/rpc/token_service.h"

namespace howdah::backend::yarn::client {
namespace {

// The service of a token of the ResourceManager names all ResourceManagers of the cluster
// (org.apache.hadoop.yarn.client.ClientRMProxy.getTokenService).
Result<std::string> ServiceOfResourceManager(const hadoop::conf::Configuration& configuration, Duration limit) {
  HOWDAH_TRY(const bool use_ip, configuration.Bool("hadoop.security.token.service.use_ip", true));
  HOWDAH_TRY(const auto servers, hadoop::conf::ResourceManagers(configuration, hadoop::conf::RmService::kClient));
  std::string service;
  for (const hadoop::conf::Server& server : servers) {
    HOWDAH_TRY(const std::string one, hadoop::rpc::TokenService(server.address, use_ip, limit));
    service += (service.empty() ? "" : ",") + one;
  }
  return service;
}

void Add(hadoop::rpc::Credentials& credentials, hadoop::rpc::Token token) {
  const std::string alias = token.service;
  credentials.tokens[alias] = std::move(token);
}

}  // namespace

Result<hadoop::rpc::Credentials> FetchJobTokens(HadoopClient& cluster) {
  const hadoop::conf::Configuration& configuration = cluster.configuration();
  hadoop::rpc::Credentials credentials;
  HOWDAH_TRY(const std::string renewer, hadoop::conf::PrincipalOfResourceManager(configuration));
  const hadoop::hdfs::OpenOptions options = cluster.open_options();
  HOWDAH_TRY(auto of_files, hadoop::hdfs::FetchToken(configuration, "", options, renewer));
  if (of_files) Add(credentials, std::move(*of_files));
  HOWDAH_TRY(const auto rm, cluster.Rm());
  HOWDAH_TRY(auto of_rm, rm->GetDelegationToken(renewer));
  HOWDAH_TRY(of_rm.service, ServiceOfResourceManager(configuration, options.limits.connect));
  Add(credentials, std::move(of_rm));
  return credentials;
}

}  // namespace howdah::backend::yarn::client
