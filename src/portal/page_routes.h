// Serves the files of the pages.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "howdah/web/message.h"

namespace howdah::portal {

// Where the pages come from.
class PageSource {
 public:
  virtual ~PageSource() = default;
  // The answer with the file at a path such as "index.html" or "assets/app-1a2b3c4d.js"; nullopt if there is none.
  virtual std::optional<web::Response> Find(const std::string& path) const = 0;
};

// Reads the files of a folder at each request, for developers of the pages.
std::unique_ptr<PageSource> PagesInFolder(std::string folder);
// The pages in this program. nullptr if it was built without them.
std::unique_ptr<PageSource> PagesInProgram();

// The answer to a request that is not for the API: a file below /assets/, or otherwise the page, which decides by its
// own address what to show. pages: nullptr if there are none; then the answer says so.
web::Response PageAnswer(const PageSource* pages, const web::Request& request);

// The answer to a failed request for a page in a browser, in place of JSON.
web::Response ErrorPage(const web::Request& request, const web::Problem& problem);

}  // namespace howdah::portal
