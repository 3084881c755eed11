#include "words.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace howdah::jobspec {
namespace {

template <typename E>
std::string_view WordOf(const Words<E>& words, E value) {
  for (const auto& [v, word] : words) {
    if (v == value) return word;
  }
  return "";
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The number of insertions, deletions, replacements and swaps of neighbours that turn a into b.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> two_ago, previous(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_ago[j - 2] + 1);
    }
    two_ago = previous;
    std::swap(previous, row);
  }
  return previous[b.size()];
}

// Returns the length of the UTF-8 sequence at the start of the text, or 0 if it is invalid.
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
  const bool too_high = lead == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || too_high ? 0 : length;
}

}  // namespace

const Words<Framework>& FrameworkWords() {
  static const Words<Framework> words = {
      {Framework::kPlain, "plain"}, {Framework::kPytorch, "pytorch"}, {Framework::kTensorflow, "tensorflow"},
      {Framework::kJax, "jax"},     {Framework::kHorovod, "horovod"}, {Framework::kMpi, "mpi"},
      {Framework::kMxnet, "mxnet"}, {Framework::kXgboost, "xgboost"},
  };
  return words;
}

const Words<RoleKind>& RoleKindWords() {
  static const Words<RoleKind> words = {{RoleKind::kWorker, "worker"},
                                        {RoleKind::kService, "service"},
                                        {RoleKind::kSidecar, "sidecar"},
                                        {RoleKind::kSetup, "setup"}};
  return words;
}

const Words<OnFailure>& OnFailureWords() {
  static const Words<OnFailure> words = {{OnFailure::kFail, "fail"},
                                         {OnFailure::kTolerate, "tolerate"},
                                         {OnFailure::kIgnore, "ignore"},
                                         {OnFailure::kIgnoreOthers, "ignore_others"}};
  return words;
}

const Words<Outlive::Then>& OutliveThenWords() {
  static const Words<Outlive::Then> words = {
      {Outlive::Then::kFail, "fail"}, {Outlive::Then::kIgnore, "ignore"}, {Outlive::Then::kService, "service"}};
  return words;
}

const Words<StartMode>& StartModeWords() {
  static const Words<StartMode> words = {{StartMode::kGang, "gang"}, {StartMode::kFree, "free"}};
  return words;
}

const std::vector<std::string_view>& SignalNames() {
  static const std::vector<std::string_view> names = {
      "SIGTERM", "SIGINT",  "SIGHUP",    "SIGUSR1", "SIGUSR2", "SIGQUIT",   "SIGALRM",  "SIGABRT", "SIGBUS", "SIGCHLD",
      "SIGCONT", "SIGFPE",  "SIGILL",    "SIGIO",   "SIGPIPE", "SIGPROF",   "SIGPWR",   "SIGSEGV", "SIGSYS", "SIGTRAP",
      "SIGTSTP", "SIGTTIN", "SIGSTKFLT", "SIGTTOU", "SIGURG",  "SIGVTALRM", "SIGWINCH", "SIGXCPU", "SIGXFSZ"};
  return names;
}

const Words<AdviceCheck>& AdviceCheckWords() {
  static const Words<AdviceCheck> words = {
      {AdviceCheck::kMemoryOver, "memory-over"},
      {AdviceCheck::kMemoryUnder, "memory-under"},
      {AdviceCheck::kRounding, "rounding"},
      {AdviceCheck::kVcoresOver, "vcores-over"},
      {AdviceCheck::kVcoresUnder, "vcores-under"},
      {AdviceCheck::kThreads, "threads"},
      {AdviceCheck::kGpuIdle, "gpu-idle"},
      {AdviceCheck::kGpuGap, "gpu-gap"},
      {AdviceCheck::kInputBound, "input-bound"},
      {AdviceCheck::kGpuLow, "gpu-low"},
      {AdviceCheck::kGpuMemory, "gpu-memory"},
      {AdviceCheck::kGpuSlowdown, "gpu-slowdown"},
      {AdviceCheck::kStraggler, "straggler"},
      {AdviceCheck::kImbalance, "imbalance"},
      {AdviceCheck::kPsBound, "ps-bound"},
      {AdviceCheck::kScaling, "scaling"},
      {AdviceCheck::kSpread, "spread"},
      {AdviceCheck::kQueueWait, "queue-wait"},
      {AdviceCheck::kGangHold, "gang-hold"},
      {AdviceCheck::kLocalization, "localization"},
      {AdviceCheck::kCheckpointNone, "checkpoint-none"},
      {AdviceCheck::kCheckpointInterval, "checkpoint-interval"},
      {AdviceCheck::kRestarts, "restarts"},
      {AdviceCheck::kLost, "lost"},
      {AdviceCheck::kTail, "tail"},
      {AdviceCheck::kShm, "shm"},
      {AdviceCheck::kTimeLimit, "time-limit"},
      {AdviceCheck::kLogFlood, "log-flood"},
      {AdviceCheck::kRemoteReads, "remote-reads"},
      {AdviceCheck::kNotebookIdle, "notebook-idle"},
      {AdviceCheck::kNode, "node"},
  };
  return words;
}

