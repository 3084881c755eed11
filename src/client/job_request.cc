#include "job_request.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "howdah/os/files/files.h"
#include "connection.h"

namespace howdah::cli {
namespace {

// More than a job file may have, so that ParseJobFile is the one to say it is too long.
constexpr size_t kReadLimit = (size_t{1} << 20) + 1;

jobspec::PathKind KindOf(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return jobspec::PathKind::kMissing;
  return S_ISDIR(facts.st_mode) ? jobspec::PathKind::kDirectory : jobspec::PathKind::kFile;
}

std::string DirectoryOf(const std::string& file) {
  const size_t slash = file.rfind('/');
  if (slash == std::string::npos) return CurrentDirectory();
  const std::string directory = slash == 0 ? "/" : file.substr(0, slash);
  return directory.front() == '/' ? directory : CurrentDirectory() + "/" + directory;
}

Result<std::string> ReadText(const std::string& file) {
  const os::files::Fd opened(file == "-" ? dup(STDIN_FILENO) : open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.valid()) {
    Error error = os::files::SystemError("reading the job file " + file);
    error.code = ErrorCode::kUsage;
    if (errno == ENOENT) error.message += "; `howdah init > " + file + "` makes one to start from";
    return error;
  }
  std::string text;
  char buffer[size_t{64} << 10];
  while (text.size() < kReadLimit) {
    const ssize_t size = read(opened.get(), buffer, sizeof buffer);
    if (size == 0) break;
    if (size < 0) return Error{ErrorCode::kUsage, os::files::SystemError("reading the job file " + file).message};
    text.append(buffer, static_cast<size_t>(size));
  }
  return text;
}

Result<std::string> TextOf(const JobArguments& arguments, jobspec::SubmitHost& surroundings) {
  if (!arguments.file.empty()) {
    if (!arguments.quick_flags.empty()) {
      return Error{ErrorCode::kUsage, arguments.quick_flags.front() + " is for jobs without a file; with " +
                                          arguments.file + " use --set, as in --set roles.worker.memory=2GiB"};
    }
    surroundings.file_name = arguments.file;
    surroundings.directory = DirectoryOf(arguments.file);
    return ReadText(arguments.file);
  }
  if (arguments.words.empty()) {
    return Error{ErrorCode::kUsage,
                 "no job: name a job file, as in `howdah run job.yaml`, or a command behind --, as in "
                 "`howdah run --workers 2 -- python train.py`"};
  }
  jobspec::QuickJob quick = arguments.quick;
  quick.command = arguments.words;
  return jobspec::JobFileFor(quick);
}

}  // namespace

jobspec::SubmitHost SurroundingsHere(std::string file_name) {
  jobspec::SubmitHost surroundings;
  surroundings.file_name = std::move(file_name);
  surroundings.directory = CurrentDirectory();
  surroundings.variable = Variable;
  surroundings.path_kind = KindOf;
  return surroundings;
}

Result<jobspec::ParsedJob> ReadJob(const JobArguments& arguments) {
  jobspec::SubmitHost surroundings = SurroundingsHere("command line");
  surroundings.sets = arguments.sets;
  const auto text = TextOf(arguments, surroundings);
  if (!text.ok()) return text.error();
  jobspec::ParsedJob job = jobspec::ParseJobFile(*text, surroundings);
  if (job.problems.empty() && !arguments.file.empty() && !arguments.words.empty()) {
    const Status appended = jobspec::AppendArguments(job.spec, arguments.words);
    if (!appended.ok()) return Error{ErrorCode::kUsage, appended.error().message};
  }
  return job;
}

void TellProblems(const std::vector<jobspec::Problem>& problems) {
  for (const jobspec::Problem& problem : problems) Say(problem.ToText());
}

}  // namespace howdah::cli
