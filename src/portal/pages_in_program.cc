#include "page_routes.h"

namespace howdah::portal {

std::unique_ptr<PageSource> PagesInProgram() { return nullptr; }

}  // namespace howdah::portal
