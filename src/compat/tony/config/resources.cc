// The files of the working directory, the environment, and the image.
#include <algorithm>
#include <utility>

#include "translator.h"

namespace howdah::compat::tony::config {
namespace {

std::string BaseName(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

bool EndsWithIgnoringCase(const std::string& text, std::string_view end) {
  if (text.size() < end.size()) return false;
  return std::equal(end.begin(), end.end(), text.end() - static_cast<ptrdiff_t>(end.size()),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b); });
}

void Set(jobspec::EnvVars& env, const std::string& name, const std::string& value) {
  const auto at = std::find_if(env.begin(), env.end(), [&](const auto& variable) { return variable.first == name; });
  if (at != env.end()) {
    at->second = value;
  } else {
    env.emplace_back(name, value);
  }
}

void SetAll(jobspec::EnvVars& env, const std::vector<std::string>& items) {
  for (const std::string& item : items) {
    const size_t equals = std::min(item.find('='), item.size());
    Set(env, item.substr(0, equals), equals == item.size() ? "" : item.substr(equals + 1));
  }
}

}  // namespace

void Translator::AddFiles() {
  jobspec::JobSpec& job = result_.job;
  job.source = Absolute(flags_.src_dir, facts_.directory);
  if (!flags_.python_venv.empty()) {
    job.files.push_back({Absolute(flags_.python_venv, facts_.directory), "venv", true});
  }
  AddResources("tony.containers.resources", job.files);
  for (const std::string& type : types_) {
    if (jobspec::RoleSpec* role = Find(type)) AddResources("tony." + type + ".resources", role->files);
  }
  // In TonY the AM runs the preprocessing and the task of a job without roles. So the AM's resources apply to both.
  const std::string of_am = "tony.am.resources";
  if (jobspec::RoleSpec* role = types_.empty() ? &job.roles.front() : Find(kPreprocess)) {
    AddResources(of_am, role->files);
  } else if (values_.IsSet(of_am)) {
    Note(of_am, "the application master runs no command that could use them");
  }
}

void Translator::AddResources(const std::string& key, std::vector<jobspec::File>& to) {
  for (const std::string& item : values_.List(key).value_or(std::vector<std::string>())) AddResource(key, item, to);
}

// Parses SOURCE[::NAME][#archive].
void Translator::AddResource(const std::string& key, const std::string& item, std::vector<jobspec::File>& to) {
  constexpr std::string_view kArchive = "#archive";
  jobspec::File file;
  std::string text = item;
  if (EndsWithIgnoringCase(text, kArchive)) {
    file.unpack = true;
    text.resize(text.size() - kArchive.size());
  }
  const size_t name = text.rfind("::");
  if (name != text.npos) {
    file.to = text.substr(name + 2);
    text.resize(name);
  }
  file.from = Absolute(text, facts_.directory);
  if (file.to.empty()) file.to = BaseName(file.from);
  if (file.from.starts_with("file://")) file.from.erase(0, 7);
  if (!IsUri(file.from)) {
    const keyfile::PathKind kind = facts_.path_kind(file.from);
    if (kind == keyfile::PathKind::kMissing) values_.Fail(key, "no such file or directory: " + file.from);
    if (kind == keyfile::PathKind::kDirectory) file.unpack = false;  // TonY packs directories and unpacks them again
    AddFile(std::move(file), to);
    return;
  }
  if (file.unpack) {
    AddFile(std::move(file), to);
    return;
  }
  const Result<std::vector<std::string>> inside = facts_.list(file.from);
  if (!inside.ok()) values_.Fail(key, inside.error().message);
  if (!inside.ok() || inside->empty()) {
    AddFile(std::move(file), to);
    return;
  }
  for (const std::string& uri : *inside) AddFile({uri, BaseName(uri), false}, to);
}

void Translator::AddFile(jobspec::File file, std::vector<jobspec::File>& to) {
  for (const std::vector<jobspec::File>* files : {&std::as_const(result_.job.files), &std::as_const(to)}) {
    if (std::find(files->begin(), files->end(), file) != files->end()) return;
  }
  to.push_back(std::move(file));
}

void Translator::AddEnvironment() {
  jobspec::EnvVars& env = result_.job.env;
  SetAll(env, values_.List("tony.containers.envs").value_or(std::vector<std::string>()));
  for (const auto& [name, value] : flags_.container_env) Set(env, name, value);
  SetAll(env, values_.List("tony.execution.envs").value_or(std::vector<std::string>()));
  for (const auto& [name, value] : flags_.shell_env) Set(env, name, value);
  // TonY adds the directory to tony.execution.envs. Howdah does so itself for a TensorBoard that it manages.
  const std::string logdir = values_.Text("tony.application.tensorboard-log-dir");
  if (!logdir.empty() && result_.job.tensorboard_logdir.empty()) Set(env, "TB_LOG_DIR", logdir);
}

void Translator::AddDocker() {
  if (!values_.Bool("tony.docker.enabled", false)) return;
  const std::string of_all = "tony.docker.containers.image";
  jobspec::Docker docker;
  docker.image = values_.Text(of_all);
  for (jobspec::RoleSpec& role : result_.job.roles) {
    // TonY runs the task of a job without roles, and the preprocessing, in the AM with the AM's image.
    const bool of_am = types_.empty() || role.name == kPreprocess;
    const std::string key = "tony.docker." + (of_am ? "am" : role.name) + ".image";
    const std::string image = values_.Text(key, values_.Text(of_all));
    if (image.empty()) values_.Fail("tony.docker.enabled is true, but no image is set; set " + of_all + " or " + key);
    if (docker.image.empty()) docker.image = image;
    if (image != docker.image) role.image = image;
  }
  if (docker.image.empty()) return;
  for (std::string mount : values_.List("tony.docker.containers.mount").value_or(std::vector<std::string>())) {
    if (std::count(mount.begin(), mount.end(), ':') == 1) mount += ":rw";
    docker.mounts.push_back(std::move(mount));
  }
  result_.job.docker = std::move(docker);
}

}  // namespace howdah::compat::tony::config
