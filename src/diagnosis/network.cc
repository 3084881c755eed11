// Ports in use, and peers that cannot be reached.
#include <algorithm>

#include "howdah/base/number.h"
#include "rules.h"

namespace howdah::diagnosis {
namespace {

constexpr size_t kRecent = 15;  // number of last lines that are searched

bool MentionsInUse(std::string_view line) {
  // "No address added" is the only message that gRPC (in TensorFlow and JAX) prints when a port is in use.
  for (const std::string_view phrase : {"ddress already in use", "EADDRINUSE", "No address added out of total"}) {
    if (Contains(line, phrase)) return true;
  }
  return Contains(line, "in use") && (Contains(line, "port ") || Contains(line, "Port "));
}

// Whether a program that logs this line has found another port, and goes on: Dask ("UserWarning: Port 8787 is already
// in use") and Jupyter ("The port 8888 is already in use, trying another port") do.
bool GoesOn(std::string_view line) {
  return Contains(line, "Warning:") || Contains(line, "rying another port") ||
         (Contains(line, "sing ") && Contains(line, " instead"));
}

bool ReportsInUse(std::string_view line) { return MentionsInUse(line) && !GoesOn(line); }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Whether the number at text[begin, end) follows a colon and can be a port: it is neither part of a time of day nor a
// line number of a source file.
bool FollowsAddress(std::string_view text, size_t begin, size_t end) {
  if (begin == 0 || text[begin - 1] != ':') return false;
  const bool continues = end + 1 < text.size() && (text[end] == ':' || text[end] == '.') && IsDigit(text[end + 1]);
  const std::string_view before = text.substr(0, begin - 1);
  const bool time = before.size() >= 5 && before[before.size() - 3] == ':' && IsDigit(before.back());
  const std::string_view word = before.substr(before.find_last_of(" ([\"'") + 1);
  const bool source = word.ends_with(".cc") || word.ends_with(".cpp") || word.ends_with(".py") ||
                      word.ends_with(".h") || word.ends_with(".js") || word.ends_with(".go");
  return !continues && !time && !source;
}

bool FollowsPort(std::string_view text, size_t begin) {
  const size_t word = text.substr(0, begin).find_last_not_of(" :=(");
  return word != text.npos && begin > word + 1 &&
         (text.substr(0, word + 1).ends_with("port") || text.substr(0, word + 1).ends_with("Port"));
}

// Whether the number at `begin` follows a host in a Python tuple, as in "bind on address ('127.0.0.1', 8080)".
bool FollowsHostInTuple(std::string_view text, size_t begin) { return text.substr(0, begin).ends_with("', "); }

// Whether a line of source in a traceback opens a port.
bool OpensPort(std::string_view line) {
  for (const std::string_view call : {"bind(", "listen(", "Server(", "Store(", "serve("}) {
    if (Contains(line, call)) return true;
  }
  return false;
}

void AddPorts(std::string_view line, bool any_number, std::vector<uint16_t>& ports) {
  for (size_t begin = 0; begin < line.size();) {
    if (!IsDigit(line[begin])) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < line.size() && IsDigit(line[end])) ++end;
    const uint16_t port = ParseNumber<uint16_t>(line.substr(begin, end - begin)).value_or(0);
    const bool whole = begin == 0 || (line[begin - 1] != '.' && line[begin - 1] != '"');
    constexpr uint16_t kFirstUnprivileged = 1024;
    const bool is_port = FollowsAddress(line, begin, end) || FollowsPort(line, begin) ||
                         FollowsHostInTuple(line, begin) || (any_number && whole && port >= kFirstUnprivileged);
    if (port != 0 && is_port && std::find(ports.begin(), ports.end(), port) == ports.end()) ports.push_back(port);
    begin = end;
  }
}

std::vector<uint16_t> PortsIn(const Lines& lines) {
  std::vector<uint16_t> ports;
  for (const std::string& line : lines) {
    if (ReportsInUse(line)) AddPorts(line, false, ports);
  }
  for (const std::string& line : lines) {
    if (line.starts_with("    ") && OpensPort(line)) AddPorts(line, true, ports);
  }
  return ports;
}

// Returns the port of the failure, and the process that listens on it if that process is visible.
PortHolder PortInUse(const Failure& failure) {
  std::vector<uint16_t> named = PortsIn(failure.err);
  const bool port_named = !named.empty();
  if (failure.evidence.reserved_port) named.push_back(*failure.evidence.reserved_port);
  for (const uint16_t port : named) {
    for (const PortHolder& holder : failure.evidence.ports) {
      if (holder.port == port && !holder.process.empty()) return holder;
    }
  }
  return {port_named ? named.front() : uint16_t{0}, ""};
}

// Returns the peer, n2:29500, in "trying to connect to (n2, 29500)".
std::string PeerInParentheses(std::string_view text) {
  const size_t open = text.find("connect to (");
  if (open == text.npos) return "";
  std::string_view peer = text.substr(text.find('(', open) + 1);
  peer = peer.substr(0, peer.find(')'));
  const size_t comma = peer.find(", ");
  if (comma == peer.npos) return std::string(peer);
  return std::string(peer.substr(0, comma)) + ":" + std::string(peer.substr(comma + 2));
}

// Returns the peer, 10.0.0.2:38529, in "[10.0.0.2]:38529" (gloo, c10d) or "10.0.0.2<38529>" (NCCL).
std::string PeerInBrackets(std::string_view text) {
  if (const size_t middle = text.find("]:"); middle != text.npos) {
    const size_t open = text.rfind('[', middle);
    const size_t end = std::min(text.find_first_not_of("0123456789", middle + 2), text.size());
    if (open != text.npos && end > middle + 2) {
      return std::string(text.substr(open + 1, middle - open - 1)) + ":" +
             std::string(text.substr(middle + 2, end - middle - 2));
    }
  }
  const size_t open = text.find('<'), close = text.find('>', open);
  if (open == text.npos || close == text.npos || open + 1 >= text.size() || !IsDigit(text[open + 1])) return "";
  const size_t begin = text.substr(0, open).rfind(' ') + 1;
  return std::string(text.substr(begin, open - begin)) + ":" + std::string(text.substr(open + 1, close - open - 1));
}

// Returns the name in "The IPv6 network addresses of (no-such-host, 29500) cannot be retrieved (gai error: ...)".
std::string UnknownHost(const Failure& failure) {
  constexpr std::string_view kStart = "network addresses of (";
  for (const std::string_view line : failure.LastErrLines(kRecent)) {
    const size_t at = line.find(kStart);
    if (at == line.npos || !Contains(line, "cannot be retrieved")) continue;
    const std::string_view name = line.substr(at + kStart.size());
    return std::string(name.substr(0, name.find_first_of(",)")));
  }
  return "";
}

struct Broken {
  std::string_view phrase, verb;
};
constexpr Broken kBroken[] = {{"trying to connect to (", "could not connect to"},
                              {"Connection refused", "could not connect to"},
                              {"onnection timed out", "could not connect to"},
                              {"Connection reset by peer", "lost its connection to"},
                              {"Connection closed by peer", "lost its connection to"}};

// Returns the peer of the broken connection. Returns nullopt if the text mentions no broken connection or does not name
// the peer.
std::optional<std::string> BrokenConnection(std::string_view text, const std::string& host) {
  for (const Broken& broken : kBroken) {
    if (!Contains(text, broken.phrase)) continue;
    std::string peer = PeerInParentheses(text);
    if (peer.empty()) peer = PeerInBrackets(text);
    if (!peer.empty()) return host + " " + std::string(broken.verb) + " " + peer;
  }
  return std::nullopt;
}

}  // namespace

