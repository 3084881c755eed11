#include "howdah/keyfile/pattern.h"

#include <re2/re2.h>

namespace howdah::keyfile {
namespace {

constexpr char kManyLines[] = "(?m)";

}  // namespace

std::string PatternFault(const std::string& pattern) {
  const RE2 compiled(pattern, RE2::Quiet);
  return compiled.ok() ? "" : compiled.error();
}

bool FoundIn(const std::string& pattern, std::string_view text) {
  const RE2 compiled(kManyLines + pattern, RE2::Quiet);
  return compiled.ok() && RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled);
}

}  // namespace howdah::keyfile
