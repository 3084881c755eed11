// Translates the components of resources.json to roles.
#include <algorithm>
#include <limits>

#include "context.h"
#include "howdah/keyfile/nearest.h"

namespace howdah::compat::slider {
namespace {

constexpr int64_t kMostMegabytes = int64_t{1} << 40;
constexpr int64_t kMostInstances = 100'000;
constexpr int64_t kMostVcores = 100'000;
constexpr int kDefaultMegabytes = 256;  // ResourceKeys.DEF_YARN_MEMORY
constexpr int kDefaultFailures = 5;     // DEFAULT_CONTAINER_FAILURE_THRESHOLD
constexpr int kDefaultWindowHours = 6;  // DEFAULT_CONTAINER_FAILURE_WINDOW_HOURS
constexpr int kScriptRestarts = 5;      // tensorflow_service.py of the package restarts a failed task 5 times
constexpr int kStrict = 1, kAnywhere = 2, kAntiAffinity = 4, kNoFlexing = 16;  // PlacementPolicy
constexpr char kMax[] = "max";                                                 // ResourceKeys.YARN_RESOURCE_MAX
constexpr char kPriority[] = "yarn.role.priority", kInstances[] = "yarn.component.instances";
constexpr char kPolicy[] = "yarn.component.placement.policy", kThreshold[] = "yarn.container.failure.threshold";
constexpr char kWindow[] = "yarn.container.failure.window.";
const std::vector<std::string> kTensorflowRoles = {"ps", "chiefworker", "worker", "tensorboard"};

std::string DidYouMean(const std::string& name, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string near(keyfile::Nearest(name, views));
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

const MetaComponent* FindMeta(const Metainfo& metainfo, const std::string& name) {
  const auto found = std::find_if(metainfo.components.begin(), metainfo.components.end(),
                                  [&](const MetaComponent& component) { return component.name == name; });
  return found == metainfo.components.end() ? nullptr : &*found;
}

// As AgentClientProvider.validateInstanceDefinition.
void CheckCount(Context& context, const Part& part) {
  if (part.meta == nullptr) return;
  const MetaComponent& meta = *part.meta;
  const Option* option = FindOption(part.options, kInstances);
  const Place& place = option == nullptr ? part.place : option->place;
  if (meta.category == "CLIENT") {
    if (part.instances > 0) context.values.Fail(place, "a component of the category CLIENT has no tasks; write 0");
    return;
  }
  if ((meta.min_instances && part.instances < *meta.min_instances) ||
      (meta.max_instances && part.instances > *meta.max_instances)) {
    context.values.Fail(place, "metainfo.json allows " + std::to_string(meta.min_instances.value_or(0)) + " to " +
                                   (meta.max_instances ? std::to_string(*meta.max_instances) : "any number of") +
                                   " instances, but resources.json has " + std::to_string(part.instances));
  }
}

void OrderParts(Context& context) {
  for (size_t i = 0; i < context.parts.size(); ++i) {
    const auto same = std::find_if(
        context.parts.begin(), context.parts.begin() + static_cast<ptrdiff_t>(i),
        [&](const Part& other) { return other.priority == context.parts[i].priority && other.priority != 0; });
    if (same == context.parts.begin() + static_cast<ptrdiff_t>(i)) continue;
    const Option* option = FindOption(context.parts[i].options, kPriority);
    context.values.Fail(option->place, "component " + same->name + " has the priority " + option->value +
                                           ", too; write a number that no other component has");
  }
  std::stable_sort(context.parts.begin(), context.parts.end(),
                   [](const Part& a, const Part& b) { return a.priority < b.priority; });
}

int64_t Amount(Context& context, const Part& part, const std::string& name, int64_t fallback, int64_t Largest::*memory,
               int Largest::*vcores) {
  const Option* option = FindOption(part.options, name);
  if (option == nullptr || option->value != kMax) {
    return context.values.Number(part.options, name, fallback, 1, memory != nullptr ? kMostMegabytes : kMostVcores);
  }
  const auto largest = context.largest();
  if (!largest) {
    context.values.Fail(option->place,
                        "the size of the largest container is not known here; write a number instead of max");
    return fallback;
  }
  return memory != nullptr ? (*largest).*memory >> 20 : (*largest).*vcores;
}

void SetRestart(Context& context, const Part& part, jobspec::RoleSpec& role) {
  constexpr int64_t kMost = 1'000'000'000;
  const bool script = IsTensorflow(context);
  const int64_t threshold =
      context.values.Number(part.options, kThreshold, script ? 0 : kDefaultFailures, -kMost, kMost);
  const std::string window(kWindow);
  const int64_t days = context.values.Number(part.options, window + "days", 0, 0, 36'500);
  const int64_t hours = context.values.Number(part.options, window + "hours", kDefaultWindowHours, 0, 876'000);
  const int64_t minutes = context.values.Number(part.options, window + "minutes", 0, 0, 52'560'000);
  if (threshold <= 0) {
    role.restart.max = script ? kScriptRestarts : jobspec::kUnlimitedRestarts;
    return;
  }
  role.restart.max = static_cast<int>(threshold);
  const Duration time = std::chrono::hours(24 * days + hours) + std::chrono::minutes(minutes);
  if (time > Duration(0)) role.restart.window = time;
}

void SetPlacement(Context& context, const Part& part, jobspec::RoleSpec& role) {
  const int64_t policy =
      context.values.Number(part.options, kPolicy, 0, 0, kStrict | kAnywhere | kAntiAffinity | kNoFlexing);
  if ((policy & kAntiAffinity) != 0) role.max_per_node = 1;
  if ((policy & kStrict) != 0) {
    Note(context, kPolicy, context.application.resources.place.file,
         "the policy 1 of " + part.name + " needs the nodes of earlier instances, of which Howdah keeps no history");
  }
}

}  // namespace

void FindParts(Context& context) {
  const ConfTree& resources = context.application.resources;
  std::vector<std::string> known = kTensorflowRoles;
  if (context.application.metainfo) {
    known.clear();
    for (const MetaComponent& component : context.application.metainfo->components) known.push_back(component.name);
  }
  for (const ComponentOptions& component : resources.components) {
    if (component.name == kMaster) continue;
    Part part{component.name, component.place, resources.global};
    for (const Option& option : component.options) SetOption(part.options, option);
    if (std::find(known.begin(), known.end(), part.name) == known.end()) {
      context.values.Fail(
          part.place, std::string(context.application.metainfo ? "the package has no such component"
                                                               : "the TensorFlow package has no such component, and "
                                                                 "no metainfo.json describes another package") +
                          DidYouMean(part.name, known));
      continue;
    }
    if (context.application.metainfo) part.meta = FindMeta(*context.application.metainfo, part.name);
    if (FindOption(part.options, kPriority) == nullptr) {
      context.values.Fail(part.place,
                          std::string(kPriority) + " is missing; write a number from 1 that no other component has");
    }
    part.priority =
        static_cast<int>(context.values.Number(part.options, kPriority, 0, 1, std::numeric_limits<int>::max()));
    part.instances = static_cast<int>(context.values.Number(part.options, kInstances, 0, 0, kMostInstances));
    CheckCount(context, part);
    context.parts.push_back(std::move(part));
  }
  OrderParts(context);
}

void ApplyMaxima(Context& context) {
  std::vector<std::string> names;
  for (const jobspec::RoleSpec& role : context.result.job.roles) names.push_back(role.name);
  for (const auto& [name, most] : context.application.maxima) {
    const std::string flag = "--max " + name + "=" + std::to_string(most) + ": ";
    const auto role = std::find_if(context.result.job.roles.begin(), context.result.job.roles.end(),
                                   [&](const jobspec::RoleSpec& candidate) { return candidate.name == name; });
    const auto part =
        std::find_if(context.parts.begin(), context.parts.end(), [&](const Part& p) { return p.name == name; });
    if (role == context.result.job.roles.end() || part == context.parts.end()) {
      context.result.problems.push_back(flag + "no component of this name has instances" + DidYouMean(name, names));
    } else if (most < role->instances.min) {
      context.result.problems.push_back(flag + "is less than the " + std::to_string(role->instances.min) +
                                        " instances of resources.json");
    } else if ((context.values.Number(part->options, kPolicy, 0, 0, 31) & kNoFlexing) != 0) {
      context.result.problems.push_back(flag +
                                        "the placement policy 16 excludes the component from flexing; remove one");
    } else if (IsTensorflow(context) && name == "chiefworker") {
      context.result.problems.push_back(flag +
                                        "the other workers are numbered after the chiefworker, so its number is fixed; "
                                        "write --max worker=N");
    } else {
      role->instances.max = most;
    }
  }
}

jobspec::RoleSpec RoleOf(Context& context, const Part& part) {
  jobspec::RoleSpec role;
  role.name = part.name;
  role.instances = {std::max(part.instances, 1), std::max(part.instances, 1)};
  role.memory_bytes = Amount(context, part, "yarn.memory", kDefaultMegabytes, &Largest::memory_bytes, nullptr) << 20;
  role.vcores = static_cast<int>(Amount(context, part, "yarn.vcores", 1, nullptr, &Largest::vcores));
  if (const Option* label = FindOption(part.options, "yarn.label.expression")) role.node_label = label->value;
  SetRestart(context, part, role);
  SetPlacement(context, part, role);
  return role;
}

void SetMaster(Context& context) {
  for (const ComponentOptions& component : context.application.resources.components) {
    if (component.name != kMaster) continue;
    const Part part{component.name, component.place, component.options};
    context.result.job.am.memory_bytes = Amount(context, part, "yarn.memory", 0, &Largest::memory_bytes, nullptr) << 20;
    context.result.job.am.vcores = static_cast<int>(Amount(context, part, "yarn.vcores", 1, nullptr, &Largest::vcores));
  }
}

}  // namespace howdah::compat::slider
