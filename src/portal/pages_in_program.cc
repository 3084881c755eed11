#include "howdah/portal/pages/pages.h"
#include "page_routes.h"

namespace howdah::portal {
namespace {

class ProgramPages final : public PageSource {
 public:
  std::optional<web::Response> Find(const std::string& path) const override {
    const pages::PageFile* const file = pages::FindPageFile(path);
    if (file == nullptr) return std::nullopt;
    web::Response response{200, {}, std::string(file->gzip)};
    response.headers.Set("Content-Type", file->content_type);
    response.headers.Set("Content-Encoding", "gzip");
    response.headers.Set("ETag", "\"" + std::string(file->hash) + "\"");
    if (file->immutable) response.headers.Set("Cache-Control", "public, max-age=31536000, immutable");
    return response;
  }
};

}  // namespace

std::unique_ptr<PageSource> PagesInProgram() {
  return pages::PageFiles().empty() ? nullptr : std::make_unique<ProgramPages>();
}

}  // namespace howdah::portal
