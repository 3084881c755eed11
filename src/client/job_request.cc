#include "howdah/client/job_request.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "howdah/client/submitter.h"
#include "howdah/jobspec/start_from.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/machine.h"

namespace howdah::client {
namespace {

// One byte more than the limit for job files, so that ParseJobFile reports a file that is too large.
constexpr size_t kReadLimit = (size_t{1} << 20) + 1;

keyfile::PathKind PathKindOf(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return keyfile::PathKind::kMissing;
  return S_ISDIR(facts.st_mode) ? keyfile::PathKind::kDirectory : keyfile::PathKind::kFile;
}

// current: the current directory.
std::string DirectoryOf(const std::string& file, const std::string& current) {
  const size_t slash = file.rfind('/');
  if (slash == std::string::npos) return current;
  const std::string directory = slash == 0 ? "/" : file.substr(0, slash);
  return directory.front() == '/' ? directory : current + "/" + directory;
}

Result<std::string> ReadText(const std::string& file) {
  const os::files::Fd opened(file == "-" ? dup(STDIN_FILENO) : open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.valid()) {
    Error error = os::files::SystemError("reading the job file " + file);
    error.code = ErrorCode::kUsage;
    if (errno == ENOENT && file.find('.') == std::string::npos) {
      error.message += "; a command follows --, as in `howdah run -- " + file + "`";
    } else if (errno == ENOENT) {
      error.message += "; `howdah init > " + file + "` writes a template";
    }
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

// The interpreter of a script; "" if the name is not that of a script.
std::string InterpreterOf(const std::string& file) {
  if (file.ends_with(".py")) return "python3";
  return file.ends_with(".sh") ? "bash" : "";
}

Result<std::string> TextOf(const JobRequest& request, jobspec::SubmitHost& host) {
  if (!request.file.empty()) {
    if (!request.quick_flags.empty()) {
      return Error{ErrorCode::kUsage, request.quick_flags.front() + " is for jobs without a job file; with " +
                                          request.file + " use --set, for example --set roles.worker.memory=2GiB"};
    }
    if (const std::string interpreter = InterpreterOf(request.file); !interpreter.empty()) {
      return Error{ErrorCode::kUsage, request.file + " is not a job file; a command follows --, as in `howdah run -- " +
                                          interpreter + " " + request.file + "`"};
    }
    host.file_name = request.file;
    host.directory = DirectoryOf(request.file, host.directory);
    return ReadText(request.file);
  }
  if (request.words.empty()) {
    return Error{ErrorCode::kUsage,
                 "no job given; name a job file, as in `howdah run job.yaml`, or write a command after --, as in "
                 "`howdah run --workers 2 -- python train.py`"};
  }
  jobspec::QuickJob quick = request.quick;
  quick.command = request.words;
  return jobspec::JobFileFor(quick);
}

constexpr char kCommandLine[] = "command line";

// Names the option in place of the line and the key of the job file that TextOf has made from the options.
void NameOptions(std::vector<keyfile::Problem>& problems) {
  for (keyfile::Problem& problem : problems) {
    if (problem.file != kCommandLine) continue;
    problem.line = 0;
    const std::string option = jobspec::OptionOf(problem.key);
    if (option.empty()) continue;
    problem.file = option;
    problem.key.clear();
  }
}

}  // namespace

Result<jobspec::SubmitHost> SubmitHostHere(std::string file_name) {
  jobspec::SubmitHost host;
  HOWDAH_TRY(host.directory, os::process::WorkingDirectory());
  host.file_name = std::move(file_name);
  host.variable = Variable;
  host.path_kind = PathKindOf;
  return host;
}

Result<jobspec::ParsedJob> ReadJob(const JobRequest& request) {
  HOWDAH_TRY(jobspec::SubmitHost host, SubmitHostHere(kCommandLine));
  host.sets = request.sets;
  HOWDAH_TRY(const std::string text, TextOf(request, host));
  jobspec::ParsedJob job = jobspec::ParseJobFile(text, host);
  if (request.file.empty()) {
    NameOptions(job.problems);
    NameOptions(job.hints);
  }
  if (job.problems.empty() && !request.file.empty()) {
    HOWDAH_TRY_STATUS(jobspec::AppendArguments(job.spec, request.words));
  }
  if (job.problems.empty() && !request.from.empty()) HOWDAH_TRY_STATUS(jobspec::StartFrom(job.spec, request.from));
  return job;
}

}  // namespace howdah::client
