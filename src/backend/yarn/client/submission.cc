#include "submission.h"

#include <algorithm>

#include "docker_logins.h"
#include "howdah/backend/yarn/access.h"
#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/gang_queue.h"
#include "howdah/backend/yarn/job_credentials.h"
#include "howdah/backend/yarn/job_tokens.h"
#include "howdah/backend/yarn/token_lifetime.h"
#include "howdah/base/text.h"
#include "howdah/core/submission.h"
#include "howdah/hadoop/rpc/token_identifier.h"
#include "howdah/hadoop/web/authorities.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/machine.h"
#include "howdah/rpc/identity.h"
#include "refusals.h"
#include "staging.h"

namespace howdah::backend::yarn::client {
namespace {

constexpr Duration kAcceptLimit = std::chrono::seconds(60);
constexpr int kMostTags = 10;              // YarnConfiguration.APPLICATION_MAX_TAGS
constexpr int64_t kLeastMemoryMib = 1024;  // Hadoop's default of yarn.scheduler.minimum-allocation-mb

std::string SubmittedLine(const JobId& id, const jobspec::JobSpec& spec, const std::string& user) {
  const core::JournalEntry submitted{os::process::Clock().Now(),
                                     core::SubmissionOf(spec, id.text, "yarn", user, os::process::NodeName())};
  return journal::EncodeEntry(submitted) + "\n";
}

// Creates and fills the directory of the job, and submits the application.
class Submission {
 public:
  // credentials: the tokens of the job.
  Submission(HadoopClient& cluster, hadoop::hdfs::FileSystem& files, const Layout& layout, JobId id,
             hadoop::rpc::Credentials credentials)
      : cluster_(cluster), files_(files), layout_(layout), id_(std::move(id)), credentials_(std::move(credentials)) {}

  // queue_problem: as in SubmissionFacts.
  Status Submit(const jobspec::JobSpec& spec, AmStart start, const StagedJob& staged,
                const std::string& queue_problem) {
    HOWDAH_TRY(const auto identities, rpc::MakeJobIdentities(id_.text));
    HOWDAH_TRY_STATUS(files_.MakeDirectories(layout_.root(), 0711));
    HOWDAH_TRY_STATUS(files_.MakeDirectories(layout_.jobs(), 0700));
    HOWDAH_TRY_STATUS(files_.MakeDirectories(layout_.job(id_), 0700));

    std::map<std::string, StagedFile> common = {{staged.agent.name, staged.agent.file}};
    HOWDAH_TRY_STATUS(Provide(EmbedFor::kAll, kJobFile, layout_.job_file(id_), jobspec::WriteEffective(spec), common));
    HOWDAH_TRY_STATUS(ProvideAuthorities(common));
    if (!staged.manifest.empty()) EmbedFile(credentials_, EmbedFor::kAll, kManifest, staged.manifest);
    if (!staged.left_out.empty()) EmbedFile(credentials_, EmbedFor::kAll, kLeftOut, staged.left_out);

    start.local_resources = common;
    for (const Resource& resource : staged.files) {
      start.local_resources[resource.name] = resource.file;
      if (!resource.only_for.empty()) start.only_for[resource.name] = resource.only_for;
    }
    if (staged.python) start.local_resources[staged.python->name] = staged.python->file;

    std::map<std::string, StagedFile> of_am = common;
    start.configuration = kConfiguration;
    // Executors store the results and outputs of their tasks, so they need the configuration and the owner's name, too.
    if (staged.configuration_file) {
      of_am[kConfiguration] = start.local_resources[kConfiguration] = staged.configuration_file->file;
    } else {
      EmbedFile(credentials_, EmbedFor::kAll, kConfiguration, staged.configuration);
    }
    EmbedFile(credentials_, EmbedFor::kAll, kOwnerFile, start.user);
    if (staged.python && !spec.tensorboard_logdir.empty()) of_am[staged.python->name] = staged.python->file;
    HOWDAH_TRY_STATUS(ProvideKeytab(spec, of_am));
    start.client = EncodeIdentity(identities.client);
    HOWDAH_TRY_STATUS(Provide(EmbedFor::kAm, kAmStartFile, layout_.am_file(id_), WriteAmStart(start), of_am));

    AddIdentity(credentials_, "am", identities.am);
    AddIdentity(credentials_, "executor", identities.executor);
    HOWDAH_TRY(const auto rm, cluster_.Rm());
    const auto least = cluster_.configuration().Number("yarn.scheduler.minimum-allocation-mb", kLeastMemoryMib);
    auto context = SubmissionContext(spec, *hadoop::yarn::ParseApplicationId(id_.text), of_am, credentials_,
                                     least.ok() ? *least : kLeastMemoryMib);
    // Otherwise the ResourceManager would cancel the tokens of the user's files when the job ends, and the next job
    // with these files would find them cancelled.
    context.set_cancel_tokens_when_complete(cluster_.credentials().tokens.empty() && spec.tokens.files.empty());
    const auto accepted = rm->Submit(context, kAcceptLimit);
    if (accepted.ok()) return {};
    Error error = accepted.error();
    error.message += WhyTokenIsNotRenewed(error.message, credentials_);
    if (error.code == ErrorCode::kTimeout || queue_problem.empty()) return error;
    error.code = ErrorCode::kUnavailable;
    error.message += "; " + queue_problem;
    return error;
  }

