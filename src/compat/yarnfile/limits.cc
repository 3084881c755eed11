// Restarts, and the properties of YARN's service application master.
#include <algorithm>

#include "context.h"
#include "howdah/compat/yarnfile/keys.h"
#include "howdah/keyfile/words.h"

namespace howdah::compat::yarnfile {
namespace {

constexpr char kRetryMax[] = "yarn.service.container-failure.retry.max";
constexpr char kThresholdKey[] = "yarn.service.container-failure-per-component.threshold";
constexpr char kValidity[] = "yarn.service.container-failure.validity-interval-ms";
constexpr char kResetWindow[] = "yarn.service.failure-count-reset.window";
constexpr char kRetryInterval[] = "yarn.service.container-failure.retry-interval-ms";
constexpr char kDominant[] = "yarn.service.container-state-report-as-service-state";

// YarnServiceConf.DEFAULT_CONTAINER_FAILURE_THRESHOLD, DEFAULT_CONTAINER_FAILURE_WINDOW
constexpr int64_t kDefaultThreshold = 10, kDefaultWindowSeconds = 21600;
constexpr int64_t kMostRestarts = 100'000;

void NoteUnused(const Context& context, const ResolvedComponent& owner, const char* name, const std::string& why) {
  if (Find(owner.component.configuration.properties, name) == nullptr) return;
  context.result.notes.push_back({owner.path + "configuration.properties." + name, context.request.file, why});
}

// The NodeManager starts a container again retry.max times, and then the component counts one failure.
void LimitRestarts(const Context& context, const ResolvedComponent& owner, int64_t retries,
                   jobspec::RestartLimit& restart) {
  const int64_t threshold = NumberProperty(context, owner, kThresholdKey, 0).value_or(kDefaultThreshold);
  const int64_t capped = std::min(threshold, kMostRestarts);
  restart.max = static_cast<int>(std::min(std::min(retries, kMostRestarts) * (capped + 1) + capped, kMostRestarts));
  const auto validity = NumberProperty(context, owner, kValidity, -1);
  const auto window = NumberProperty(context, owner, kResetWindow, 1);
  restart.window = validity.value_or(-1) > 0 ? Duration(std::chrono::milliseconds(*validity))
                                             : Duration(std::chrono::seconds(window.value_or(kDefaultWindowSeconds)));
}

void SetDominant(const Context& context, const ResolvedComponent& owner, jobspec::RoleSpec& role) {
  const std::string* text = Find(owner.component.configuration.properties, kDominant);
  if (text == nullptr || *text != "true") return;
  const bool possible = role.instances == jobspec::Instances{1, 1} && !role.restart.always;
  const bool is_first = std::none_of(context.result.job.roles.begin(), context.result.job.roles.end(),
                                     [](const jobspec::RoleSpec& other) { return other.chief; });
  role.chief = possible && is_first;
  if (role.chief) return;
  NoteUnused(context, owner, kDominant,
             possible ? "another component decides the end of the service already"
                      : "only a component with 1 container that does not always restart can decide the end");
}

}  // namespace

void SetRestart(const Context& context, const ResolvedComponent& owner, jobspec::RoleSpec& role) {
  const RestartPolicy policy = owner.component.restart_policy;
  const int64_t retries = NumberProperty(context, owner, kRetryMax, -1).value_or(-1);
  role.restart.always = policy == RestartPolicy::kAlways;
  if (policy == RestartPolicy::kNever) {
    role.restart.max = 0;
  } else if (retries < 0) {
    role.restart.max = jobspec::kUnlimitedRestarts;
  } else {
    LimitRestarts(context, owner, retries, role.restart);
  }
  if (policy == RestartPolicy::kNever || retries < 0) {
    const std::string why = policy == RestartPolicy::kNever
                                ? "the restart policy is NEVER"
                                : "restarts are unlimited without " + std::string(kRetryMax);
    for (const char* name : {kThresholdKey, kValidity, kResetWindow}) NoteUnused(context, owner, name, why);
    if (policy == RestartPolicy::kNever) NoteUnused(context, owner, kRetryMax, why);
  }
  const auto interval = NumberProperty(context, owner, kRetryInterval, 0);
  if (interval) role.restart.backoff = std::chrono::milliseconds(*interval);
  SetDominant(context, owner, role);
}

void CheckProperties(const Context& context, const std::string& path, const Pairs& properties) {
  for (const auto& [name, value] : properties) {
    const common::Key* key = Keys().Find(name);
    const std::string where = path + "configuration.properties." + name;
    const bool is_property = name.starts_with("yarn.service.") || name.starts_with("dns.") || name == "docker.network";
    if (key != nullptr && is_property) {
      if (key->effect == common::Effect::kNone) context.Note(where, name);
    } else if (name.starts_with("yarn.service.")) {
      const std::string nearest = Keys().Nearest(name, "", {});
      context.Fail(where, "unknown property" + (nearest.empty() ? "; remove it" : "; did you mean '" + nearest + "'?"));
    } else {
      context.result.notes.push_back(
          {keyfile::Printable(where, 200), context.request.file, "only YARN's own application master reads it"});
    }
  }
}

void SetLimits(const Context& context) {
  ResolvedComponent service;  // the properties of the service, without a component
  service.component.configuration.properties = context.service.configuration.properties;
  jobspec::JobSpec& job = context.result.job;
  if (const auto attempts = NumberProperty(context, service, "yarn.service.am-restart.max-attempts", 1)) {
    job.am.attempts = static_cast<int>(std::min<int64_t>(*attempts, 1000));
  }
  if (const auto memory = NumberProperty(context, service, "yarn.service.am-resource.memory", 1)) {
    job.am.memory_bytes = std::min<int64_t>(*memory, 1 << 30) << 20;
  }
  const std::string* queue = Find(service.component.configuration.properties, "yarn.service.queue");
  if (job.queue.empty() && queue != nullptr) job.queue = *queue;
}

}  // namespace howdah::compat::yarnfile
