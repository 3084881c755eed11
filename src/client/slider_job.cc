#include "howdah/client/slider_job.h"

#include <algorithm>
#include <optional>

#include "howdah/backend/cluster.h"
#include "howdah/backend/site.h"
#include "howdah/client/job_request.h"
#include "howdah/compat/slider/translate.h"
#include "howdah/compat/slider/ytensorflow.h"
#include "howdah/os/files/archive.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/temporary_directory.h"

namespace howdah::client {
namespace {

namespace slider = compat::slider;

constexpr char kTool[] = "slider";
constexpr size_t kMostText = size_t{1} << 20;
// The default of the package's appConfig.default.json, in the default file system.
constexpr char kCheckpoints[] = "hdfs:///user/${USER_NAME}/.slider/cluster";

std::string AbsolutePath(std::string path, const std::string& directory) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path == ".") return directory;
  return path.empty() || path.starts_with('/') ? path : directory + "/" + path;
}

std::string LastPart(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Result<slider::TextFile> ReadText(const std::string& flag, const std::string& path) {
  if (path.empty()) return Error{ErrorCode::kUsage, flag + " FILE is missing"};
  // One byte more than allowed, so that the reader of the file reports its size.
  auto text = os::files::ReadFile(path, kMostText + 1);
  if (!text.ok()) return Error{ErrorCode::kUsage, flag + ": " + text.error().message};
  return slider::TextFile{path, std::move(*text)};
}

// A package as a directory that can be read: `unpacked` holds the contents of a zip file.
struct OpenedPackage {
  slider::Package package;
  std::string directory;
  std::optional<os::files::TemporaryDirectory> unpacked;
};

// Returns an empty package for an empty path.
Result<OpenedPackage> OpenPackage(const std::string& path, const jobspec::SubmitHost& host) {
  OpenedPackage opened;
  if (path.empty()) return opened;
  opened.package.path = opened.directory = AbsolutePath(path, host.directory);
  const keyfile::PathKind kind = host.path_kind(opened.directory);
  if (kind == keyfile::PathKind::kMissing) return Error{ErrorCode::kUsage, "--appdef: " + path + " does not exist"};
  if (kind == keyfile::PathKind::kFile) {
    opened.package.zipped = true;
    HOWDAH_TRY(auto directory, os::files::TemporaryDirectory::Make("slider"));
    const Status unpacked = os::files::Unpack(opened.package.path, directory.path());
    if (!unpacked.ok()) return Error{ErrorCode::kUsage, "--appdef: " + unpacked.error().message};
    opened.directory = directory.path();
    opened.unpacked.emplace(std::move(directory));
  }
  opened.package.path_kind = [kind_of = host.path_kind, directory = opened.directory](const std::string& inside) {
    return kind_of(directory + "/" + inside);
  };
  return opened;
}

// The metainfo of a package: nullopt if it has none.
Result<std::optional<slider::TextFile>> FindMetainfo(const SliderRequest& request, const OpenedPackage& opened) {
  if (!request.metainfo.empty()) {
    HOWDAH_TRY(auto file, ReadText("--metainfo", request.metainfo));
    return std::optional<slider::TextFile>(std::move(file));
  }
  if (opened.package.path.empty()) return std::optional<slider::TextFile>();
  const std::string shown = request.package + "/metainfo.json";
  if (opened.package.path_kind("metainfo.json") == keyfile::PathKind::kFile) {
    HOWDAH_TRY(auto file, ReadText("--appdef", opened.directory + "/metainfo.json"));
    file.path = shown;
    return std::optional<slider::TextFile>(std::move(file));
  }
  if (opened.package.path_kind("metainfo.xml") == keyfile::PathKind::kMissing) {
    return std::optional<slider::TextFile>();
  }
  return Error{ErrorCode::kUsage,
               "--appdef: " + request.package +
                   "/metainfo.xml describes components that run scripts of Slider's agent, which Howdah cannot run; "
                   "write a metainfo.json whose components have `commands` with `exec`"};
}

std::optional<slider::Largest> LargestNode(Connection& connection) {
  const auto cluster = connection.Cluster();
  if (!cluster.ok()) return std::nullopt;
  const auto info = (*cluster)->site().Info();
  if (!info.ok()) return std::nullopt;
  slider::Largest largest;
  for (const backend::NodeInfo& node : info->nodes) {
    if (!node.usable) continue;
    largest.memory_bytes = std::max(largest.memory_bytes, node.total.memory_bytes.value_or(0));
    largest.vcores = std::max(largest.vcores, static_cast<int>(node.total.vcores.value_or(0)));
  }
  if (largest.memory_bytes == 0 || largest.vcores == 0) return std::nullopt;
  return largest;
}

void Append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Each text begins with the place of the problem: "resources.json:7: components.ps.yarn.memory: ...".
std::vector<keyfile::Problem> ProblemsAt(const std::vector<std::string>& texts) {
  std::vector<keyfile::Problem> problems;
  for (const std::string& text : texts) {
    const size_t end = std::min(text.find(": "), text.size());
    keyfile::Problem problem;
    problem.file = text.substr(0, end);
    problem.text = end == text.size() ? "" : text.substr(end + 2);
    problems.push_back(std::move(problem));
  }
  return problems;
}

Result<TranslatedJob> TranslateApplication(Connection& connection, const slider::Application& application) {
  auto translation = slider::Translate(application, [&] { return LargestNode(connection); });
  if (translation.problems.empty()) return CheckTranslation(std::move(translation), kTool);
  // The job is incomplete, so the checks of job files would only repeat these problems.
  TranslatedJob job;
  job.job.problems = ProblemsAt(translation.problems);
  return job;
}

}  // namespace

