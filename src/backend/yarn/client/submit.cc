#include "submit.h"

#include "docker.h"
#include "howdah/backend/yarn/carried_files.h"
#include "howdah/backend/yarn/identities.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/machine.h"
#include "howdah/rpc/identity.h"
#include "refusals.h"

namespace howdah::backend::yarn::client {
namespace {

constexpr Duration kAcceptLimit = std::chrono::seconds(60);

LocalResource Cached(const Resource& resource) {
  using enum LocalResource::Visibility;
  return {resource.file.uri, resource.file.size, resource.file.modified_millis,
          resource.unpack ? LocalResource::Type::kArchive : LocalResource::Type::kFile,
          resource.file.is_public ? kPublic : kPrivate};
}

std::string SubmittedLine(const JobId& id, const jobspec::JobSpec& spec, const std::string& user) {
  const std::string framework(jobspec::ToText(spec.framework));
  core::JobSubmitted submitted{id.text, spec.name, "yarn", framework, user, os::process::NodeName(), {}};
  for (const jobspec::RoleSpec& role : spec.roles) submitted.roles.push_back({role.name, role.instances.min});
  return journal::EncodeEntry({os::process::Clock().Now(), std::move(submitted)}) + "\n";
}

// Makes the job's directory, fills it, and hands the job to the ResourceManager.
class Submission {
 public:
  Submission(HadoopClient& cluster, hadoop::hdfs::FileSystem& files, const Layout& places, JobId id)
      : cluster_(cluster), files_(files), places_(places), id_(std::move(id)) {}

  Status Submit(const jobspec::JobSpec& spec, YarnAmStart start, const StagedJob& staged) {
    HOWDAH_TRY(const auto identities, rpc::MakeJobIdentities(id_.text));
    for (const std::string& directory : {places_.root(), places_.jobs()}) {
      HOWDAH_TRY_STATUS(files_.MakeDirectories(directory, directory == places_.root() ? 0711 : 0700));
    }
    HOWDAH_TRY_STATUS(files_.MakeDirectories(places_.job(id_), 0700));

    hadoop::rpc::Credentials credentials = cluster_.credentials();
    std::map<std::string, LocalResource> common = {{staged.agent.link, Cached(staged.agent)}};
    HOWDAH_TRY_STATUS(PutFor(EmbedFor::kAll, "howdah/job.json", places_.job_file(id_), jobspec::WriteEffective(spec),
                             credentials, common));

    if (!staged.manifest.empty()) EmbedFile(credentials, EmbedFor::kAll, kManifest, staged.manifest);

    start.local_resources = common;
    for (const Resource& file : staged.files) {
      start.local_resources[file.link] = Cached(file);
      if (!file.only_for.empty()) start.only_for[file.link] = file.only_for;
    }
    if (staged.python) start.local_resources[staged.python->link] = Cached(*staged.python);

    std::map<std::string, LocalResource> of_am = common;
    start.configuration = kConfiguration;
    if (staged.configuration_file) {
      of_am[kConfiguration] = Cached(*staged.configuration_file);
    } else {
      EmbedFile(credentials, EmbedFor::kAm, kConfiguration, staged.configuration);
    }
    start.client = EncodeIdentity(identities.client);
    if (staged.python && !spec.tensorboard_logdir.empty()) of_am[staged.python->link] = Cached(*staged.python);
    HOWDAH_TRY_STATUS(
        PutFor(EmbedFor::kAm, kAmStartFile, places_.am_file(id_), WriteAmStart(start), credentials, of_am));

    AddIdentity(credentials, "am", identities.am);
    AddIdentity(credentials, "executor", identities.executor);
    HOWDAH_TRY(const auto rm, cluster_.Rm());
    const auto accepted = rm->Submit(
        SubmissionContext(spec, *hadoop::yarn::ParseApplicationId(id_.text), of_am, credentials), kAcceptLimit);
    return accepted.ok() ? Status() : Status(accepted.error());
  }

 private:
  // Clients read it in the job's directory; how containers come by it depends on its size.
  Status PutFor(EmbedFor to, const std::string& name, const std::string& path, const std::string& bytes,
                hadoop::rpc::Credentials& credentials, std::map<std::string, LocalResource>& resources) {
    HOWDAH_TRY(const auto put, Put(path, bytes));
    if (bytes.size() <= kMaxEmbeddedSize) {
      EmbedFile(credentials, to, name, bytes);
    } else {
      resources[name] = put;
    }
    return {};
  }

  Result<LocalResource> Put(const std::string& path, const std::string& bytes) {
    hadoop::hdfs::CreateOptions options;
    options.permission = 0600;
    HOWDAH_TRY(const auto writer, files_.Create(path, options));
    HOWDAH_TRY_STATUS(writer->Write(bytes));
    HOWDAH_TRY_STATUS(writer->Close());
    HOWDAH_TRY(const auto found, files_.Stat(path));
    return LocalResource{files_.uri() + path, found.length, found.modified_millis, LocalResource::Type::kFile,
                         LocalResource::Visibility::kApplication};
  }

  HadoopClient& cluster_;
  hadoop::hdfs::FileSystem& files_;
  Layout places_;
  JobId id_;
};

}  // namespace

Result<JobId> SubmitToYarn(HadoopClient& cluster, const YarnOptions& options, const ClusterInventory& known,
                           const jobspec::JobSpec& spec, const backend::SubmitOptions& submit) {
  HOWDAH_TRY(const auto files, cluster.Files());
  HOWDAH_TRY(const auto rm, cluster.Rm());
  HOWDAH_TRY(const auto places, cluster.StagingLayout());
  HOWDAH_TRY(const auto fresh, rm->NewApplication());
  const auto too_large = OversizedContainers(spec, hadoop::yarn::FromProto(fresh.maximumcapability()));
  if (!too_large.empty()) return Error{ErrorCode::kUnavailable, too_large.front()};
  HOWDAH_TRY(const auto staged, StageJob(spec, {.configuration = cluster.configuration(),
                                                .files = *files,
                                                .layout = places,
                                                .open = cluster.open_options(),
                                                .agent = options.agent,
                                                .local_directory = options.home + "/yarn",
                                                .on_staged = submit.on_staged}));
  const JobId id{hadoop::yarn::ToText(hadoop::yarn::FromProto(fresh.application_id()))};

  YarnAmStart start;
  start.job = id;
  start.submitted = SubmittedLine(id, spec, cluster.user());
  start.user = cluster.user();
  start.staging_uri = files->uri() + places.job(id);
  start.queue = spec.queue;
  start.node_label = spec.node_label;
  start.keep = submit.keep;
  for (const jobspec::RoleSpec& role : spec.roles) {
    jobspec::Docker docker = spec.docker.value_or(jobspec::Docker{});
    docker.image = role.image.value_or(docker.image);
    if (!docker.image.empty()) start.role_environment[role.name] = DockerEnvironment(docker);
  }
  start.nodes = known.nodes;
  start.resource_types = known.resource_types;
  Submission submission(cluster, *files, places, id);
  if (const Status done = submission.Submit(spec, std::move(start), staged); !done.ok()) {
    // What was refused leaves nothing behind; that it could not be removed is not what the user has to hear.
    // If no answer came the application may have been accepted all the same.
    if (done.error().code != ErrorCode::kTimeout) {
      static_cast<void>(files->Delete(places.job(id), /*recursive=*/true).ok());
    }
    return done.error();
  }
  return id;
}

}  // namespace howdah::backend::yarn::client
