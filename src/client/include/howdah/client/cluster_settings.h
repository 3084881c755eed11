// The settings of a backend that come from flags and from the configuration file.
#pragma once

#include <string>

#include "howdah/client/login_flags.h"

namespace howdah::client {

struct ClusterSettings {
  LoginFlags login;
  std::string autoscaler;  // URI or path of the file that the cluster's autoscaler publishes; "" if there is none
};

}  // namespace howdah::client
