#include "howdah/portal/portal.h"

#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/configuration.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/home.h"
#include "howdah/client/submitter.h"
#include "howdah/os/process/machine.h"
#include "interrupts.h"

namespace howdah::cli::commands {
namespace {

struct PortalArguments {
  std::string listen, pages;
  bool read_only = false, api = false;
};

Result<int> Portal(client::Connection& connection, const PortalArguments& arguments) {
  if (arguments.api) {
    output::Print(portal::ApiReference());
    return client::kExitOk;
  }
  HOWDAH_TRY(const auto names, client::BackendNames(connection));
  HOWDAH_TRY(const client::UserConfiguration configuration, client::ReadUserConfiguration());
  const auto variable = [](const std::string& name) { return client::Variable(name).value_or(""); };
  portal::PortalOptions options{.listen = arguments.listen,
                                .user = client::UserName(),
                                .requester = client::Requester("`howdah portal`"),
                                .pages = arguments.pages,
                                .read_only = arguments.read_only,
                                .prices = configuration.settings.prices};
  HOWDAH_TRY(options.home, client::HowdahHome(variable, os::process::WorkingDirectory));
  for (const std::string& name : names) options.backends.push_back({name, connection.MakerOf(name)});
  const Interrupts interrupts;
  HOWDAH_TRY_STATUS(portal::Serve(options, interrupts.fd(), output::PrintNote, [](const std::string& address) {
    output::Print(address + "\n");
    output::PrintMessage("open this address in a browser of this machine; Ctrl-C ends the portal, and no job");
  }));
  return client::kExitOk;
}

}  // namespace

args::Command PortalCommand(client::Connection& connection) {
  return {
      "portal", "Show all jobs in a browser, until Ctrl-C",
      "  howdah portal\n  howdah --on local,yarn portal --read-only\n  howdah portal --listen unix:/tmp/portal.sock",
      [&connection](args::Syntax& syntax) -> args::Runner {
        const auto arguments = std::make_shared<PortalArguments>();
        syntax.Text("--listen", "ADDRESS", arguments->listen,
                    "127.0.0.1:PORT, [::1]:PORT or unix:PATH; default: 127.0.0.1:8190, or a free port if it is in "
                    "use");
        syntax.Flag("--read-only", arguments->read_only, "Show jobs, and refuse to change them");
        syntax.Text("--pages", "DIR", arguments->pages, "Serve the pages of this folder, for their developers");
        syntax.Flag("--api", arguments->api, "Print the reference page of the API instead");
        return [&connection, arguments] { return Portal(connection, *arguments); };
      }};
}

}  // namespace howdah::cli::commands