std::vector<uint16_t> PortsNamedIn(std::string_view text) {
  const Lines lines = CleanLines(text);
  if (std::none_of(lines.begin(), lines.end(), ReportsInUse)) return {};
  return PortsIn(lines);
}

std::optional<core::Diagnosis> FindAddressInUse(const Failure& failure) {
  const auto last = failure.LastErrLines(kRecent);
  if (std::none_of(last.begin(), last.end(), ReportsInUse)) return std::nullopt;
  const PortHolder holder = PortInUse(failure);
  const std::string port = holder.port == 0 ? "a port" : "port " + std::to_string(holder.port);
  const bool reserved = holder.port != 0 && holder.port == failure.evidence.reserved_port;
  core::Diagnosis d;
  d.cause = "address already in use: " + port + " on " + failure.Host() +
            (holder.process.empty() ? " is held by a process that is not visible to this user"
                                    : " is held by " + holder.process) +
            failure.Location();
  d.advice = reserved ? "the port was reserved for this task, but another process took it; run the job again"
                      : "listen on the port that is reserved for the task, $HOWDAH_PORT, instead of a fixed port";
  return d;
}

std::optional<core::Diagnosis> FindBrokenConnection(const Failure& failure) {
  constexpr std::string_view kAdvice =
      "check for a firewall between the two nodes, and whether the other task was still running";
  const std::string unknown = UnknownHost(failure);
  if (failure.python) {
    const auto broken = BrokenConnection(failure.python->last.message, failure.Host());
    if (!broken) return std::nullopt;
    if (!unknown.empty()) {
      return core::Diagnosis{
          *broken + ": the name " + unknown + " does not resolve on " + failure.Host() + failure.Location(),
          "add " + unknown + " to DNS, or to /etc/hosts of " + failure.Host()};
    }
    return core::Diagnosis{*broken + ": " + failure.python->last.ToText(), std::string(kAdvice), true};
  }
  const auto lines = failure.LastErrLines(kRecent);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (const auto broken = BrokenConnection(*line, failure.Host())) {
      return core::Diagnosis{*broken + ": " + std::string(Trim(*line)), std::string(kAdvice), true};
    }
  }
  return std::nullopt;
}

}  // namespace howdah::diagnosis
