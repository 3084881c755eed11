// Translates a job of TonY. The input has TonY's flags and configuration.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "howdah/compat/tony/config/configuration.h"
#include "howdah/compat/tony/config/translate.h"

namespace howdah::compat::tony::config {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // The first line is the command line; the rest is tony.xml.
  const size_t end = std::min(text.find('\n'), text.size());
  std::istringstream line(text.substr(0, end));
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word);
  const auto flags = ParseFlags(words);
  if (!flags.ok()) return 0;
  const auto none = [](const std::string& path) -> Result<std::string> { return Error{ErrorCode::kNotFound, path}; };
  const auto configuration =
      ReadConfiguration(*flags, {{"tony.xml", text.substr(end)}}, {nullptr, "ann", "/home/ann"}, none);
  if (!configuration.ok()) return 0;
  Facts facts;
  facts.directory = "/work";
  facts.path_kind = [](const std::string&) { return keyfile::PathKind::kFile; };
  facts.executable = [](const std::string&) { return true; };
  facts.list = [](const std::string&) { return Result<std::vector<std::string>>(std::vector<std::string>()); };
  Translate(*flags, *configuration, facts);
  return 0;
}

}  // namespace howdah::compat::tony::config
