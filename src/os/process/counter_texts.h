// Parses the texts of the kernel's counters, in /proc, /sys and cgroups. Pure. A text that does not have the expected
// form gives nullopt, never an error.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace howdah::os::process {

// Parses a file that contains one number.
std::optional<int64_t> ParseCount(std::string_view text);

// Returns the number after a key at the beginning of a line, as in "usage_usec 17" or "read_bytes: 17".
std::optional<int64_t> CountAfter(std::string_view text, std::string_view key);

// Parses a file of the kernel's PSI. Returns the total time in which some process has waited for the resource, in
// microseconds. The line is "some avg10=0.00 avg60=0.00 avg300=0.00 total=17".
std::optional<int64_t> ParsePressure(std::string_view text);

struct Traffic {
  uint64_t received = 0, sent = 0;  // bytes
  friend bool operator==(const Traffic&, const Traffic&) = default;
};
// Returns the sum of the interfaces in /proc/net/dev for which `counts` returns true, or nullopt if there is none.
std::optional<Traffic> ParseTraffic(std::string_view text,
                                    const std::function<bool(std::string_view interface)>& counts);

// An established TCP connection to a DataNode of HDFS, which is recognised by its port: 9866 (Hadoop 3), 50010 (Hadoop
// 2) or 1004 (secure clusters).
struct DataNodeConnection {
  uint64_t inode = 0;  // of its socket
  bool local = false;  // the DataNode is on the same node
  friend bool operator==(const DataNodeConnection&, const DataNodeConnection&) = default;
};
// Parses /proc/net/tcp or /proc/net/tcp6.
std::vector<DataNodeConnection> ParseDataNodeConnections(std::string_view text);

// The cgroups of a process: for each hierarchy, the directory with the cgroup's files. A path is empty if the process
// is in no such hierarchy, or if the hierarchy is not mounted.
struct CgroupDirectories {
  std::string unified;       // v2
  std::string cpu, cpuacct;  // v1
  friend bool operator==(const CgroupDirectories&, const CgroupDirectories&) = default;
};
// Parses /proc/self/cgroup and /proc/self/mountinfo. In a container, /proc/self/cgroup may contain paths of the host.
// The directory is then the mount point, which is the container's own cgroup.
CgroupDirectories ParseCgroupDirectories(std::string_view cgroups, std::string_view mounts);

// Returns the process ids in cgroup.procs. The kernel reports id 0 for processes outside this process's pid namespace.
std::vector<int> ParseIds(std::string_view text);

}  // namespace howdah::os::process
