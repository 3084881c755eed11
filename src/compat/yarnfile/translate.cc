#include "howdah/compat/yarnfile/translate.h"

#include <algorithm>
#include <unordered_set>

#include "context.h"
#include "howdah/base/text.h"
#include "howdah/compat/yarnfile/keys.h"
#include "howdah/keyfile/nearest.h"
#include "howdah/keyfile/words.h"

namespace howdah::compat::yarnfile {
namespace {

constexpr size_t kLongestTag = 100;   // YarnConfiguration.APPLICATION_MAX_TAG_LENGTH
constexpr size_t kLongestLabel = 63;  // RegistryConstants.MAX_FQDN_LABEL_LENGTH
constexpr size_t kMostProblems = 200;
constexpr size_t kLongestScripts = size_t{512} << 10;

// ServiceApiUtil.namePattern
bool IsServiceName(const std::string& name) {
  return !name.empty() && name.size() <= kLongestLabel && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

std::string NameFault(const std::string& name) {
  return "invalid name " + keyfile::Quoted(name) +
         "; use lower-case letters, digits and -, beginning with a letter, at most 63";
}

// Adds the values of the service that the component does not have (Configuration.mergeFrom).
void Inherit(const Pairs& from, Pairs& to) {
  std::unordered_set<std::string_view> names;
  for (const auto& [name, value] : to) names.insert(name);
  Pairs added;
  for (const auto& pair : from) {
    if (!names.contains(pair.first)) added.push_back(pair);
  }
  to.insert(to.end(), added.begin(), added.end());
}

void InheritFiles(const std::vector<ConfigFile>& from, std::vector<ConfigFile>& to) {
  const size_t own = to.size();
  for (const ConfigFile& file : from) {
    const auto same = std::find_if(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(own),
                                   [&](const ConfigFile& mine) { return mine.dest_file == file.dest_file; });
    if (same == to.begin() + static_cast<std::ptrdiff_t>(own)) {
      to.push_back(file);
    } else {
      Inherit(file.properties, same->properties);
    }
  }
}

class Translator {
 public:
  Translator(const Service& service, const Request& request, const Constants& constants, TranslatedService& result)
      : service_(service), result_(result), context_{service, request, constants, result.translation} {}

  void Run() {
    SetService();
    for (size_t i = 0; i < service_.components.size(); ++i) AddComponent(i);
    CheckMaxima();
    SetDocker(context_, components_);
    SetFailurePolicies();
    size_t bytes = 0;
    for (const jobspec::RoleSpec& role : job().roles) bytes += role.command.shell.size();
    if (bytes > kLongestScripts) {
      context_.Fail("components", "the commands and the files that they write have " + std::to_string(bytes >> 10) +
                                      " KiB in all components; at most 512 KiB are possible, so move files into a "
                                      "src_file");
    }
    if (components_.empty() && context_.result.problems.empty()) {
      context_.Fail("components", "no component has a container; set number_of_containers of one to 1 or more");
    }
    AddQuicklinks();
  }

 private:
  jobspec::JobSpec& job() { return context_.result.job; }

  void SetService() {
    const Request& request = context_.request;
    job().name = request.name.empty() ? service_.name : request.name;
    if (!IsServiceName(job().name)) {
      context_.Fail("name", job().name.empty() ? "missing; write the name of the service" : NameFault(job().name));
    }
    job().start = jobspec::StartMode::kFree;  // YARN starts each container as soon as it has it
    job().queue = request.queue.empty() ? service_.queue : request.queue;
    if (request.lifetime) {
      job().timeouts.run = request.lifetime;
    } else if (service_.lifetime.value_or(0) > 0) {
      job().timeouts.run = std::chrono::seconds(*service_.lifetime);
    }
    if (!service_.version.empty()) AddTag("version:" + service_.version);
    if (!service_.description.empty()) AddTag("description:" + service_.description);
    if (!service_.kerberos_principal.principal_name.empty() || !service_.kerberos_principal.keytab.empty()) {
      context_.Fail("kerberos_principal",
                    "Howdah's services have no principal of their own; remove it, and log in with kinit or --keytab: "
                    "the job gets the tokens of the user who submits it");
    }
    for (const std::string& key : service_.without_effect) context_.Note(key, key);
    CheckProperties(context_, "", service_.configuration.properties);
    SetLimits(context_);
  }

  // YARN accepts tags of printable ASCII.
  void AddTag(std::string tag) {
    std::replace_if(
        tag.begin(), tag.end(), [](char c) { return c < ' ' || c > '~'; }, ' ');
    job().tags.push_back(tag.substr(0, kLongestTag));
  }

  void AddComponent(size_t i) {
    ResolvedComponent owner{service_.components[i], "components[" + std::to_string(i) + "].", ""};
    Component& component = owner.component;
    CheckProperties(context_, owner.path, component.configuration.properties);
    owner.artifact_path = component.artifact ? owner.path + "artifact." : "artifact.";
    if (!component.artifact && service_.artifact) component.artifact = service_.artifact;
    if (!component.resource) component.resource = service_.resource;
    Inherit(service_.configuration.properties, component.configuration.properties);
    Inherit(service_.configuration.env, component.configuration.env);
    InheritFiles(service_.configuration.files, component.configuration.files);
    for (const std::string& key : component.without_effect) {
      context_.Note(owner.path + key, "components[]." + key);
    }
    CheckName(owner);
    CheckArtifact(owner);
    jobspec::RoleSpec role;
    role.name = component.name;
    SetResource(owner, role);
    SetInstances(owner, role);
    SetDependencies(owner, role);
    SetRestart(context_, owner, role);
    SetReady(context_, owner, role);
    SetPlacement(context_, owner, role);
    SetCommand(context_, owner, role);
    if (component.number_of_containers == 0) {
      context_.result.notes.push_back({owner.path + "number_of_containers", context_.request.file,
                                       "the component has no containers, so the job has no role for it"});
      return;
    }
    job().roles.push_back(std::move(role));
    components_.push_back(std::move(owner));
  }

  void CheckName(const ResolvedComponent& owner) {
    const std::string& name = owner.component.name;
    if (!IsServiceName(name)) context_.Fail(owner.path + "name", NameFault(name));
    if (!names_.insert(name).second) {
      context_.Fail(owner.path + "name", "another component is also called " + keyfile::Quoted(name) + "; rename one");
    }
  }

  void CheckArtifact(ResolvedComponent& owner) {
    std::optional<Artifact>& artifact = owner.component.artifact;
    if (!artifact) return;
    if (!artifact->uri.empty()) context_.Note(owner.artifact_path + "uri", "artifact.uri");
    if (artifact->type == ArtifactType::kService) {
      context_.Fail(owner.artifact_path + "type",
                    "components of other services cannot be included; copy them from the file of " +
                        keyfile::Quoted(artifact->id));
      artifact.reset();
    } else if (artifact->id.empty()) {
      context_.Fail(owner.artifact_path + "id", "is empty; write the image, or the location of the archive");
      artifact.reset();
    }
  }

  void SetResource(const ResolvedComponent& owner, jobspec::RoleSpec& role) {
    const std::string path = owner.path + "resource";
    if (!owner.component.resource) {
      context_.Fail(path, R"(missing; write for example {"cpus": 1, "memory": "256"})");
      return;
    }
    const Resource& resource = *owner.component.resource;
    if (!resource.profile.empty()) {
      context_.Fail(path + ".profile", "YARN does not support profiles of services; write cpus and memory");
    } else {
      if (!resource.cpus) context_.Fail(path + ".cpus", "missing; write the number of vcores, for example 1");
      if (!resource.memory) context_.Fail(path + ".memory", "missing; write MiB, for example \"256\"");
    }
    role.vcores = resource.cpus.value_or(1);
    role.memory_bytes = int64_t{resource.memory.value_or(1)} << 20;
    for (const auto& [name, additional] : resource.additional) {
      const std::string key = path + ".additional." + name;
      for (const std::string& unused : additional.without_effect) {
        context_.Note(key + "." + unused, "resource.additional.<type>." + unused);
      }
      if (!additional.unit.empty()) {
        context_.Fail(key + ".unit",
                      "Howdah does not convert units; write the value in the unit in which the cluster "
                      "declares the type, and remove unit");
      }
      if (name == "yarn.io/gpu") {
        role.gpus = additional.value;
      } else if (additional.value > 0) {
        role.resources.push_back({name, additional.value});
      }
    }
  }

  void SetInstances(const ResolvedComponent& owner, jobspec::RoleSpec& role) {
    const std::optional<int>& containers = owner.component.number_of_containers;
    if (!containers) {
      context_.Fail(owner.path + "number_of_containers", "missing; write for example 1");
      return;
    }
    role.instances = {std::max(*containers, 1), std::max(*containers, 1)};
    for (const auto& [name, most] : context_.request.maxima) {
      if (name != owner.component.name) continue;
      if (owner.component.restart_policy != RestartPolicy::kAlways) {
        context_.Fail("-max " + name, "only components with restart_policy ALWAYS can be flexed, as in YARN");
      } else if (most < *containers) {
        context_.Fail("-max " + name, std::to_string(most) + " is less than its number_of_containers, which is " +
                                          std::to_string(*containers));
      } else {
        role.instances.max = most;
      }
    }
  }

  void CheckMaxima() {
    for (const auto& [name, most] : context_.request.maxima) {
      if (!names_.contains(name)) UnknownComponent("-max " + name, name);
    }
  }

  void UnknownComponent(const std::string& path, const std::string& name) {
    std::vector<std::string_view> names;
    for (const Component& component : service_.components) names.push_back(component.name);
    const std::string nearest(keyfile::Nearest(name, names));
    context_.Fail(path,
                  "unknown component " + keyfile::Quoted(name) +
                      (nearest.empty() ? "; write the name of a component" : "; did you mean '" + nearest + "'?"));
  }

  void SetDependencies(const ResolvedComponent& owner, jobspec::RoleSpec& role) {
    std::set<std::string> seen;
    for (const std::string& name : owner.component.dependencies) {
      if (!seen.insert(name).second) continue;
      const auto other = std::find_if(service_.components.begin(), service_.components.end(),
                                      [&](const Component& component) { return component.name == name; });
      if (other == service_.components.end()) {
        UnknownComponent(owner.path + "dependencies", name);
        continue;
      }
      if (other->number_of_containers == 0) continue;
      const bool probed = other->readiness_check && other->readiness_check->type != CheckType::kDefault;
      role.after.push_back({name, false, probed});
    }
  }

  // In YARN a failed container of a component that never restarts does not end the others, and the service ends when
  // no container runs any more. So it must not end a service that goes on without it.
  void SetFailurePolicies() {
    const auto& roles = job().roles;
    const bool goes_on = std::any_of(roles.begin(), roles.end(),
                                     [](const jobspec::RoleSpec& role) { return role.restart.always || role.chief; });
    for (jobspec::RoleSpec& role : job().roles) {
      if (role.restart.max == 0 && goes_on && !role.chief) role.on_failure = jobspec::OnFailure::kIgnore;
    }
  }

  void AddQuicklinks() {
    std::set<std::string> known;
    for (const auto& [name, address] : service_.quicklinks) known.insert(name);
    std::map<std::string, std::string> owners;
    for (const ResolvedComponent& owner : components_) {
      for (const std::string& name : owner.component.quicklinks) {
        owners.emplace(name, owner.component.name);
        if (known.contains(name)) continue;
        context_.Fail(owner.path + "quicklinks", "the service has no quick link " + keyfile::Quoted(name) +
                                                     "; add it to quicklinks of the service");
      }
    }
    for (const auto& [name, address] : service_.quicklinks) {
      const std::string component = owners.contains(name) ? owners[name] : "";
      std::set<std::string> unknown;
      std::string link;
      for (const Filled::Piece& piece : context_.constants.Fill(address, component, {}, unknown).pieces) {
        const bool constant = piece.variable && !component.empty();
        if (constant && piece.text == "COMPONENT_ID") {
          link += "0";
        } else if (constant && piece.text == "COMPONENT_INSTANCE_NAME") {
          link += component + "-0";
        } else if (constant && Constants::IsSelf(piece.text)) {
          link += Constants::HostReference(component, 0);
        } else {
          link += piece.variable ? "${" + piece.text + "}" : piece.text;
        }
      }
      result_.quicklinks.emplace_back(name, std::move(link));
    }
  }

  const Service& service_;
  TranslatedService& result_;
  Context context_;
  std::set<std::string> names_;
  std::vector<ResolvedComponent> components_;  // one for each role
};

std::string ProblemText(const keyfile::Problem& problem) {
  if (!problem.key.empty()) return problem.key + ": " + problem.text;
  const std::string excerpt = problem.excerpt.empty() ? "" : "\n" + problem.excerpt;
  return (problem.line > 0 ? "line " + std::to_string(problem.line) + ": " : "") + problem.text + excerpt;
}

std::string ParentOf(const std::string& path) {
  const size_t dot = path.rfind('.');
  return dot == path.npos ? "" : path.substr(0, dot);
}

// Whether a problem only follows from a key that could not be read: it is about the same key or a map around it, or it
// misses a key in a map in which another key is misspelt.
bool Follows(const std::string& problem, const std::vector<keyfile::Problem>& unread) {
  const size_t colon = problem.find(": ");
  if (colon == problem.npos) return false;
  const std::string path = problem.substr(0, colon);
  const bool missing = problem.compare(colon + 2, 7, "missing") == 0;
  return std::any_of(unread.begin(), unread.end(), [&](const keyfile::Problem& other) {
    const bool within = other.key.starts_with(path) && (other.key.size() == path.size() ||
                                                        other.key[path.size()] == '.' || other.key[path.size()] == '[');
    return within || (missing && ParentOf(other.key) == ParentOf(path));
  });
}

}  // namespace

TranslatedService Translate(std::string_view text, const Request& request) {
  TranslatedService result;
  auto contents = ReadService(text, request.file);
  std::vector<std::string>& problems = result.translation.problems;
  const bool unreadable = std::any_of(contents.problems.begin(), contents.problems.end(),
                                      [](const keyfile::Problem& problem) { return problem.key.empty(); });
  const Service& service = contents.value;
  if (unreadable || service.components.size() > kMostComponents) {
    for (const keyfile::Problem& problem : contents.problems) problems.push_back(ProblemText(problem));
    if (service.components.size() > kMostComponents) {
      problems.push_back("components: has " + std::to_string(service.components.size()) + " components; at most " +
                         std::to_string(kMostComponents) + " are possible");
    }
    return result;
  }
  std::map<std::string, int, std::less<>> containers;
  for (const Component& component : service.components) {
    containers.emplace(component.name, component.number_of_containers.value_or(0));
  }
  const Constants constants(request.name.empty() ? service.name : request.name, request.user, std::move(containers));
  Translator(service, request, constants, result).Run();
  std::erase_if(problems, [&](const std::string& problem) { return Follows(problem, contents.problems); });
  std::vector<std::string> found;
  for (const keyfile::Problem& problem : contents.problems) found.push_back(ProblemText(problem));
  problems.insert(problems.begin(), found.begin(), found.end());
  if (problems.size() > kMostProblems) {
    const size_t more = problems.size() - kMostProblems;
    problems.resize(kMostProblems);
    problems.push_back("and " + CountOf(static_cast<int64_t>(more), "more problem"));
  }
  return result;
}

std::string ResolveHosts(const std::string& link,
                         const std::function<std::string(const std::string& role, int index)>& host) {
  return Constants::Link(link, host);
}

}  // namespace howdah::compat::yarnfile