 private:
  // Writes the file for clients and passes it to the containers: embedded in the credentials if it is small, localized
  // otherwise.
  Status Provide(EmbedFor recipient, const std::string& name, const std::string& path, const std::string& bytes,
                 std::map<std::string, StagedFile>& resources) {
    HOWDAH_TRY_STATUS(Write(path, bytes, 0600));
    if (bytes.size() <= kMaxEmbeddedSize) {
      EmbedFile(credentials_, recipient, name, bytes);
      return {};
    }
    return Localize(name, path, resources);
  }

  // Containers read encryption zones, and their node may not know the authority of the KMS.
  Status ProvideAuthorities(std::map<std::string, StagedFile>& resources) {
    const bool uses_kms = std::any_of(credentials_.tokens.begin(), credentials_.tokens.end(),
                                      [](const auto& entry) { return entry.second.kind == hadoop::rpc::kKmsToken; });
    if (!uses_kms) return {};
    // An unusable trust store is no problem here: the client has reached the KMS without it.
    const auto pem = hadoop::web::ConfiguredAuthorities(cluster_.configuration());
    if (!pem.ok() || pem->empty()) return {};
    return Provide(EmbedFor::kAll, kAuthorities, layout_.authorities(id_), *pem, resources);
  }

  // Passes the keytab to the AM's container. The ResourceManager keeps the AM's credentials in its state store, so the
  // keytab is among them only if the job file says so.
  Status ProvideKeytab(const jobspec::JobSpec& spec, std::map<std::string, StagedFile>& resources) {
    if (!spec.kerberos || !cluster_.kerberos()) return {};
    HOWDAH_TRY(const std::string bytes, os::files::ReadFile(spec.kerberos->keytab, kMaxEmbeddedSize));
    if (spec.kerberos->carry) {
      EmbedFile(credentials_, EmbedFor::kAm, kKeytab, bytes);
      return {};
    }
    HOWDAH_TRY_STATUS(Write(layout_.keytab(id_), bytes, 0400));
    return Localize(kKeytab, layout_.keytab(id_), resources);
  }

  Status Write(const std::string& path, const std::string& bytes, uint32_t permission) {
    hadoop::hdfs::CreateOptions options;
    options.permission = permission;
    HOWDAH_TRY(const auto writer, files_.Create(path, options));
    HOWDAH_TRY_STATUS(writer->Write(bytes));
    return writer->Close();
  }

