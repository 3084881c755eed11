#include "howdah/hadoop/web/authorities.h"

#include "howdah/os/files/files.h"
#include "key_store.h"

namespace howdah::hadoop::web {
namespace {

constexpr const char* kLocation = "ssl.client.truststore.location";
constexpr const char* kPassword = "ssl.client.truststore.password";

}  // namespace

Result<std::shared_ptr<const os::http::Trust>> AuthoritiesOf(const conf::Configuration& configuration) {
  const auto& variable = configuration.environment().variable;
  if (const auto path = variable ? variable("HOWDAH_CA") : std::nullopt; path && !path->empty()) {
    auto trust = os::http::Trust::OfPemFile(*path);
    return trust ? trust : Result<std::shared_ptr<const os::http::Trust>>(trust.error().While("$HOWDAH_CA"));
  }
  HOWDAH_TRY(const auto ssl, conf::LoadSslClient(configuration));
  const std::string path = ssl.Text(kLocation);
  if (path.empty()) return os::http::Trust::OfSystem();
  const auto trust = [&]() -> Result<std::shared_ptr<const os::http::Trust>> {
    HOWDAH_TRY(const auto bytes, os::files::ReadFile(path));
    HOWDAH_TRY(const auto certificates, AuthoritiesIn(bytes, ssl.Get(kPassword)));
    return os::http::Trust::OfCertificates(certificates, path + " (" + ssl.Where(kLocation) + ")");
  }();
  if (trust) return trust;
  return Error{ErrorCode::kUsage, trust.error().While(ssl.Where(kLocation) + " names " + path).message};
}

}  // namespace howdah::hadoop::web
