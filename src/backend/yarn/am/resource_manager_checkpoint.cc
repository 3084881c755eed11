#include "resource_manager_checkpoint.h"

namespace howdah::backend::yarn::am {
namespace {

using namespace ::hadoop::yarn;

// Records are answers to heartbeats, without what comes again by itself.
void Take(const AllocateResponseProto& answer, ResourceManagerCheckpoint::Past& past) {
  past.response_id = answer.response_id();
  for (const ContainerProto& container : answer.allocated_containers()) {
    past.containers[hadoop::yarn::FromProto(container.id())] = container;
  }
  for (const ContainerProto& container : answer.containers_from_previous_attempts()) {
    past.containers[hadoop::yarn::FromProto(container.id())] = container;
  }
  for (const ContainerStatusProto& status : answer.completed_container_statuses()) {
    const hadoop::yarn::ContainerId id = hadoop::yarn::FromProto(status.container_id());
    past.containers.erase(id);
    past.completed[id] = status;
  }
  past.nm_tokens.insert(past.nm_tokens.end(), answer.nm_tokens().begin(), answer.nm_tokens().end());
  if (answer.has_am_rm_token()) past.am_rm_token = answer.am_rm_token();
}

}  // namespace

Result<ResourceManagerCheckpoint> ResourceManagerCheckpoint::Open(const std::string& path, std::optional<Past>& past) {
  bool whole = true;
  auto file = os::files::RecordFile::Open(path, [&](std::string_view record) {
    AllocateResponseProto answer;
    whole &= answer.ParseFromArray(record.data(), static_cast<int>(record.size()));
    if (!past) past.emplace();
    Take(answer, *past);
  });
  if (!file.ok()) return file.error();
  if (!whole) return Failed("reading " + path + ": a record is no answer of a ResourceManager");
  return ResourceManagerCheckpoint(std::move(*file));
}

Status ResourceManagerCheckpoint::Keep(const RegisterApplicationMasterResponseProto& response) {
  AllocateResponseProto record;
  record.set_response_id(0);
  *record.mutable_containers_from_previous_attempts() = response.containers_from_previous_attempts();
  *record.mutable_nm_tokens() = response.nm_tokens_from_previous_attempts();
  return file_.Append({record.SerializeAsString()});
}

Status ResourceManagerCheckpoint::Keep(const AllocateResponseProto& response) {
  AllocateResponseProto record;
  record.set_response_id(response.response_id());
  *record.mutable_allocated_containers() = response.allocated_containers();
  *record.mutable_completed_container_statuses() = response.completed_container_statuses();
  *record.mutable_nm_tokens() = response.nm_tokens();
  if (response.has_am_rm_token()) *record.mutable_am_rm_token() = response.am_rm_token();
  return file_.Append({record.SerializeAsString()});
}

}  // namespace howdah::backend::yarn::am