  Status Localize(const std::string& name, const std::string& path, std::map<std::string, StagedFile>& resources) {
    HOWDAH_TRY(const auto found, files_.Stat(path));
    resources[name] = {files_.uri() + path, found.length, found.modified_millis, StagedFile::Type::kFile,
                       StagedFile::Visibility::kApplication};
    return {};
  }

  HadoopClient& cluster_;
  hadoop::hdfs::FileSystem& files_;
  Layout layout_;
  JobId id_;
  hadoop::rpc::Credentials credentials_;
};

constexpr int64_t kMib = int64_t{1} << 20;
constexpr int64_t kAmMib = 32;
constexpr int64_t kTasksPerMib = 4;
constexpr int64_t kTensorboardMib = 1024;

Status AddDockerLogins(const jobspec::JobSpec& spec, const JobId& id, hadoop::rpc::Credentials& credentials) {
  if (!spec.docker || spec.docker->client_config.empty()) return {};
  const auto text = os::files::ReadFile(spec.docker->client_config);
  if (!text.ok()) return Error{ErrorCode::kUsage, "docker.client_config: " + text.error().message};
  HOWDAH_TRY(const auto logins, DockerLogins(*text, id.text));
  credentials.tokens.insert(logins.tokens.begin(), logins.tokens.end());
  return {};
}

}  // namespace

Result<JobId> SubmitToYarn(HadoopClient& cluster, const YarnOptions& options, const SubmissionFacts& facts,
                           const jobspec::JobSpec& spec, const backend::SubmitOptions& submit) {
  hadoop::rpc::Credentials credentials = cluster.credentials();
  if (cluster.kerberos() && credentials.tokens.empty()) {
    if (!cluster.kerberos()->ok()) return cluster.kerberos()->error();
    HOWDAH_TRY(credentials, FetchJobTokens(cluster, spec));
  }
  HOWDAH_TRY_STATUS(AddTokensOfFiles(spec, credentials));
  credentials = WithoutOwnSecrets(std::move(credentials));
  HOWDAH_TRY(const auto files, cluster.Files());
  HOWDAH_TRY(const auto rm, cluster.Rm());
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  HOWDAH_TRY(const auto application, rm->NewApplication());
  const auto too_large =
      OversizedContainers(spec, hadoop::yarn::FromProto(application.maximumcapability()), facts.growth);
  if (!too_large.empty()) return Error{ErrorCode::kUnavailable, too_large.front()};
  const JobId id{hadoop::yarn::ToText(hadoop::yarn::FromProto(application.application_id()))};
  HOWDAH_TRY_STATUS(AddDockerLogins(spec, id, credentials));
  HOWDAH_TRY(const auto staged, StageJob(spec, {.configuration = cluster.configuration(),
                                                .files = *files,
                                                .layout = layout,
                                                .open = cluster.open_options(),
                                                .agent = options.agent,
                                                .local_directory = options.home + "/yarn",
                                                .on_staged = submit.on_staged}));
  AmStart start;
  start.job = id;
  start.submitted = SubmittedLine(id, spec, cluster.user());
  start.user = cluster.user();
  start.staging_uri = files->uri() + layout.job(id);
  start.queue = spec.queue;
  start.node_label = spec.node_label;
  start.keep = submit.keep;
  for (const jobspec::RoleSpec& role : spec.roles) {
    jobspec::Docker docker = spec.docker.value_or(jobspec::Docker{});
    docker.image = role.image.value_or(docker.image);
    if (!docker.image.empty()) start.role_environment[role.name] = DockerEnvironment(docker);
  }
  start.nodes = facts.inventory.nodes;
  start.resource_types = facts.inventory.resource_types;
  if (submit.before_start) submit.before_start();
  Submission submission(cluster, *files, layout, id, std::move(credentials));
  if (const Status done = submission.Submit(spec, std::move(start), staged, facts.queue_problem); !done.ok()) {
    // Delete the job's files, but report only the first error. Keep the files after a timeout, because the
    // ResourceManager may still accept the application.
    if (done.error().code != ErrorCode::kTimeout) {
      static_cast<void>(files->Delete(layout.job(id), /*recursive=*/true).ok());
    }
    return done.error();
  }
  return id;
}

int64_t AmMemoryMib(const jobspec::JobSpec& spec) {
  if (spec.am.memory_bytes > 0) return (spec.am.memory_bytes + kMib - 1) / kMib;
  int64_t tasks = 0;
  for (const jobspec::RoleSpec& role : spec.roles) tasks += role.instances.max;
  return kAmMib + (tasks + kTasksPerMib - 1) / kTasksPerMib + (spec.tensorboard_logdir.empty() ? 0 : kTensorboardMib);
}

::hadoop::yarn::ApplicationSubmissionContextProto SubmissionContext(
    const jobspec::JobSpec& spec, const hadoop::yarn::ApplicationId& id,
    const std::map<std::string, StagedFile>& am_resources, const hadoop::rpc::Credentials& credentials,
    int64_t least_memory_mib) {
  ::hadoop::yarn::ApplicationSubmissionContextProto context;
  *context.mutable_application_id() = hadoop::yarn::ToProto(id);
  context.set_application_name(spec.name);
  context.set_applicationtype(kApplicationType);
  if (!spec.queue.empty()) context.set_queue(spec.queue);
  if (spec.priority) context.mutable_priority()->set_priority(*spec.priority);
  for (const std::string& tag : spec.tags) context.add_applicationtags(tag);
  if (auto tag = GangTag(spec, least_memory_mib)) context.add_applicationtags(std::move(*tag));
  // Without this tag, an autoscaler takes all tasks of the job for needed ones.
  if (auto tag = OptionalTag(spec, least_memory_mib); tag && context.applicationtags_size() < kMostTags) {
    context.add_applicationtags(std::move(*tag));
  }
  context.set_maxappattempts(spec.am.attempts);
  context.set_attempt_failures_validity_interval(
      std::chrono::duration_cast<std::chrono::milliseconds>(kAttemptFailureWindow).count());
  context.set_keep_containers_across_application_attempts(true);
  if (!spec.node_label.empty()) context.set_node_label_expression(spec.node_label);

  ::hadoop::yarn::ContainerLaunchContextProto& am = *context.mutable_am_container_spec();
  for (const auto& [name, resource] : am_resources) {
    auto& entry = *am.add_localresources();
    entry.set_key(name);
    *entry.mutable_value() = ToProto(resource);
  }
  am.set_tokens(hadoop::rpc::WriteCredentials(credentials));
  SetAccess(spec.access, am);
  am.add_command("exec ./howdah-agent am --yarn 1><LOG_DIR>/am.stdout 2><LOG_DIR>/am.stderr");

  hadoop::yarn::Resource resource;
  resource.memory_mib = AmMemoryMib(spec);
  resource.vcores = spec.am.vcores;
  *context.mutable_resource() = hadoop::yarn::ToProto(resource);
  return context;
}

std::vector<std::pair<std::string, std::string>> DockerEnvironment(const jobspec::Docker& docker) {
  if (docker.image.empty()) return {};
  std::vector<std::pair<std::string, std::string>> variables = {{"YARN_CONTAINER_RUNTIME_TYPE", "docker"},
                                                                {"YARN_CONTAINER_RUNTIME_DOCKER_IMAGE", docker.image}};
  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) variables.emplace_back(name, std::move(value));
  };
  add("YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK", docker.network);
  add("YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS", Join(docker.mounts, ","));
  add("YARN_CONTAINER_RUNTIME_DOCKER_TMPFS_MOUNTS", Join(docker.tmpfs, ","));
  add("YARN_CONTAINER_RUNTIME_DOCKER_RUNTIME", docker.runtime);
  add("YARN_CONTAINER_RUNTIME_DOCKER_RUN_PRIVILEGED_CONTAINER", docker.privileged ? "true" : "");
  return variables;
}

}  // namespace howdah::backend::yarn::client
