#include "howdah/portal/portal.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/configuration.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/home.h"
#include "howdah/client/submitter.h"
#include "howdah/journal/ledger.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/machine.h"
#include "howdah/portal/tokens.h"
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
  HOWDAH_TRY(const auto names, client::BackendNamesWithHistory(connection));
  HOWDAH_TRY(const client::UserConfiguration configuration, client::ReadUserConfiguration());
  const auto variable = [](const std::string& name) { return client::Variable(name).value_or(""); };
  portal::PortalOptions options{.listen = arguments.listen,
                                .user = client::UserName(),
                                .requester = client::Requester("`howdah portal`"),
                                .pages = arguments.pages,
                                .read_only = arguments.read_only,
                                .prices = configuration.settings.prices};
  HOWDAH_TRY(options.home, client::HowdahHome(variable, os::process::WorkingDirectory));
  for (const std::string& name : names)
    options.backends.push_back({name, connection.MakerOf(name), name != journal::kTonyHistory});
  const Interrupts interrupts;
  HOWDAH_TRY_STATUS(portal::Serve(options, interrupts.fd(), output::PrintNote, [](const std::string& address) {
    output::Print(address + "\n");
    output::PrintMessage("open this address in a browser of this machine; Ctrl-C ends the portal, and no job");
  }));
  return client::kExitOk;
}

struct TokenArguments {
  portal::TokenRequest request;
  bool list = false;
  std::string revoke;
};

std::string TimeOrDash(const std::optional<Instant>& time) { return time ? FormatInstant(*time) : "-"; }

std::string TokensText(const std::vector<portal::Token>& tokens, Instant now) {
  std::string text = "NAME\tMAY\tCREATED\tEXPIRES\n";
  for (const portal::Token& token : tokens) {
    const bool is_expired = token.expires && *token.expires <= now;
    text += token.name + "\t" + (token.read_only ? "read" : "read, change") + "\t" + FormatInstant(token.created) +
            "\t" + TimeOrDash(token.expires) + (is_expired ? " (expired)" : "") + "\n";
  }
  return text;
}

Result<int> ManageTokens(const TokenArguments& arguments) {
  const auto variable = [](const std::string& name) { return client::Variable(name).value_or(""); };
  HOWDAH_TRY(const std::string home, client::HowdahHome(variable, os::process::WorkingDirectory));
  const bool makes = !arguments.list && arguments.revoke.empty();
  const portal::TokenRequest& request = arguments.request;
  const bool has_request = !request.name.empty() || request.read_only || request.valid_for;
  if ((arguments.list && !arguments.revoke.empty()) || (!makes && has_request)) {
    return Error{ErrorCode::kUsage, "portal token: --list and --revoke exclude each other and all other flags"};
  }
  const Instant now = os::process::Clock().Now();
  if (arguments.list) {
    HOWDAH_TRY(const auto tokens, portal::ListTokens(home));
    output::Print(TokensText(tokens, now));
    return client::kExitOk;
  }
  if (!arguments.revoke.empty()) {
    HOWDAH_TRY_STATUS(portal::RevokeToken(home, arguments.revoke, now));
    output::PrintMessage("the token " + arguments.revoke + " is revoked; a running portal refuses it from now on");
    return client::kExitOk;
  }
  HOWDAH_TRY(const portal::NewToken made, portal::AddToken(home, request, now));
  output::Print(made.text + "\n");
  output::PrintMessage("the token " + made.token.name + ", " + (made.token.read_only ? "read-only, " : "") +
                       (made.token.expires ? "expires on " + FormatInstant(*made.token.expires) : "never expires") +
                       "; it is not shown again. Send it as `Authorization: Bearer TOKEN`");
  return client::kExitOk;
}

args::Runner DeclareToken(args::Syntax& syntax) {
  const auto arguments = std::make_shared<TokenArguments>();
  syntax.Text("--name", "NAME", arguments->request.name, "The name, which the audit log shows; default: token-N");
  syntax.Flag("--read-only", arguments->request.read_only, "The token shows jobs, changes nothing, reveals no secrets");
  syntax.Duration("--expires", arguments->request.valid_for,
                  "How long the token is valid; default: until it is revoked");
  syntax.Flag("--list", arguments->list, "List the tokens that are not revoked");
  syntax.Text("--revoke", "NAME", arguments->revoke, "Revoke a token; a running portal refuses it at once");
  return [arguments] { return ManageTokens(*arguments); };
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
        syntax.Action("token", "Make, list or revoke tokens with which programs use the portal",
                      "  howdah portal token --name prometheus --read-only\n  howdah portal token --revoke prometheus",
                      DeclareToken);
        return [&connection, arguments] { return Portal(connection, *arguments); };
      }};
}

}  // namespace howdah::cli::commands
