#include "howdah/executor/inherited.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "howdah/os/files/files.h"

namespace howdah::executor {
namespace {

constexpr size_t kFileLimit = size_t{8} << 20;

constexpr std::string_view kNames[] = {"PATH",       "HOME",      "USER",    "LOGNAME",         "LANG",
                                       "TZ",         "JAVA_HOME", "NM_HOST", "LD_LIBRARY_PATH", "CONTAINER_ID",
                                       "LOCAL_DIRS", "LOG_DIRS"};
constexpr std::string_view kPrefixes[] = {"LC_", "HADOOP_"};

bool IsInherited(std::string_view name) {
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

Result<Variables> ReadInherited(const std::string& path) {
  Variables variables;
  if (path.empty()) return variables;
  HOWDAH_TRY(const std::string text, os::files::ReadFile(path, kFileLimit));
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Failed("reading " + path + ": not a JSON object");
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string()) return Failed("reading " + path + ": the value of " + name + " is not a string");
    variables[name] = value.get<std::string>();
  }
  return variables;
}

Variables InheritedFromContainer(const char* const* environment) {
  Variables variables;
  for (; *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    const size_t equals = variable.find('=');
    if (equals == variable.npos || !IsInherited(variable.substr(0, equals))) continue;
    variables[std::string(variable.substr(0, equals))] = variable.substr(equals + 1);
  }
  return variables;
}

Status EnsureHome(const std::string& directory, Variables& variables) {
  std::string& home = variables["HOME"];
  std::error_code ignored;
  if (std::filesystem::is_directory(home, ignored) && ::access(home.c_str(), W_OK | X_OK) == 0) return {};
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(directory, 0700));
  home = directory;
  return {};
}

}  // namespace howdah::executor
