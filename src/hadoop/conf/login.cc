#include "howdah/hadoop/conf/services.h"

namespace howdah::hadoop::conf {

Result<bool> MayFallBackToSimple(const Configuration& configuration) {
  if (configuration.Text("hadoop.security.authentication") != "kerberos") return true;
  return configuration.Bool("ipc.client.fallback-to-simple-auth-allowed", false);
}

}  // namespace howdah::hadoop::conf