const Words<TokenKind>& TokenKindWords() {
  static const Words<TokenKind> words = {{TokenKind::kHdfs, "hdfs"}, {TokenKind::kKms, "kms"}, {TokenKind::kRm, "rm"}};
  return words;
}

const Words<RestartRule::Then>& RestartThenWords() {
  using Then = RestartRule::Then;
  static const Words<Then> words = [] {
    Words<Then> all;
    for (const Then then : {Then::kFail, Then::kRestart, Then::kRestartFree, Then::kElsewhere}) {
      all.emplace_back(then, ToText(then));
    }
    return all;
  }();
  return words;
}

const std::vector<std::string_view>& KillingSignalNames() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all = SignalNames();
    all.push_back("SIGKILL");
    return all;
  }();
  return names;
}

std::string_view ToText(AdviceCheck c) { return WordOf(AdviceCheckWords(), c); }
std::string_view ToText(Framework f) { return WordOf(FrameworkWords(), f); }
std::string_view ToText(OnFailure f) { return WordOf(OnFailureWords(), f); }
std::string_view ToText(RoleKind k) { return WordOf(RoleKindWords(), k); }

std::vector<std::string_view> FrameworkNames() {
  std::vector<std::string_view> names;
  for (const auto& [framework, name] : FrameworkWords()) names.push_back(name);
  return names;
}

std::optional<Framework> FrameworkFromText(std::string_view word) {
  for (const auto& [framework, name] : FrameworkWords()) {
    if (name == word) return framework;
  }
  return std::nullopt;
}

std::string_view Nearest(std::string_view text, const std::vector<std::string_view>& candidates) {
  constexpr size_t kLongest = 80;  // neither keys of job files nor those of TonY are longer
  if (text.empty() || text.size() > kLongest) return "";
  const std::string lower = LowerCase(text);
  std::string_view best;
  size_t best_distance = 1 + (text.size() <= 2 ? 0 : std::max<size_t>(1, text.size() / 3));
  for (const std::string_view candidate : candidates) {
    const std::string other = LowerCase(candidate);
    const size_t shorter = std::min(lower.size(), other.size());
    const bool begun_alike = lower.compare(0, shorter, other, 0, shorter) == 0;
    const bool ended_alike =
        lower.compare(lower.size() - shorter, shorter, other, other.size() - shorter, shorter) == 0;
    const bool is_part = shorter >= 3 && (begun_alike || ended_alike);
    const size_t distance = is_part ? 1 : EditDistance(lower, other);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower;
}

std::string Printable(std::string_view text, size_t longest) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= longest) return out + "…";
    const size_t length = Utf8Length(text);
    const auto byte = static_cast<uint8_t>(text.front());
    const bool c1 = length == 2 && byte == 0xC2 && static_cast<uint8_t>(text[1]) < 0xA0;
    if (length == 0 || byte < 0x20 || byte == 0x7F || c1) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\x%02x", byte);
      out += byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : hex;
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

std::string Quoted(std::string_view text, size_t longest) { return "'" + Printable(text, longest) + "'"; }

std::string Joined(const std::vector<std::string_view>& parts) {
  std::string joined;
  for (const std::string_view part : parts) {
    if (!joined.empty()) joined += ", ";
    joined += part;
  }
  return joined;
}

size_t FindInvalidUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = Utf8Length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

}  // namespace howdah::jobspec
