#include "am_exits.h"

#include <array>
#include <optional>
#include <string_view>

#include "howdah/core/states.h"

namespace howdah::yarnplace {
namespace {

// ContainerExitStatus.
enum : int {
  kInvalid = -1000,
  kAborted = -100,
  kDisksFailed = -101,
  kPreempted = -102,
  kVirtualMemory = -103,
  kPhysicalMemory = -104,
  kByAppMaster = -105,
  kByResourceManager = -106,
  kAfterCompletion = -107,
  kByScheduler = -108,
  kExcessLogs = -109,
};

// "76.0 MB of 64 MB physical memory used": the two amounts before the words.
struct MemoryUse {
  std::string used, allowed;
};
std::optional<MemoryUse> UseOf(std::string_view diagnostics, std::string_view kind) {
  const std::string words = " " + std::string(kind) + " memory used";
  const size_t end = diagnostics.find(words);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view before = diagnostics.substr(0, end);
  const size_t of = before.rfind(" of ");
  if (of == std::string_view::npos) return std::nullopt;
  const std::string_view head = before.substr(0, of);
  const size_t start = head.find_last_of(":;");
  if (start == std::string_view::npos) return std::nullopt;
  const auto amount = [](std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    std::string result(text);
    // Hadoop's units are powers of 1024.
    for (const char* unit : {"KB", "MB", "GB", "TB"})
      if (result.ends_with(unit)) result.replace(result.size() - 1, 1, "iB");
    return result;
  };
  return MemoryUse{amount(head.substr(start + 1)), amount(before.substr(of + 4))};
}

std::string OverMemory(std::string_view diagnostics, std::string_view kind, const std::string& limit) {
  const auto use = UseOf(diagnostics, kind);
  const std::string what = std::string(kind == "physical" ? "" : std::string(kind) + " ") + "memory";
  if (!use) return "its container used more " + what + " than it may (" + limit + ")";
  return "its container used " + use->used + " of " + use->allowed + " of " + what + " (" + limit + ")";
}

// The text without the times that NodeManagers put before each paragraph: "[2026-11-21 18:16:45.123]".
std::string_view WithoutTime(std::string_view line) {
  const size_t end = line.find(']');
  return line.starts_with('[') && end != std::string_view::npos && line.find(':') < end ? line.substr(end + 1) : line;
}

// The first line that has something to say.
std::string FirstWords(std::string_view diagnostics) {
  while (!diagnostics.empty()) {
    const size_t end = diagnostics.find('\n');
    std::string_view line = WithoutTime(diagnostics.substr(0, end));
    while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
    if (!line.empty()) return std::string(line);
    if (end == std::string_view::npos) break;
    diagnostics.remove_prefix(end + 1);
  }
  return "";
}

// The last words of the executor, of which NodeManagers put the end of its stderr into the diagnostics.
std::string LastWords(std::string_view diagnostics) {
  constexpr std::string_view kBefore = "bytes of agent.stderr :";
  const size_t at = diagnostics.rfind(kBefore);
  if (at == std::string_view::npos) return "";
  std::string_view text = diagnostics.substr(at + kBefore.size());
  std::string last;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos && !line.starts_with('[')) last = std::string(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return last;
}

std::string_view Between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  return text.substr(0, text.find(after));
}

// A file that changed or vanished after the job was submitted, and other failures to bring files to the node. Empty:
// the diagnostics speak of none.
std::string LocalizationStory(std::string_view diagnostics) {
  if (const size_t at = diagnostics.find(" changed on src filesystem"); at != std::string_view::npos) {
    const size_t resource = diagnostics.rfind("Resource ", at);
    const std::string_view file =
        resource == std::string_view::npos ? "" : diagnostics.substr(resource + 9, at - resource - 9);
    const std::string_view expected = Between(diagnostics.substr(at), "expected: ", "\"");
    const std::string_view was = Between(diagnostics.substr(at), "was: ", "\"");
    return "the file " + std::string(file) + " changed after the job was submitted: expected time " +
           std::string(expected) + ", now " + std::string(was);
  }
  const std::string_view missing = Between(diagnostics, "File does not exist: ", "\n");
  if (!missing.empty()) return "the file " + std::string(missing) + " is gone since the job was submitted";
  const std::string_view local = Between(diagnostics, "java.io.FileNotFoundException: File ", " does not exist");
  if (!local.empty()) return "the file " + std::string(local) + " is not there on the node";
  if (diagnostics.find("not publicly accessable") != std::string_view::npos ||
      diagnostics.find("FSDownload") != std::string_view::npos ||
      diagnostics.find("ocaliz") != std::string_view::npos) {
    return "its files could not be brought to the node: " + FirstWords(diagnostics);
  }
  return "";
}

ExitStory Negative(int status, const std::string& text, const std::string& node) {
  switch (status) {
    case kAborted:
      if (text.find("lost") != std::string::npos) return {"its node " + node + " was lost", true};
      if (text.find("xpired") != std::string::npos) return {"it was not started in time, so YARN took it back", true};
      return {"YARN took its container back: " + (text.empty() ? "no reason was given" : FirstWords(text)), false};
    case kDisksFailed:
      return {"the disks of its node " + node + " failed", true};
    case kPreempted:
      return {"it was preempted: YARN gave its resources to another application", false};
    case kVirtualMemory:
      return {OverMemory(text, "virtual", "YARN's limit on address space"), false};
    case kPhysicalMemory:
      return {OverMemory(text, "physical", "YARN's limit"), false};
    case kByAppMaster:
      return {"its container was stopped by the application master", false};
    case kByResourceManager:
      return {"its container was killed by the ResourceManager", false};
    case kAfterCompletion:
      return {"its container was ended with the application", false};
    case kByScheduler:
      return {"its container was killed by the NodeManager's scheduler to make room", false};
    case kExcessLogs:
      return {"its container wrote more logs than the NodeManager allows", false};
    default:
      break;
  }
  const std::string files = LocalizationStory(text);
  if (!files.empty()) return {files, true};
  return {"its container could not be started on " + node + ": " + FirstWords(text), true};
}

}  // namespace

ExitStory StoryOf(const hadoop::yarn::ContainerStatusProto& status, const std::string& node) {
  const int code = status.exit_status();
  const std::string text = status.has_diagnostics() ? status.diagnostics() : "";
  if (code == 0) return {};
  if (code < 0) return Negative(code, text, node);
  // A shell's way to say that its child was killed.
  if (code > 128 && code <= 128 + 64 && code != 154) {
    const int signal = code - 128;
    return {"its executor was killed by signal " + std::to_string(signal) + " (" + core::SignalName(signal) + ")",
            false};
  }
  if (code == 154) return {"nothing is known of how its container ended: its NodeManager was restarted", true};
  const std::string files = LocalizationStory(text);
  if (code == 1 && !files.empty()) return {files, true};
  const std::string words = LastWords(text);
  // The executor could not be run at all: the fault of the node, or of the file.
  const bool not_run = code == 126 || code == 127;
  return {"its executor ended with exit code " + std::to_string(code) + (words.empty() ? "" : ": " + words), not_run};
}

std::string WhyNotStarted(const std::string& node, const std::string& why) {
  return "the NodeManager on " + node + " did not start its container: " + why;
}

}  // namespace howdah::yarnplace
