// `howdah tony`: a job of TonY, translated and then handled as any other.
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "admission.h"
#include "commands.h"
#include "howdah/compat/tony/config/configuration.h"
#include "howdah/compat/tony/config/keys.h"
#include "howdah/compat/tony/config/translate.h"
#include "howdah/os/files/files.h"
#include "howdah/storage/files.h"
#include "job_request.h"
#include "run_job.h"
#include "terminal.h"
#include "tony_notebook.h"

namespace howdah::cli {
namespace {

constexpr char kSiteDirectory[] = "/export/apps/tony/conf";  // TonY's default of $TONY_CONF_DIR

hadoop::conf::Environment HadoopSurroundings() {
  return {.environment = Variable, .user_name = UserName(), .user_home = Variable("HOME").value_or("")};
}

Result<std::string> ReadLocal(const std::string& path) { return os::files::ReadFile(path); }

// tony.xml in the first directory of the class path that has it; Java's class path is the current directory unless
// $CLASSPATH says otherwise.
std::optional<compat::tony::config::ConfigurationFile> OnClassPath() {
  const std::string class_path = Variable("CLASSPATH").value_or("") + ":.";
  for (size_t begin = 0; begin < class_path.size();) {
    const size_t end = std::min(class_path.find(':', begin), class_path.size());
    const std::string directory = class_path.substr(begin, end - begin);
    begin = end + 1;
    if (directory.empty()) continue;
    const std::string path = directory == "." ? "tony.xml" : directory + "/tony.xml";
    if (auto text = ReadLocal(path); text.ok()) return compat::tony::config::ConfigurationFile{path, std::move(*text)};
  }
  return std::nullopt;
}

Result<std::string> ReadUri(Shell& shell, const std::string& uri) {
  const auto place = shell.Place();
  if (!place.ok()) return place.error();
  const auto files = (*place)->OpenFiles(uri);
  if (!files.ok()) return files.error();
  return (*files)->Read(storage::PathOfUri(uri));
}

// The files of a remote directory; none if the URI is a file.
Result<std::vector<std::string>> FilesIn(Shell& shell, std::string uri) {
  while (uri.ends_with('/')) uri.pop_back();
  const auto place = shell.Place();
  if (!place.ok()) return place.error();
  const auto files = (*place)->OpenFiles(uri);
  if (!files.ok()) return files.error();
  const std::string path = storage::PathOfUri(uri);
  const size_t slash = path.rfind('/');
  const auto around = (*files)->List(slash == 0 ? "/" : path.substr(0, slash));
  if (!around.ok()) return around.error().While("looking for " + uri);
  const auto self = std::find_if(around->begin(), around->end(),
                                 [&](const auto& entry) { return entry.name == path.substr(slash + 1); });
  if (self == around->end()) return Error{ErrorCode::kNotFound, "there is no " + uri};
  std::vector<std::string> inside;
  if (!self->directory) return inside;
  const auto list = (*files)->List(path);
  if (!list.ok()) return list.error().While("listing " + uri);
  for (const storage::Files::Entry& entry : *list) {
    if (!entry.directory) inside.push_back(uri + "/" + entry.name);
  }
  return inside;
}

Result<std::vector<compat::tony::config::ConfigurationFile>> ConfigurationFiles(
    Shell& shell, const compat::tony::config::Flags& flags) {
  std::vector<compat::tony::config::ConfigurationFile> files;
  if (flags.conf_file.find("://") != std::string::npos && !flags.conf_file.starts_with("file://")) {
    auto text = ReadUri(shell, flags.conf_file);
    if (!text.ok()) return text.error().While("-conf_file");
    files.push_back({flags.conf_file, std::move(*text)});
  } else if (!flags.conf_file.empty()) {
    const std::string path = flags.conf_file.starts_with("file://") ? flags.conf_file.substr(7) : flags.conf_file;
    auto text = ReadLocal(path);
    if (!text.ok()) return Error{ErrorCode::kUsage, "-conf_file: " + text.error().message};
    files.push_back({path, std::move(*text)});
  } else if (auto file = OnClassPath()) {
    files.push_back(std::move(*file));
  }
  const std::string site = Variable("TONY_CONF_DIR").value_or(kSiteDirectory) + "/tony-site.xml";
  auto text = ReadLocal(site);
  if (!text.ok() && text.error().code != ErrorCode::kNotFound) return text.error();
  if (text.ok()) files.push_back({site, std::move(*text)});
  return files;
}

compat::tony::config::Facts FactsHere(Shell& shell, const std::string& on) {
  const jobspec::SubmitHost here = SurroundingsHere("");
  compat::tony::config::Facts facts;
  facts.directory = here.directory;
  facts.path_kind = here.path_kind;
  facts.on_cluster = on == "yarn";
  facts.executable = [](const std::string& path) { return access(path.c_str(), X_OK) == 0; };
  facts.list = [&shell](const std::string& uri) { return FilesIn(shell, uri); };
  return facts;
}

// The translated job is read as the job file that it is, so that all that is wrong with it is found where it is found
// of any other.
jobspec::ParsedJob Checked(const compat::tony::config::Translation& translation) {
  jobspec::SubmitHost surroundings = SurroundingsHere("tony");
  surroundings.variable = nullptr;  // it names none
  jobspec::ParsedJob job = jobspec::ParseJobFile(jobspec::WriteEffective(translation.job), surroundings);
  std::vector<jobspec::Problem> problems;
  for (const std::string& text : translation.problems) {
    jobspec::Problem problem;
    problem.file = "tony";
    problem.text = text;
    problems.push_back(std::move(problem));
  }
  for (jobspec::Problem& problem : job.problems) {
    problem.line = 0;  // nobody has seen the lines
    problems.push_back(std::move(problem));
  }
  job.problems = std::move(problems);
  return job;
}

// Names what has no effect: every key with its reason, or all of them in one line.
void TellNotes(const std::vector<compat::tony::config::Note>& notes, bool with_reasons) {
  std::string names;
  for (const compat::tony::config::Note& note : notes) {
    if (with_reasons) Say("howdah: " + note.ToText());
    names += (names.empty() ? "" : ", ") + note.key;
  }
  if (names.empty() || with_reasons) return;
  Say("howdah: without effect: " + names + "; `howdah tony … -plan` says why");
}

void PrintJob(const jobspec::JobSpec& job, const std::vector<compat::tony::config::Note>& notes) {
  std::string text;
  for (const compat::tony::config::Note& note : notes) text += "# " + note.ToText() + "\n";
  Print(text + jobspec::DescribeEffective(job));
}

}  // namespace

int TonyCommand(Shell& shell, const Arguments& arguments) {
  const auto flags = compat::tony::config::ParseFlags(arguments.words);
  if (!flags.ok()) return Report(flags.error());
  if (flags->help) {
    Print(compat::tony::config::FlagsHelp());
    return kExitOk;
  }
  if (flags->keys) {
    Print(compat::tony::config::KeysPage());
    return kExitOk;
  }
  const std::string on = !flags->on.empty()                                            ? flags->on
                         : flags->submitter == compat::tony::config::Submitter::kLocal ? "local"
                                                                                       : "yarn";
  shell.SetOn(on);
  const auto files = ConfigurationFiles(shell, *flags);
  if (!files.ok()) return Report(files.error());
  const auto configuration = compat::tony::config::ReadConfiguration(*flags, *files, HadoopSurroundings(), ReadLocal);
  if (!configuration.ok()) return Report(configuration.error());
  const compat::tony::config::Translation translation =
      compat::tony::config::Translate(*flags, *configuration, FactsHere(shell, on));
  jobspec::ParsedJob job = Checked(translation);
  if (!job.problems.empty()) {
    TellProblems(job.problems);
    return kExitUsage;
  }
  if (flags->print_job) {
    PrintJob(job.spec, translation.notes);
    return kExitOk;
  }
  TellNotes(translation.notes, flags->plan);
  if (flags->plan) return ShowPlan(shell, job, flags->json);
  const auto admitted = Admit(shell, std::move(job));
  if (const int* code = std::get_if<int>(&admitted)) return *code;
  RunOptions options{flags->keep, flags->json, nullptr};
  TonyNotebook notebook;
  if (flags->submitter == compat::tony::config::Submitter::kNotebook) {
    options.on_status = [&](backend::Cluster& place, const JobId& id, const journal::JobView& view) {
      return notebook.OnStatus(place, id, view);
    };
  }
  return RunJob(shell, std::get<jobspec::JobSpec>(admitted), options);
}

}  // namespace howdah::cli
