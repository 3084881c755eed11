#include "resource_manager_checkpoint.h"

namespace howdah::backend::yarn::am {
namespace {

using namespace ::hadoop::yarn;

// Applies a record to the state. A record is an answer to a heartbeat, reduced to the fields that YARN does not send
// again.
void Apply(const AllocateResponseProto& answer, ResourceManagerCheckpoint::State& state) {
  state.response_id = answer.response_id();
  for (const ContainerProto& container : answer.allocated_containers()) {
    state.containers[hadoop::yarn::FromProto(container.id())] = container;
  }
  for (const ContainerProto& container : answer.containers_from_previous_attempts()) {
    state.containers[hadoop::yarn::FromProto(container.id())] = container;
  }
  for (const ContainerStatusProto& status : answer.completed_container_statuses()) {
    const hadoop::yarn::ContainerId id = hadoop::yarn::FromProto(status.container_id());
    state.containers.erase(id);
    state.completed[id] = status;
  }
  state.nm_tokens.insert(state.nm_tokens.end(), answer.nm_tokens().begin(), answer.nm_tokens().end());
  if (answer.has_am_rm_token()) state.am_rm_token = answer.am_rm_token();
}

hadoop::yarn::ContainerId InheritedId(const backend::Inherited& inherited) {
  return hadoop::yarn::ParseContainerId(inherited.container.text).value_or(hadoop::yarn::ContainerId());
}

}  // namespace

Result<ResourceManagerCheckpoint> ResourceManagerCheckpoint::Open(const std::string& path,
                                                                  std::optional<State>& restored) {
  HOWDAH_TRY(auto file, os::files::RecordFile::Open(path, [&](std::string_view record) -> Status {
               AllocateResponseProto answer;
               // The ResourceManager's answers are used even if required fields are missing, so records may lack them,
               // too.
               if (!answer.ParsePartialFromArray(record.data(), static_cast<int>(record.size())))
                 return Failed("invalid record");
               if (!restored) restored.emplace();
               Apply(answer, *restored);
               return {};
             }));
  return ResourceManagerCheckpoint(std::move(file));
}

Status ResourceManagerCheckpoint::Save(const RegisterApplicationMasterResponseProto& response) {
  AllocateResponseProto record;
  record.set_response_id(0);
  *record.mutable_containers_from_previous_attempts() = response.containers_from_previous_attempts();
  *record.mutable_nm_tokens() = response.nm_tokens_from_previous_attempts();
  return file_.Append({record.SerializePartialAsString()});
}

Status ResourceManagerCheckpoint::Save(const AllocateResponseProto& response) {
  AllocateResponseProto record;
  record.set_response_id(response.response_id());
  *record.mutable_allocated_containers() = response.allocated_containers();
  *record.mutable_completed_container_statuses() = response.completed_container_statuses();
  *record.mutable_nm_tokens() = response.nm_tokens();
  if (response.has_am_rm_token()) *record.mutable_am_rm_token() = response.am_rm_token();
  return file_.Append({record.SerializePartialAsString()});
}

Takeover TakeOver(const std::vector<backend::Inherited>& inherited, const ResourceManagerCheckpoint::State& state) {
  Takeover takeover;
  std::map<hadoop::yarn::ContainerId, ContainerProto> surplus = state.containers;
  for (const backend::Inherited& one : inherited) {
    const hadoop::yarn::ContainerId id = InheritedId(one);
    surplus.erase(id);
    if (const auto running = state.containers.find(id); running != state.containers.end()) {
      takeover.running.emplace_back(one, running->second);
    } else if (const auto ended = state.completed.find(id); ended != state.completed.end()) {
      takeover.ended.emplace_back(one, ended->second);
    } else {
      takeover.missing.push_back(one);
    }
  }
  for (auto& [id, container] : surplus) takeover.surplus.push_back(std::move(container));
  return takeover;
}

Takeover TakeOver(const std::vector<backend::Inherited>& inherited,
                  const RegisterApplicationMasterResponseProto& response) {
  ResourceManagerCheckpoint::State state;
  for (const ContainerProto& container : response.containers_from_previous_attempts()) {
    state.containers[hadoop::yarn::FromProto(container.id())] = container;
  }
  return TakeOver(inherited, state);
}

Takeover TakeOverMissing(const std::vector<backend::Inherited>& missing, const AllocateResponseProto& first_answer) {
  ResourceManagerCheckpoint::State state;
  for (const ContainerStatusProto& status : first_answer.completed_container_statuses()) {
    state.completed[hadoop::yarn::FromProto(status.container_id())] = status;
  }
  return TakeOver(missing, state);
}

}  // namespace howdah::backend::yarn::am
