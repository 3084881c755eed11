#include "connection.h"

#include <pwd.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>

#include "howdah/os/files/files.h"

namespace howdah::cli {
namespace {

constexpr char kPlaces[] = "local or yarn";

Result<std::string> Checked(const std::string& name, const std::string& from) {
  if (name == "local" || name == "yarn") return name;
  return Error{ErrorCode::kUsage, from + ": there is no place '" + name + "'; it is " + kPlaces};
}

std::string Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\"'");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\"'") + 1 - begin));
}

std::string ConfigurationPath() {
  if (const auto base = Variable("XDG_CONFIG_HOME")) return *base + "/howdah/config.yaml";
  return Variable("HOME").value_or("") + "/.config/howdah/config.yaml";
}

// The configuration knows one key: `on: PLACE`. nullopt: it does not say.
Result<std::optional<std::string>> ConfiguredPlace(const std::string& path) {
  const auto text = os::files::ReadFile(path, size_t{64} << 10);
  if (!text.ok()) {
    if (text.error().code == ErrorCode::kNotFound) return std::optional<std::string>();
    return text.error();
  }
  std::optional<std::string> place;
  int number = 0;
  for (size_t begin = 0; begin < text->size();) {
    const size_t end = std::min(text->find('\n', begin), text->size());
    std::string line = text->substr(begin, end - begin);
    begin = end + 1;
    ++number;
    line = Trimmed(line.substr(0, line.find('#')));
    if (line.empty() || line == "---") continue;
    const size_t colon = line.find(':');
    const std::string where = path + ":" + std::to_string(number);
    if (colon == std::string::npos || Trimmed(line.substr(0, colon)) != "on") {
      return Error{ErrorCode::kUsage, where + ": '" + line + "' is not known here; write `on: local` or `on: yarn`"};
    }
    const auto name = Checked(Trimmed(line.substr(colon + 1)), where);
    if (!name.ok()) return name.error();
    place = *name;
  }
  return place;
}

}  // namespace

std::optional<std::string> Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::string CurrentDirectory() {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) == nullptr ? "/" : path;
}

Result<std::string> Shell::PlaceName() const {
  if (!on_.empty()) return Checked(on_, "--on");
  if (const auto on = Variable("HOWDAH_ON"); on && !on->empty()) return Checked(*on, "HOWDAH_ON");
  const auto configured = ConfiguredPlace(ConfigurationPath());
  if (!configured.ok()) return configured.error();
  return configured->value_or("local");
}

Result<backend::Cluster*> Shell::Place() {
  if (place_) return place_.get();
  const auto name = PlaceName();
  if (!name.ok()) return name.error();
  auto place = make_place_(*name);
  if (!place.ok()) return place.error();
  place_ = std::move(*place);
  return place_.get();
}

std::string Shell::By(const std::string& with) const {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return UserName() + " on " + host + " with " + with;
}

std::string UserName() {
  if (const auto user = Variable("USER"); user && !user->empty()) return *user;
  if (const passwd* entry = getpwuid(getuid()); entry != nullptr) return entry->pw_name;
  return "user " + std::to_string(getuid());
}

int Report(const Error& error) {
  Say("howdah: " + error.message);
  switch (error.code) {
    case ErrorCode::kUsage:
    case ErrorCode::kNotFound:
      return kExitUsage;  // what was named is not there
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimeout:
      return kExitPlace;
    case ErrorCode::kFailed:
      break;
  }
  return kExitFailed;
}

void Say(std::string_view line) {
  std::string text(line);
  text += '\n';
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody listens
}

}  // namespace howdah::cli
