// Ports that are taken, and peers that cannot be reached.
#include <algorithm>
#include <charconv>

#include "rules.h"

namespace howdah::diagnosis {
namespace {

constexpr size_t kRecent = 15;  // lines that may still speak of the end

bool SaysInUse(std::string_view line) {
  // The last is all that gRPC says of it (TensorFlow, JAX).
  for (const std::string_view phrase : {"ddress already in use", "EADDRINUSE", "No address added out of total"}) {
    if (Contains(line, phrase)) return true;
  }
  return Contains(line, "in use") && (Contains(line, "port ") || Contains(line, "Port "));
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Whether the number at text[begin, end) follows a colon as a port does: no time of day, no line of a source file.
bool FollowsAddress(std::string_view text, size_t begin, size_t end) {
  if (begin == 0 || text[begin - 1] != ':') return false;
  const bool goes_on = end + 1 < text.size() && (text[end] == ':' || text[end] == '.') && IsDigit(text[end + 1]);
  const std::string_view before = text.substr(0, begin - 1);
  const bool time = before.size() >= 5 && before[before.size() - 3] == ':' && IsDigit(before.back());
  const std::string_view word = before.substr(before.find_last_of(" ([\"'") + 1);
  const bool source = word.ends_with(".cc") || word.ends_with(".cpp") || word.ends_with(".py") ||
                      word.ends_with(".h") || word.ends_with(".js") || word.ends_with(".go");
  return !goes_on && !time && !source;
}

bool FollowsPort(std::string_view text, size_t begin) {
  const size_t word = text.substr(0, begin).find_last_not_of(" :=(");
  return word != text.npos && begin > word + 1 &&
         (text.substr(0, word + 1).ends_with("port") || text.substr(0, word + 1).ends_with("Port"));
}

// A line of source, as a traceback shows it, that opens a port.
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
    uint16_t port = 0;
    const bool fits = std::from_chars(line.data() + begin, line.data() + end, port).ec == std::errc() && port != 0;
    const bool whole = begin == 0 || (line[begin - 1] != '.' && line[begin - 1] != '"');
    constexpr uint16_t kFirstUnprivileged = 1024;
    const bool is_port = FollowsAddress(line, begin, end) || FollowsPort(line, begin) ||
                         (any_number && whole && port >= kFirstUnprivileged);
    if (fits && is_port && std::find(ports.begin(), ports.end(), port) == ports.end()) ports.push_back(port);
    begin = end;
  }
}

std::vector<uint16_t> PortsIn(const Lines& lines) {
  std::vector<uint16_t> ports;
  for (const std::string& line : lines) {
    if (SaysInUse(line)) AddPorts(line, false, ports);
  }
  for (const std::string& line : lines) {
    if (line.starts_with("    ") && OpensPort(line)) AddPorts(line, true, ports);
  }
  return ports;
}

// The port the failure is about, and its holder where it can be seen.
PortHolder Taken(const Seen& seen) {
  std::vector<uint16_t> named = PortsIn(seen.err);
  const bool says_which = !named.empty();
  if (seen.evidence.reserved_port) named.push_back(*seen.evidence.reserved_port);
  for (const uint16_t port : named) {
    for (const PortHolder& holder : seen.evidence.ports) {
      if (holder.port == port && !holder.process.empty()) return holder;
    }
  }
  return {says_which ? named.front() : uint16_t{0}, ""};
}

// "trying to connect to (n2, 29500)" -> n2:29500
std::string PeerInParentheses(std::string_view text) {
  const size_t open = text.find("connect to (");
  if (open == text.npos) return "";
  std::string_view peer = text.substr(text.find('(', open) + 1);
  peer = peer.substr(0, peer.find(')'));
  const size_t comma = peer.find(", ");
  if (comma == peer.npos) return std::string(peer);
  return std::string(peer.substr(0, comma)) + ":" + std::string(peer.substr(comma + 2));
}

// "[10.0.0.2]:38529" (gloo, c10d) or "10.0.0.2<38529>" (NCCL) -> 10.0.0.2:38529
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

// The name in "The IPv6 network addresses of (no-such-host, 29500) cannot be retrieved (gai error: ...)".
std::string UnknownHost(const Seen& seen) {
  constexpr std::string_view kStart = "network addresses of (";
  for (const std::string_view line : seen.LastOfErr(kRecent)) {
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

// Says it of a text that tells it, if that names the peer.
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
  if (std::none_of(lines.begin(), lines.end(), SaysInUse)) return {};
  return PortsIn(lines);
}

std::optional<core::Diagnosis> AddressInUse(const Seen& seen) {
  const auto last = seen.LastOfErr(kRecent);
  if (std::none_of(last.begin(), last.end(), SaysInUse)) return std::nullopt;
  const PortHolder taken = Taken(seen);
  const std::string port = taken.port == 0 ? "a port" : "port " + std::to_string(taken.port);
  const bool reserved = taken.port != 0 && taken.port == seen.evidence.reserved_port;
  core::Diagnosis d;
  d.cause = "address already in use: " + port + " of " + seen.Host() +
            (taken.process.empty() ? " is taken, by whom cannot be seen from here" : " is taken by " + taken.process) +
            seen.Where();
  d.advice = reserved ? "the port was reserved for this task and something took it all the same; run the job again"
                      : "listen on the port that is reserved for the task, $HOWDAH_PORT, rather than on a fixed one";
  return d;
}

std::optional<core::Diagnosis> NoConnection(const Seen& seen) {
  constexpr std::string_view kAdvice =
      "see whether a firewall lies between the two, and whether the other task was still running";
  const std::string unknown = UnknownHost(seen);
  if (seen.python) {
    const auto broken = BrokenConnection(seen.python->last.message, seen.Host());
    if (!broken) return std::nullopt;
    if (!unknown.empty()) {
      return core::Diagnosis{*broken + ": the name " + unknown + " does not resolve there" + seen.Where(),
                             "give " + unknown + " an address on " + seen.Host()};
    }
    return core::Diagnosis{*broken + ": " + seen.python->last.ToText(), std::string(kAdvice), true};
  }
  const auto lines = seen.LastOfErr(kRecent);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (const auto broken = BrokenConnection(*line, seen.Host())) {
      return core::Diagnosis{*broken + ": " + std::string(Trim(*line)), std::string(kAdvice), true};
    }
  }
  return std::nullopt;
}

}  // namespace howdah::diagnosis