Result<TranslatedJob> ReadSliderJob(Connection& connection, const SliderRequest& request) {
  HOWDAH_TRY(const jobspec::SubmitHost host, SubmitHostHere(kTool));
  HOWDAH_TRY(const slider::TextFile resources, ReadText("--resources", request.resources));
  HOWDAH_TRY(const slider::TextFile app_config, ReadText("--template", request.app_config));
  HOWDAH_TRY(const OpenedPackage opened, OpenPackage(request.package, host));
  HOWDAH_TRY(const auto metainfo, FindMetainfo(request, opened));
  slider::Application application;
  application.name = request.name;
  HOWDAH_TRY(application.user, connection.User());
  application.queue = request.queue;
  application.maxima = request.maxima;
  application.docker = request.docker;
  application.package = opened.package;
  slider::ReadTree tree = slider::ReadConfTree(resources);
  application.resources = std::move(tree.tree);
  Append(application.problems, tree.problems);
  tree = slider::ReadConfTree(app_config);
  application.app_config = std::move(tree.tree);
  Append(application.problems, tree.problems);
  if (metainfo) {
    slider::ReadMeta read = slider::ReadMetainfo(*metainfo);
    application.metainfo = std::move(read.metainfo);
    Append(application.problems, read.problems);
  }
  return TranslateApplication(connection, application);
}

Result<TranslatedJob> ReadYtensorflowJob(Connection& connection, const TensorflowRequest& request) {
  HOWDAH_TRY(const jobspec::SubmitHost host, SubmitHostHere(kTool));
  HOWDAH_TRY(const slider::TextFile file, ReadText("-start", request.configuration));
  slider::TensorflowCluster cluster = slider::ReadTensorflowCluster(file, request.on_cluster ? kCheckpoints : "");
  slider::Application application;
  application.name = cluster.name;
  HOWDAH_TRY(application.user, connection.User());
  application.resources = std::move(cluster.resources);
  application.app_config = std::move(cluster.app_config);
  application.problems = std::move(cluster.problems);
  for (const std::string& path : request.files) {
    const std::string from = AbsolutePath(path, host.directory);
    application.files.push_back({from, LastPart(from), false});
  }
  return TranslateApplication(connection, application);
}

}  // namespace howdah::client
