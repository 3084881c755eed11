#include "howdah/client/yarn_service.h"

#include <algorithm>

#include "howdah/base/text.h"
#include "howdah/client/job_request.h"
#include "howdah/compat/yarnfile/translate.h"
#include "howdah/os/files/files.h"

namespace howdah::client {
namespace {

namespace yarnfile = compat::yarnfile;

std::vector<keyfile::Problem> ProblemsOf(const std::vector<std::string>& texts, const std::string& file) {
  std::vector<keyfile::Problem> problems;
  for (const std::string& text : texts) {
    keyfile::Problem problem;
    problem.file = file;
    problem.text = text;
    problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace

Result<YarnService> ReadYarnService(Connection& connection, const yarnfile::Flags& flags) {
  const auto text = os::files::ReadFile(flags.file, yarnfile::kLongestFile);
  if (!text.ok()) return Error{ErrorCode::kUsage, "reading the Yarnfile: " + text.error().message};
  HOWDAH_TRY(const jobspec::SubmitHost here, SubmitHostHere(flags.file));
  yarnfile::Request request;
  request.file = flags.file;
  request.name = flags.name;
  request.queue = flags.queue;
  request.lifetime = flags.lifetime;
  HOWDAH_TRY(request.user, connection.User());
  const size_t slash = flags.file.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : flags.file.substr(0, slash == 0 ? 1 : slash);
  request.directory = folder.empty() ? here.directory : folder.front() == '/' ? folder : here.directory + "/" + folder;
  request.maxima = flags.maxima;
  request.path_kind = here.path_kind;
  request.on_cluster = connection.on() == "yarn";
  yarnfile::TranslatedService service = yarnfile::Translate(*text, request);
  YarnService result;
  result.quicklinks = std::move(service.quicklinks);
  if (!service.translation.problems.empty()) {
    // The job is incomplete, so the checks of job files would only repeat these problems.
    result.job.job.problems = ProblemsOf(service.translation.problems, flags.file);
    return result;
  }
  HOWDAH_TRY(result.job, CheckTranslation(std::move(service.translation), flags.file));
  return result;
}

std::string WriteQuicklinks(const std::vector<std::pair<std::string, std::string>>& links) {
  std::string text;
  for (const auto& [name, address] : links) text += OneLine(name) + "\t" + OneLine(address) + "\n";
  return text;
}

std::vector<std::pair<std::string, std::string>> ReadQuicklinks(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> links;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const size_t tab = line.find('\t');
    if (tab != line.npos) links.emplace_back(line.substr(0, tab), line.substr(tab + 1));
    begin = end + 1;
  }
  return links;
}

}  // namespace howdah::client
