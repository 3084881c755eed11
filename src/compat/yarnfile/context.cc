#include "context.h"

#include <algorithm>
#include <cstddef>

#include "howdah/base/number.h"
#include "howdah/compat/yarnfile/keys.h"
#include "howdah/keyfile/words.h"

namespace howdah::compat::yarnfile {
namespace {

// Whether the text begins with a scheme of RFC 3986 and "://".
bool HasScheme(const std::string& text) {
  const size_t end = text.find("://");
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return end != text.npos && end > 0 && letter(text.front()) &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '.' || c == '-'; });
}

}  // namespace

void Context::Fail(const std::string& path, const std::string& text) const {
  result.problems.push_back((path.empty() ? "" : keyfile::Printable(path, 200) + ": ") + text);
}

void Context::Note(const std::string& path, std::string_view table_key) const {
  const common::Key* key = Keys().Find(table_key);
  result.notes.push_back(
      {keyfile::Printable(path, 200), request.file, key == nullptr ? "" : std::string(key->effect_text)});
}

Filled FillText(const Context& context, const std::string& path, std::string_view text,
                const ResolvedComponent& owner) {
  std::set<std::string> environment, unknown;
  for (const auto& [name, value] : owner.component.configuration.env) environment.insert(name);
  Filled filled = context.constants.Fill(text, owner.component.name, environment, unknown);
  for (const std::string& name : unknown) {
    if (name == "DOMAIN") {
      context.result.notes.push_back({keyfile::Printable(path, 200), context.request.file,
                                      "${DOMAIN} is empty, because Howdah has no DNS server; only names such as "
                                      "web-0.${SERVICE_NAME}.${USER}.${DOMAIN} become the hosts of containers"});
    } else {
      context.Fail(path, "Howdah has no value for ${" + name + "}; write the value itself");
    }
  }
  return filled;
}

std::optional<int64_t> NumberProperty(const Context& context, const ResolvedComponent& owner, std::string_view name,
                                      int64_t least) {
  const std::string* text = Find(owner.component.configuration.properties, name);
  if (text == nullptr) return std::nullopt;
  constexpr int64_t kMost = 1'000'000'000'000;
  const auto number = ParseNumber<int64_t>(*text);
  if (number && *number >= least && *number <= kMost) return number;
  context.Fail(owner.path + "configuration.properties." + std::string(name),
               "must be a whole number of at least " + std::to_string(least) + ", but is " + keyfile::Quoted(*text));
  return std::nullopt;
}

std::string SourceOf(const Context& context, const std::string& location) {
  if (location.starts_with("file://")) return location.substr(7);
  if (HasScheme(location)) return location;
  const std::string path = location.starts_with('/') ? location : context.request.directory + "/" + location;
  const bool here = context.request.path_kind && context.request.path_kind(path) != keyfile::PathKind::kMissing;
  return !here && context.request.on_cluster && location.starts_with('/') ? "hdfs://" + location : path;
}

}  // namespace howdah::compat::yarnfile
