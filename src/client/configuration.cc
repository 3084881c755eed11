#include "howdah/client/configuration.h"

#include <utility>

#include "howdah/client/submitter.h"
#include "howdah/os/files/files.h"

namespace howdah::client {
namespace {

std::string ConfigurationPath() {
  const auto base = Variable("XDG_CONFIG_HOME");
  if (base && !base->empty()) return *base + "/howdah/config.yaml";
  return Variable("HOME").value_or("") + "/.config/howdah/config.yaml";
}

template <typename T>
Result<T> ValueOf(jobspec::Parsed<T> parsed) {
  if (parsed.problems.empty()) return std::move(parsed.value);
  std::string text;
  for (const keyfile::Problem& problem : parsed.problems) text += (text.empty() ? "" : "\n") + problem.ToText();
  return Error{ErrorCode::kUsage, text};
}

}  // namespace

Result<UserConfiguration> ReadUserConfiguration() {
  UserConfiguration configuration{.path = ConfigurationPath(), .settings = {}};
  const auto text = os::files::ReadFile(configuration.path, jobspec::kLongestConfiguration + 1);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return configuration;
  if (!text.ok()) return text.error();
  HOWDAH_TRY(configuration.settings, ValueOf(jobspec::ParseConfiguration(*text, configuration.path)));
  return configuration;
}

Result<jobspec::Prices> ReadPriceFile(const std::string& path) {
  const auto text = os::files::ReadFile(path, jobspec::kLongestConfiguration + 1);
  if (!text.ok()) return Error{ErrorCode::kUsage, "reading the prices: " + text.error().message};
  return ValueOf(jobspec::ParsePrices(*text, path));
}

}  // namespace howdah::client
