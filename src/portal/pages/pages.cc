#include "howdah/portal/pages/pages.h"

#include <algorithm>

namespace howdah::portal::pages {

const PageFile* FindPageFile(std::string_view path) {
  const std::span<const PageFile> files = PageFiles();
  const auto found = std::find_if(files.begin(), files.end(), [&](const PageFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace howdah::portal::pages
