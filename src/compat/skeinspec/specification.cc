#include "howdah/compat/skeinspec/specification.h"

#include <algorithm>
#include <unordered_map>

#include "howdah/jobspec/job_spec.h"
#include "howdah/keyfile/read_file.h"
#include "howdah/keyfile/words.h"
#include "specification_keys.h"

namespace howdah::compat::skeinspec {

using namespace keyfile;

namespace {

using ServiceIndex = std::unordered_map<std::string_view, size_t>;

std::string PathOf(const Service& service, std::string_view key) {
  return "services." + Printable(service.name) + "." + std::string(key);
}

void CheckNames(const Specification& specification, Reader& reader) {
  std::unordered_map<std::string, const Service*> roles;
  for (const Service& service : specification.services) {
    const std::string role = RoleName(service.name);
    const std::string path = "services." + Printable(service.name);
    if (role.size() > jobspec::kLongestRoleName) {
      reader.FailAt(path,
                    "the name has more than " + std::to_string(jobspec::kLongestRoleName) + " characters; shorten it");
    }
    const auto [other, is_new] = roles.emplace(role, &service);
    if (is_new) continue;
    reader.FailAt(path, "would run as the role " + Quoted(role) + ", as the service " + Quoted(other->second->name) +
                            " does, because a role's name has only letters, digits, _ and -; rename one of them");
  }
}

// Returns, for each service, the services on which it depends. Reports unknown names.
std::vector<std::vector<size_t>> Dependencies(const Specification& specification, Reader& reader) {
  ServiceIndex index;
  std::vector<std::string_view> names;
  for (const Service& service : specification.services) {
    index.emplace(service.name, names.size());
    names.push_back(service.name);
  }
  std::vector<std::vector<size_t>> depends(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const Service& service = specification.services[i];
    for (size_t item = 0; item < service.depends.size(); ++item) {
      const auto found = index.find(service.depends[item]);
      if (found != index.end()) {
        depends[i].push_back(found->second);
        continue;
      }
      const std::string near(reader.Suggest(service.depends[item], names));
      reader.FailAt(PathOf(service, "depends"),
                    "unknown service " + Quoted(service.depends[item]) +
                        (near.empty() ? "; write the name of a service of this specification, or remove it"
                                      : "; did you mean " + Quoted(near) + "?"));
    }
  }
  return depends;
}

// Returns the services that can never start, because they depend on a cycle.
std::vector<bool> InCycles(const std::vector<std::vector<size_t>>& depends) {
  std::vector<bool> never(depends.size(), true);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < depends.size(); ++i) {
      const bool waits = std::any_of(depends[i].begin(), depends[i].end(), [&](size_t other) { return never[other]; });
      changed = changed || (never[i] && !waits);
      never[i] = never[i] && waits;
    }
  }
  return never;
}

void CheckOrder(const Specification& specification, Reader& reader) {
  const std::vector<std::vector<size_t>> depends = Dependencies(specification, reader);
  const std::vector<bool> never = InCycles(depends);
  const auto first = std::find(never.begin(), never.end(), true);
  if (first == never.end()) return;
  std::vector<size_t> path;
  for (size_t at = static_cast<size_t>(first - never.begin()); std::count(path.begin(), path.end(), at) == 0;) {
    path.push_back(at);
    at = *std::find_if(depends[at].begin(), depends[at].end(), [&](size_t other) { return never[other]; });
  }
  const size_t last = path.back();
  const size_t closes =
      *std::find_if(depends[last].begin(), depends[last].end(), [&](size_t other) { return never[other]; });
  path.erase(path.begin(), std::find(path.begin(), path.end(), closes));
  constexpr size_t kMostShown = 10;
  std::string cycle;
  for (size_t i = 0; i < path.size() && i < kMostShown; ++i) cycle += specification.services[path[i]].name + " -> ";
  if (path.size() > kMostShown) cycle += "... -> ";
  reader.FailAt(PathOf(specification.services[path.front()], "depends"),
                "the services wait for each other: " + Printable(cycle, cycle.size() + 1) +
                    Printable(specification.services[path.front()].name) + "; remove one of these dependencies");
}

// Instances of a service that starts with none are added through Skein's service.
void CheckInstances(const Specification& specification, Reader& reader) {
  for (const Service& service : specification.services) {
    if (service.instances != 0) continue;
    reader.FailAt(PathOf(service, "instances"),
                  "0 instances are added later through Skein's service, which Howdah does not run; write the number "
                  "that the application needs, or remove the service");
  }
}

void CheckSpecification(const Specification& specification, Reader& reader) {
  const bool unread = reader.WasBad("services") || reader.WasBad("master");
  const bool has_driver = specification.master.script.find_first_not_of(" \t\r\n") != std::string::npos;
  if (specification.services.empty() && !has_driver && !unread) {
    reader.FailAt("services", "the specification has neither services nor master.script; write one of them");
  }
  CheckNames(specification, reader);
  CheckOrder(specification, reader);
  CheckInstances(specification, reader);
}

}  // namespace

bool File::IsArchive() const {
  if (type != FileType::kInferred) return type == FileType::kArchive;
  return source.ends_with(".zip") || source.ends_with(".tar.gz") || source.ends_with(".tgz");
}

std::string RoleName(std::string_view service) {
  const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  std::string role;
  for (const char c : service) {
    const bool allowed = is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
    role += allowed ? c : '-';
  }
  return !role.empty() && is_letter(role.front()) ? role : "service-" + role;
}

Contents<Specification> ReadSpecification(std::string_view text, const Host& host) {
  return ReadFile<Specification>(text, host, SpecificationKeys(), &CheckSpecification);
}

}  // namespace howdah::compat::skeinspec
