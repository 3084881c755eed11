// For the tests of this library: a submitting machine with a fixed set of files, and one-line translations.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "howdah/compat/tony/config/configuration.h"
#include "howdah/compat/tony/config/translate.h"

namespace howdah::compat::tony::config::testing {

inline Facts Machine() {
  Facts facts;
  facts.directory = "/here";
  facts.path_kind = [](const std::string& path) {
    static const std::map<std::string, keyfile::PathKind> paths = {
        {"/here/src", keyfile::PathKind::kDirectory}, {"/here/src/run.sh", keyfile::PathKind::kFile},
        {"/here/a.zip", keyfile::PathKind::kFile},    {"/here/data", keyfile::PathKind::kDirectory},
        {"/here/venv.zip", keyfile::PathKind::kFile}, {"/here/b.txt", keyfile::PathKind::kFile}};
    const auto found = paths.find(path);
    return found == paths.end() ? keyfile::PathKind::kMissing : found->second;
  };
  facts.executable = [](const std::string&) { return false; };
  facts.list = [](const std::string& uri) -> Result<std::vector<std::string>> {
    if (uri == "hdfs:///dir") return std::vector<std::string>{"hdfs:///dir/x", "hdfs:///dir/y"};
    if (uri == "hdfs:///gone") return Failed("listing hdfs:///gone: no such directory");
    return std::vector<std::string>();
  };
  return facts;
}

inline Result<std::string> NoFile(const std::string& path) { return Failed("no " + path); }

// Translates flags and -conf items of the form "name=value", without files.
inline common::Translation Translated(Flags flags, const std::vector<std::string>& conf,
                                      const Facts& facts = Machine()) {
  for (const std::string& item : conf) {
    const size_t equals = item.find('=');
    flags.conf.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  const auto configuration = ReadConfiguration(flags, {}, {}, NoFile);
  return Translate(flags, *configuration, facts);
}

inline Flags Runs(std::string command) {
  Flags flags;
  flags.executes = std::move(command);
  return flags;
}

}  // namespace howdah::compat::tony::config::testing
