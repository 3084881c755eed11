#include "name_node_errors.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "howdah/base/bytes.h"

namespace howdah::hadoop::hdfs {
namespace {

constexpr std::string_view kNameNode = "org.apache.hadoop.hdfs.server.namenode.";
constexpr std::string_view kProtocol = "org.apache.hadoop.hdfs.protocol.";

bool Is(const Error& error, std::string_view package, std::string_view name) {
  return error.remote_class == std::string(package) + std::string(name);
}

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

// The text between `before` and `behind`. Returns nullopt if `text` does not contain them.
std::optional<std::string> Between(std::string_view text, std::string_view before, std::string_view behind) {
  size_t begin = text.find(before);
  if (begin == std::string_view::npos) return std::nullopt;
  begin += before.size();
  const size_t end = text.find(behind, begin);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(begin, end - begin));
}

// The number that follows `before` in the text, as in "quota = 1048576 B".
std::optional<int64_t> NumberAfter(std::string_view text, std::string_view before) {
  const size_t at = text.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + before.size());
  text.remove_prefix(std::min(text.find_first_not_of(" ="), text.size()));
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

constexpr const char* kQuotaAdvice = "; remove files there, or ask for more: hdfs dfsadmin ";

// Explains "The NameSpace quota (directories and files) of directory /q is exceeded: quota=3 file count=4".
std::optional<std::string> NamespaceQuota(std::string_view message) {
  const auto directory = Between(message, "of directory ", " is exceeded");
  const auto allowed = NumberAfter(message, "quota="), used = NumberAfter(message, "file count=");
  if (!directory || !allowed || !used) return std::nullopt;
  return "the directory " + *directory + " may hold " + std::to_string(*allowed) +
         " files and directories (its name quota), and this would make " + std::to_string(*used) + kQuotaAdvice +
         "-setQuota";
}

// Explains
// "The DiskSpace quota of /q is exceeded: quota = 1048576 B = 1 MB but diskspace consumed = 268435456 B = 256 MB".
std::optional<std::string> SpaceQuota(std::string_view message) {
  const auto directory = Between(message, "quota of ", " is exceeded");
  const auto allowed = NumberAfter(message, "quota ="), used = NumberAfter(message, "consumed =");
  if (!directory || !allowed || !used) return std::nullopt;
  return "the directory " + *directory + " may hold " + FormatBytes(*allowed) +
         ", replicas included (its space quota), and this would make " + FormatBytes(*used) + kQuotaAdvice +
         "-setSpaceQuota";
}

// Explains "Name node is in safe mode.", followed by the reason on further lines.
std::string SafeMode(std::string_view message) {
  std::string why;
  if (const size_t line = message.find('\n'); line != std::string_view::npos) {
    why = FirstLine(message.substr(line + 1));
  }
  if (why.starts_with("It was turned on manually")) why = "it was turned on by hand";
  while (why.ends_with(' ') || why.ends_with('.')) why.pop_back();
  return "HDFS is in safe mode and rejects changes" + (why.empty() ? "" : " (" + why + ")") +
         "; wait until it leaves safe mode, or ask its administrator: hdfs dfsadmin -safemode leave";
}

}  // namespace

bool IsNotReplicatedYet(const Error& error) { return Is(error, kNameNode, "NotReplicatedYetException"); }

bool IsWithoutDataNodes(const Error& error) {
  return !error.remote_class.empty() && error.message.find("could only be written to ") != std::string::npos;
}

Error ExplainWithoutDataNodes(const Error& error, const ClusterSpace* space) {
  Error explained = error;
  explained.code = ErrorCode::kUnavailable;
  std::string text = "HDFS has no DataNode that can take a block";
  if (space != nullptr && space->capacity > 0) {
    text += ": it has " + FormatBytes(space->capacity) + " in total, uses " + FormatBytes(space->used) + ", and has " +
            FormatBytes(space->remaining) + " left";
  }
  const size_t there = error.message.find("There are ");
  if (there != std::string::npos) {
    std::string counts(FirstLine(std::string_view(error.message).substr(there)));
    while (counts.ends_with('.')) counts.pop_back();
    text += " (t" + counts.substr(1) + ")";
  }
  explained.message = text + "; its DataNodes are full, down, or cannot be reached from here: hdfs dfsadmin -report";
  return explained;
}

Error Explain(const Error& error) {
  if (error.remote_class.empty()) return error;
  const std::string_view message = error.message;
  Error explained = error;
  if (error.remote_class == "java.io.FileNotFoundException") explained.code = ErrorCode::kNotFound;
  if (Is(error, kNameNode, "SafeModeException")) {
    explained.code = ErrorCode::kUnavailable;
    explained.message = SafeMode(message);
  }
  if (Is(error, kProtocol, "NSQuotaExceededException")) {
    explained.code = ErrorCode::kUnavailable;
    explained.message = NamespaceQuota(message).value_or(std::string(FirstLine(message)));
  }
  if (Is(error, kProtocol, "DSQuotaExceededException")) {
    explained.code = ErrorCode::kUnavailable;
    explained.message = SpaceQuota(message).value_or(std::string(FirstLine(message)));
  }
  return explained;
}

}  // namespace howdah::hadoop::hdfs
