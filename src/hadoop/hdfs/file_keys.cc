#include "file_keys.h"

#include "howdah/hadoop/rpc/token_identifier.h"
#include "howdah/hadoop/web/authorities.h"
#include "howdah/hadoop/web/web_client.h"

namespace howdah::hadoop::hdfs {
namespace {

namespace pb = ::hadoop::hdfs;

constexpr const char* kProvider = "hadoop.security.key.provider.path";

}  // namespace

KmsFileKeys::KmsFileKeys(std::shared_ptr<RemoteNameNode> name_node, const hadoop::conf::Configuration& configuration,
                         OpenOptions options)
    : name_node_(std::move(name_node)), configuration_(configuration), options_(std::move(options)) {}

Result<std::string> KmsFileKeys::ProviderUri() {
  HOWDAH_TRY(const auto defaults, name_node_->Call<pb::GetServerDefaultsResponseProto>(
                                      "getServerDefaults", pb::GetServerDefaultsRequestProto()));
  const std::string& uri = defaults.serverdefaults().keyprovideruri();
  return uri.empty() ? configuration_.Text(kProvider) : uri;
}

Result<std::optional<hadoop::kms::KmsClient>> KmsFileKeys::OpenKms(bool use_token) {
  HOWDAH_TRY(const auto uri, ProviderUri());
  if (uri.empty()) return std::optional<hadoop::kms::KmsClient>();
  HOWDAH_TRY(auto provider, hadoop::kms::ParseProvider(uri));
  hadoop::kms::Caller caller;
  caller.user = options_.user;
  if (options_.kerberos) caller.on_behalf_of = options_.kerberos->on_behalf_of;
  if (const auto* token = options_.credentials.Find(hadoop::rpc::kKmsToken, uri); token != nullptr && use_token) {
    caller.token = *token;
  }
  auto web = std::make_shared<hadoop::web::WebClient>(hadoop::web::AuthoritiesOf(configuration_),
                                                      options_.kerberos ? options_.kerberos->login : nullptr);
  os::http::GetLimits limits;
  limits.connect = options_.limits.connect;
  return std::optional(hadoop::kms::KmsClient(std::move(provider), std::move(web), std::move(caller), limits));
}

Result<std::string> KmsFileKeys::KeyOf(const pb::FileEncryptionInfoProto& info) {
  if (info.suite() != pb::AES_CTR_NOPADDING || info.cryptoprotocolversion() != pb::ENCRYPTION_ZONES) {
    return Error{ErrorCode::kUnavailable, "the file is encrypted in a way that Howdah does not support"};
  }
  const std::lock_guard lock(mutex_);
  if (!kms_) {
    HOWDAH_TRY(auto opened, OpenKms(/*use_token=*/true));
    if (!opened) {
      return Error{ErrorCode::kUnavailable, "the file is in an encryption zone, but neither the NameNode nor " +
                                                configuration_.Where(kProvider) + " names a KMS"};
    }
    kms_.emplace(std::move(*opened));
  }
  HOWDAH_TRY(auto key, kms_->Decrypt({info.keyname(), info.ezkeyversionname(), info.iv(), info.key()}));
  newest_ = "the key '" + info.keyname() + "' of the KMS " + kms_->server();
  return key;
}

std::string KmsFileKeys::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

}  // namespace howdah::hadoop::hdfs
