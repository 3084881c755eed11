#include "howdah/backend/yarn/job_tokens.h"

#include <algorithm>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "howdah/backend/yarn/token_lifetime.h"
#include "howdah/hadoop/conf/security.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/rpc/token_service.h"
#include "howdah/os/files/files.h"

namespace howdah::backend::yarn {
namespace {

using hadoop::conf::Configuration;
using hadoop::rpc::Credentials;
using hadoop::rpc::Token;

constexpr const char* kLogDirectory = "yarn.nodemanager.remote-app-log-dir";
// More time than passes between the issue of two tokens.
constexpr Duration kFetchLimit = std::chrono::seconds(5);
constexpr size_t kTokenFileLimit = size_t{16} << 20;

// The service of a token of the ResourceManager names all ResourceManagers of the cluster
// (org.apache.hadoop.yarn.client.ClientRMProxy.getTokenService).
Result<std::string> ServiceOfResourceManager(const Configuration& configuration, Duration limit) {
  HOWDAH_TRY(const bool use_ip, configuration.Bool("hadoop.security.token.service.use_ip", true));
  HOWDAH_TRY(const auto servers, hadoop::conf::ResourceManagers(configuration, hadoop::conf::RmService::kClient));
  std::string service;
  for (const hadoop::conf::Server& server : servers) {
    HOWDAH_TRY(const std::string one, hadoop::rpc::TokenService(server.address, use_ip, limit));
    service += (service.empty() ? "" : ",") + one;
  }
  return service;
}

// A URI whose file system the job uses, and the key that names it.
struct Place {
  std::string uri, key;
};

std::vector<Place> PlacesOf(const Configuration& configuration, const jobspec::JobSpec& spec) {
  std::vector<Place> places = {{"", "fs.defaultFS"}};
  const auto add = [&](const std::string& path, const std::string& key) {
    if (path.find("://") != std::string::npos) places.push_back({path, key});
  };
  add(spec.source, "source");
  add(spec.python_archive, "python.archive");
  add(spec.checkpoint.dir, "checkpoint.dir");
  add(spec.tensorboard_logdir, "tensorboard.logdir");
  add(spec.tony_history, "history.tony");
  for (const auto& [file, role] : jobspec::AllFiles(spec)) add(file.from, "files");
  for (const jobspec::FeedSpec& feed : spec.feeds) {
    for (const std::string& from : feed.from) {
      if (!from.starts_with("file:")) add(from, "feeds." + feed.name + ".from");
    }
  }
  for (const std::string& uri : spec.file_systems) add(uri, "file_systems");
  add(configuration.Text(kLogDirectory), kLogDirectory);
  return places;
}

// Returns the HDFS file systems of the places as URIs, each with the first key that names it.
Result<std::map<std::string, std::string>> FileSystemsOf(const Configuration& configuration,
                                                         const std::vector<Place>& places) {
  std::map<std::string, std::string> found;
  for (const Place& place : places) {
    const auto backing = hadoop::conf::BackingFileSystems(configuration, place.uri);
    if (!backing) return backing.error().While(place.key);
    for (const std::string& uri : *backing) {
      const auto address = hadoop::conf::FileSystemOf(configuration, uri);
      // Other file systems, such as s3a, have no tokens that Howdah could fetch. The tasks use their own credentials.
      if (!address && address.error().code == ErrorCode::kUnavailable) continue;
      if (!address) return address.error().While(place.key);
      if (address->scheme == "hdfs") found.try_emplace(uri, place.key);
    }
  }
  return found;
}

// The facts to fetch from each issuer.
enum class Fetch { kTokens, kTokensAndValidity };

// The tokens of one issuer.
struct FetchedToken {
  std::optional<Token> token = {};                 // nullopt: the file system needs none
  std::optional<hadoop::hdfs::KmsToken> kms = {};  // of the file system's KMS
  Instant until = Instant::max();
};

struct FetchedTokens {
  Credentials credentials;
  Instant until = Instant::max();  // the end of the first token that nobody renews; with kTokensAndValidity only
  void Add(FetchedToken fetched) {
    if (fetched.kms) credentials.tokens[fetched.kms->alias] = std::move(fetched.kms->token);
    if (!fetched.token) return;
    const std::string alias = fetched.token->service;
    credentials.tokens[alias] = std::move(*fetched.token);
    until = std::min(until, fetched.until);
  }
};

Result<FetchedToken> FetchOfFileSystem(const Configuration& configuration, const std::string& uri,
                                       const hadoop::hdfs::OpenOptions& options, const std::string& renewer,
                                       Fetch what) {
  FetchedToken fetched;
  HOWDAH_TRY(fetched.token, hadoop::hdfs::FetchToken(configuration, uri, options, renewer));
  if (!fetched.token) return fetched;
  HOWDAH_TRY(fetched.kms, hadoop::hdfs::FetchKmsToken(configuration, uri, options, renewer));
  if (what == Fetch::kTokensAndValidity) {
    HOWDAH_TRY(fetched.until, hadoop::hdfs::ValidityOfNewToken(configuration, uri, options));
    HOWDAH_TRY(const auto kms_until, hadoop::hdfs::ValidityOfNewKmsToken(configuration, uri, options));
    fetched.until = std::min(fetched.until, kms_until);
  }
  return fetched;
}

Result<FetchedToken> FetchOfResourceManager(HadoopClient& cluster, const std::string& renewer, Fetch what) {
  HOWDAH_TRY(const auto rm, cluster.Rm());
  FetchedToken fetched;
  HOWDAH_TRY(fetched.token, rm->GetDelegationToken(renewer));
  HOWDAH_TRY(fetched.token->service,
             ServiceOfResourceManager(cluster.configuration(), cluster.open_options().limits.connect));
  if (what == Fetch::kTokensAndValidity) {
    HOWDAH_TRY(fetched.until, rm->ValidityOfNewToken(cluster.user()));
  }
  return fetched;
}

Result<FetchedTokens> FetchAll(HadoopClient& cluster, const jobspec::JobSpec& spec, Fetch what) {
  const Configuration& configuration = cluster.configuration();
  HOWDAH_TRY(const std::string renewer, hadoop::conf::PrincipalOfResourceManager(configuration));
  HOWDAH_TRY(const auto file_systems, FileSystemsOf(configuration, PlacesOf(configuration, spec)));
  const hadoop::hdfs::OpenOptions options = cluster.open_options();
  std::vector<std::future<Result<FetchedToken>>> fetching;
  for (const auto& file_system : file_systems) {
    fetching.push_back(std::async(std::launch::async, [&, uri = file_system.first, key = file_system.second] {
      auto fetched = FetchOfFileSystem(configuration, uri, options, renewer, what);
      return fetched.ok() ? std::move(fetched) : fetched.error().While(key + ": " + uri);
    }));
  }
  FetchedTokens all;
  HOWDAH_TRY(auto of_rm, FetchOfResourceManager(cluster, renewer, what));
  all.Add(std::move(of_rm));
  for (auto& future : fetching) {
    HOWDAH_TRY(auto fetched, future.get());
    all.Add(std::move(fetched));
  }
  return all;
}

}  // namespace

Result<Credentials> FetchJobTokens(HadoopClient& cluster, const jobspec::JobSpec& spec) {
  HOWDAH_TRY(auto fetched, FetchAll(cluster, spec, Fetch::kTokens));
  return std::move(fetched.credentials);
}

Result<Credentials> FetchNewerTokens(HadoopClient& cluster, const jobspec::JobSpec& spec, const std::string& by) {
  if (!cluster.kerberos()) {
    return Error{ErrorCode::kUnavailable, "this cluster does not use Kerberos, so its jobs have no tokens"};
  }
  if (!cluster.kerberos()->ok()) return cluster.kerberos()->error();
  HOWDAH_TRY(auto fetched, FetchAll(cluster, spec, Fetch::kTokensAndValidity));
  // Validity is asked about a token that was issued after those of the job.
  const Instant until = fetched.until - kFetchLimit;
  return NewerTokens(std::move(fetched.credentials), {until, by, /*renewed=*/true});
}

Status AddTokensOfFiles(const jobspec::JobSpec& spec, Credentials& credentials) {
  for (const std::string& path : spec.tokens.files) {
    const auto bytes = os::files::ReadFile(path, kTokenFileLimit);
    auto added = bytes ? hadoop::rpc::ParseCredentials(*bytes) : bytes.error();
    if (!added) return Error{ErrorCode::kUsage, added.error().While("tokens.files: " + path).message};
    credentials.tokens.merge(added->tokens);
    credentials.secrets.merge(added->secrets);
  }
  return {};
}

}  // namespace howdah::backend::yarn
