#include "words.h"

namespace howdah::jobspec {

using keyfile::Words;

namespace {

template <typename E>
std::string_view WordOf(const Words<E>& words, E value) {
  for (const auto& [v, word] : words) {
    if (v == value) return word;
  }
  return "";
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

const Words<FeedSplit>& FeedSplitWords() {
  static const Words<FeedSplit> words = {
      {FeedSplit::kEqual, "equal"}, {FeedSplit::kDynamic, "dynamic"}, {FeedSplit::kAll, "all"}};
  return words;
}

const Words<FeedRemainder>& FeedRemainderWords() {
  static const Words<FeedRemainder> words = {
      {FeedRemainder::kDrop, "drop"}, {FeedRemainder::kShort, "short"}, {FeedRemainder::kRepeat, "repeat"}};
  return words;
}

const Words<FeedChanged>& FeedChangedWords() {
  static const Words<FeedChanged> words = {{FeedChanged::kFail, "fail"}, {FeedChanged::kAccept, "accept"}};
  return words;
}

const Words<FeedFormat>& FeedFormatWords() {
  static const Words<FeedFormat> words = {{FeedFormat::kParquet, "parquet"},
                                          {FeedFormat::kArrow, "arrow"},
                                          {FeedFormat::kCsv, "csv"},
                                          {FeedFormat::kTfrecord, "tfrecord"}};
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
std::string_view ToText(FeedFormat f) { return WordOf(FeedFormatWords(), f); }
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

}  // namespace howdah::jobspec
