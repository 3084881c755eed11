#include "exports.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "howdah/os/files/fd.h"
#include "howdah/os/files/open_regular.h"

namespace howdah::executor {
namespace {

constexpr size_t kCopyPiece = size_t{1} << 20;

// The search for one variable. It first looks for the variable's text, then for the end of its value.
struct Search {
  const std::string* name = nullptr;
  const std::string* text = nullptr;
  std::optional<std::string> value;
  bool complete = false;
};

// Continues the search in the next piece of the output. kept_and_new: the end of the previous piece, in which the text
// may have begun, followed by the new piece. kept: the size of the end of the previous piece.
void Continue(Search& search, std::string_view kept_and_new, size_t kept) {
  if (search.complete) return;
  std::string_view rest;
  if (search.value) {
    rest = kept_and_new.substr(kept);
  } else {
    const size_t at = kept_and_new.find(*search.text);
    if (at == std::string_view::npos) return;
    search.value.emplace();
    rest = kept_and_new.substr(at + search.text->size());
  }
  const size_t end = rest.find_first_of("\r\n");
  search.complete = end != std::string_view::npos;
  // Keep at most one byte more than the limit. This byte shows that the value is too long.
  search.value->append(
      rest.substr(0, std::min(end, kExportsLimit + 1 - std::min(search.value->size(), kExportsLimit))));
}

Result<jobspec::EnvVars> Found(const std::vector<Search>& searches, bool searched_all) {
  jobspec::EnvVars variables;
  size_t size = 0;
  for (const Search& search : searches) {
    if (!search.value) {
      if (searched_all) continue;
      return Failed("'" + *search.text + "' (exports." + *search.name + ") is not in the first " +
                    std::to_string(kExportsSearched >> 20) + " MiB of the output");
    }
    if (search.value->find('\0') != std::string::npos) {
      return Failed("the value after '" + *search.text + "' (exports." + *search.name +
                    ") contains a zero byte, which an environment variable cannot hold");
    }
    size += search.name->size() + search.value->size();
    if (size > kExportsLimit) {
      return Failed("the value after '" + *search.text + "' (exports." + *search.name +
                    ") is too long: the limit for all exported variables together is " +
                    std::to_string(kExportsLimit >> 10) + " KiB");
    }
    variables.emplace_back(*search.name, *search.value);
  }
  return variables;
}

}  // namespace

Result<jobspec::EnvVars> FindExports(const std::string& output, const jobspec::EnvVars& wanted) {
  HOWDAH_TRY(const auto file, os::files::OpenRegular(output));
  std::vector<Search> searches;
  size_t longest = 1;
  for (const auto& [name, text] : wanted) {
    searches.push_back({&name, &text, std::nullopt, false});
    longest = std::max(longest, text.size());
  }
  std::string bytes;  // contains the end of the previous piece, and the current piece
  size_t kept = 0, searched = 0;
  for (;;) {
    bytes.resize(kept + kCopyPiece);
    const ssize_t size = ::read(file.get(), bytes.data() + kept, kCopyPiece);
    if (size < 0) return os::files::SystemError("reading " + output);
    bytes.resize(kept + static_cast<size_t>(size));
    for (Search& search : searches) Continue(search, bytes, kept);
    const bool all = std::all_of(searches.begin(), searches.end(), [](const Search& s) { return s.complete; });
    searched += static_cast<size_t>(size);
    if (size == 0 || all || searched >= kExportsSearched) return Found(searches, size == 0 || all);
    kept = std::min(bytes.size(), longest - 1);
    bytes.erase(0, bytes.size() - kept);
  }
}

}  // namespace howdah::executor
