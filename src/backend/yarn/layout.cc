#include "howdah/backend/yarn/layout.h"

#include <string_view>

namespace howdah::backend::yarn {
namespace {

constexpr std::string_view kColon = ":", kStoredColon = "\xef\x80\xba";  // U+F03A

std::string Replaced(std::string text, std::string_view old, std::string_view by) {
  for (size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + by.size())) {
    text.replace(at, old.size(), by);
  }
  return text;
}

}  // namespace

std::string StoredName(std::string path) { return Replaced(std::move(path), kColon, kStoredColon); }

std::string OriginalName(std::string path) { return Replaced(std::move(path), kStoredColon, kColon); }

}  // namespace howdah::backend::yarn
