#include "howdah/backend/yarn/carried_files.h"

#include "howdah/os/files/files.h"

namespace howdah::backend::yarn {
namespace {

// Secrets that begin with "howdah.am." are kept from tasks (launch_context.cc).
constexpr std::string_view kOfAm = "howdah.am.file.", kOfAll = "howdah.file.";

}  // namespace

void EmbedFile(hadoop::rpc::Credentials& credentials, EmbedFor to, const std::string& name, std::string_view bytes) {
  credentials.secrets[std::string(to == EmbedFor::kAm ? kOfAm : kOfAll) + name] = bytes;
}

Status ExtractEmbeddedFiles(const hadoop::rpc::Credentials& credentials) {
  for (const auto& [alias, bytes] : credentials.secrets) {
    const std::string_view prefix = alias.starts_with(kOfAm) ? kOfAm : kOfAll;
    if (!alias.starts_with(prefix)) continue;
    const std::string name = alias.substr(prefix.size());
    if (const size_t slash = name.rfind('/'); slash != std::string::npos) {
      HOWDAH_TRY_STATUS(os::files::MakeDirectories(name.substr(0, slash)));
    }
    HOWDAH_TRY_STATUS(os::files::WriteFileAtomically(name, bytes, 0600));
  }
  return {};
}

}  // namespace howdah::backend::yarn
