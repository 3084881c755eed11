// Requests to open a server in a browser.
#pragma once

#include <optional>
#include <variant>

#include "apps.h"
#include "services.h"

namespace howdah::portal {

// On whose behalf the server is opened. A problem if the kernel does not identify the user of the connection.
std::variant<AppOpener, web::Problem> OpenerOf(Services& services, const web::Request& request);

// by_name: what the request asks for. Otherwise the kind of address that its browser can use.
AppAddress AddressFor(const web::Request& request, const std::optional<bool>& by_name);

}  // namespace howdah::portal
