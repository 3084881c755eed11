#include "howdah/keyfile/section.h"

namespace howdah::keyfile {

bool CheckIsMap(Reader& reader, const Node& node) {
  if (node.kind == Node::Kind::kMap) return true;
  return reader.Fail(node, "must be a map, as in 'key: value'");
}

std::string FailUnknownKey(Reader& reader, Mark mark, std::string_view key, const std::vector<std::string_view>& valid,
                           const std::string& elsewhere) {
  const std::string near(reader.Suggest(key, valid));
  const bool misses_plural = near == std::string(key) + "s";
  if (!elsewhere.empty() && !misses_plural) {
    reader.Fail(mark, "unknown key here; did you mean " + elsewhere + "?");
    return elsewhere;
  }
  reader.Fail(mark, near.empty() ? "unknown key; the keys here are " + Joined(valid)
                                 : "unknown key; did you mean '" + near + "'?");
  return near;
}

bool FailDuplicateKey(Reader& reader, Mark mark, Mark first) {
  const std::string where = first.line == 0 ? "" : " (first in line " + std::to_string(first.line) + ")";
  return reader.Fail(mark, "duplicate key" + where + "; remove one of them");
}

bool FailMissingKey(Reader& reader, Mark mark, std::string_view key, std::string_view example) {
  const Reader::Scope scope(reader, key);
  return reader.Fail(mark, "missing; write for example " + std::string(key) + ": " + std::string(example));
}

}  // namespace howdah::keyfile
