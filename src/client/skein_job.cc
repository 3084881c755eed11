#include "howdah/client/skein_job.h"

#include <algorithm>

#include "howdah/client/job_request.h"
#include "howdah/compat/skeinspec/translate.h"
#include "howdah/os/files/files.h"

namespace howdah::client {
namespace {

// The directory of a file, as an absolute path. `current`: the current directory.
std::string DirectoryOfSpecification(const std::string& file, const std::string& current) {
  const size_t slash = file.rfind('/');
  if (slash == std::string::npos) return current;
  const std::string directory = slash == 0 ? "/" : file.substr(0, slash);
  return directory.front() == '/' ? directory : current + "/" + directory;
}

}  // namespace

Result<TranslatedJob> ReadSkeinJob(const std::string& file) {
  auto text = os::files::ReadFile(file);
  if (!text.ok()) return Error{ErrorCode::kUsage, "reading the specification: " + text.error().message};
  HOWDAH_TRY(jobspec::SubmitHost host, SubmitHostHere(file));
  host.directory = DirectoryOfSpecification(file, host.directory);
  const auto read = compat::skeinspec::ReadSpecification(*text, host);
  if (read.problems.empty()) return CheckTranslation(compat::skeinspec::Translate(read.value, file), file);
  TranslatedJob job;
  job.job.problems = read.problems;
  return job;
}

}  // namespace howdah::client
