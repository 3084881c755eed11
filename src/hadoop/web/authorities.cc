#include "howdah/hadoop/web/authorities.h"

#include <optional>
#include <utility>
#include <vector>

#include "howdah/os/files/files.h"
#include "key_store.h"

namespace howdah::hadoop::web {
namespace {

constexpr const char* kLocation = "ssl.client.truststore.location";
constexpr const char* kPassword = "ssl.client.truststore.password";

constexpr long kLongestPem = long{16} << 20;

// The trust store that ssl-client.xml names.
struct TrustStore {
  std::vector<std::string> certificates;
  std::string source;  // for messages
};

std::optional<std::string> PemFile(const conf::Configuration& configuration) {
  const auto& variable = configuration.environment().variable;
  const auto path = variable ? variable("HOWDAH_CA") : std::nullopt;
  return path && !path->empty() ? path : std::nullopt;
}

// Returns nullopt if ssl-client.xml names no trust store.
Result<std::optional<TrustStore>> ReadTrustStore(const conf::Configuration& configuration) {
  HOWDAH_TRY(const auto ssl, conf::LoadSslClient(configuration));
  const std::string path = ssl.Text(kLocation);
  if (path.empty()) return std::optional<TrustStore>();
  const auto bytes = os::files::ReadFile(path);
  auto certificates = bytes ? AuthoritiesIn(*bytes, ssl.Get(kPassword)) : bytes.error();
  const std::string where = ssl.Where(kLocation);
  if (!certificates) return Error{ErrorCode::kUsage, certificates.error().While(where + " names " + path).message};
  return std::optional(TrustStore{std::move(*certificates), path + " (" + where + ")"});
}

}  // namespace

Result<std::shared_ptr<const os::http::Trust>> AuthoritiesOf(const conf::Configuration& configuration) {
  if (const auto path = PemFile(configuration)) {
    auto trust = os::http::Trust::OfPemFile(*path);
    return trust ? trust : Result<std::shared_ptr<const os::http::Trust>>(trust.error().While("$HOWDAH_CA"));
  }
  HOWDAH_TRY(const auto store, ReadTrustStore(configuration));
  if (!store) return os::http::Trust::OfSystem();
  return os::http::Trust::OfCertificates(store->certificates, store->source);
}

Result<std::string> ConfiguredAuthorities(const conf::Configuration& configuration) {
  if (const auto path = PemFile(configuration)) return os::files::ReadFile(*path, kLongestPem);
  HOWDAH_TRY(const auto store, ReadTrustStore(configuration));
  std::string pem;
  for (const std::string& certificate : store ? store->certificates : std::vector<std::string>()) {
    pem += os::http::PemOfCertificate(certificate);
  }
  return pem;
}

}  // namespace howdah::hadoop::web
