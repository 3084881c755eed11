#include "counter_texts.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "howdah/base/number.h"
#include "howdah/base/text.h"

namespace howdah::os::process {
namespace {

// Removes the first line from `text`, and returns it without its line break.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// Removes the first word from `text`, and returns it.
std::string_view TakeWord(std::string_view& text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  const size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// Parses a number that is not negative, from the beginning of `text` to a blank or the end of the text.
std::optional<int64_t> Count(std::string_view text) {
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool complete = end == text.data() + text.size() || *end == ' ' || *end == '\n' || *end == '\t';
  if (error != std::errc() || !complete || count < 0) return std::nullopt;
  return count;
}

// Whether a comma-separated list contains a word.
bool Lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// Returns the path of the process in the v1 hierarchy with this controller, or in the v2 hierarchy if the controller is
// empty. Lines are "4:cpu,cpuacct:/a/b" and "0::/a/b".
std::optional<std::string_view> PathIn(std::string_view cgroups, std::string_view controller) {
  while (!cgroups.empty()) {
    const std::string_view line = TakeLine(cgroups);
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const bool found = controller.empty() ? controllers.empty() : Lists(controllers, controller);
    if (found) return line.substr(second + 1);
  }
  return std::nullopt;
}

// Parses the port of an address in /proc/net/tcp: "0100007F:268A".
std::optional<int> PortOf(std::string_view address) {
  const size_t colon = address.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return ParseNumber<int>(address.substr(colon + 1), 16);
}

// One mount of a cgroup hierarchy.
struct Mount {
  std::string_view root;  // the cgroup that is mounted
  std::string_view at;
};

// A line of mountinfo is "35 31 0:32 /docker/1 /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory".
// Between the sixth word and the dash there are any number of words.
std::optional<Mount> MountOf(std::string_view mounts, std::string_view controller) {
  while (!mounts.empty()) {
    std::string_view line = TakeLine(mounts);
    const size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    std::string_view after = line.substr(dash + 3);
    const std::string_view type = TakeWord(after);
    if (type != (controller.empty() ? "cgroup2" : "cgroup")) continue;
    TakeWord(after);
    if (!controller.empty() && !Lists(TakeWord(after), controller)) continue;
    for (int i = 0; i < 3; ++i) TakeWord(line);
    const std::string_view root = TakeWord(line);
    return Mount{root, TakeWord(line)};
  }
  return std::nullopt;
}

std::string DirectoryOf(std::string_view cgroups, std::string_view mounts, std::string_view controller) {
  const auto path = PathIn(cgroups, controller);
  const auto mount = MountOf(mounts, controller);
  if (!path || !mount || mount->at.empty()) return "";
  const std::string_view root = mount->root == "/" ? "" : mount->root;
  std::string directory(mount->at);
  const bool below = path->starts_with(root) && (path->size() == root.size() || (*path)[root.size()] == '/');
  if (below && *path != "/") directory += path->substr(root.size());
  return directory;
}

}  // namespace

std::optional<int64_t> ParseCount(std::string_view text) { return Count(Trim(text)); }

std::optional<int64_t> CountAfter(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    if (TakeWord(line) == key) return Count(Trim(line));
  }
  return std::nullopt;
}

std::optional<int64_t> ParsePressure(std::string_view text) {
  constexpr std::string_view kTotal = "total=";
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    if (TakeWord(line) != "some") continue;
    for (std::string_view word = TakeWord(line); !word.empty(); word = TakeWord(line)) {
      if (word.starts_with(kTotal)) return Count(word.substr(kTotal.size()));
    }
  }
  return std::nullopt;
}

// A line is "  eth0: 60393810 1405 0 0 0 0 0 0 68586 769 0 0 0 0 0 0": eight numbers about received data, eight about
// sent data.
std::optional<Traffic> ParseTraffic(std::string_view text,
                                    const std::function<bool(std::string_view interface)>& counts) {
  constexpr int kBetween = 7;  // numbers between the bytes received and the bytes sent
  std::optional<Traffic> sum;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || !counts(Trim(line.substr(0, colon)))) continue;
    line.remove_prefix(colon + 1);
    const auto received = Count(TakeWord(line));
    for (int i = 0; i < kBetween; ++i) TakeWord(line);
    const auto sent = Count(TakeWord(line));
    if (!received || !sent) continue;
    if (!sum) sum.emplace();
    sum->received += static_cast<uint64_t>(*received);
    sum->sent += static_cast<uint64_t>(*sent);
  }
  return sum;
}

// A line is "sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode ...". A
// connection within a node has the same address at both ends.
std::vector<DataNodeConnection> ParseDataNodeConnections(std::string_view text) {
  constexpr int kPorts[] = {9866, 50010, 1004};
  constexpr std::string_view kEstablished = "01";
  std::vector<DataNodeConnection> connections;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    TakeWord(line);
    const std::string_view local = TakeWord(line), remote = TakeWord(line), state = TakeWord(line);
    const auto port = PortOf(remote);
    if (state != kEstablished || !port || std::find(std::begin(kPorts), std::end(kPorts), *port) == std::end(kPorts))
      continue;
    for (int skipped = 0; skipped < 5; ++skipped) TakeWord(line);
    const auto inode = Count(TakeWord(line));
    if (!inode) continue;
    const bool same = local.substr(0, local.find(':')) == remote.substr(0, remote.find(':'));
    connections.push_back({static_cast<uint64_t>(*inode), same});
  }
  return connections;
}

CgroupDirectories ParseCgroupDirectories(std::string_view cgroups, std::string_view mounts) {
  return {DirectoryOf(cgroups, mounts, ""), DirectoryOf(cgroups, mounts, "cpu"),
          DirectoryOf(cgroups, mounts, "cpuacct")};
}

std::vector<int> ParseIds(std::string_view text) {
  std::vector<int> ids;
  while (!text.empty()) {
    if (const auto id = ParseNumber<int>(Trim(TakeLine(text)))) ids.push_back(*id);
  }
  return ids;
}

}  // namespace howdah::os::process
