#include "howdah/backend/yarn/application_report.h"

#include <charconv>

#include "howdah/backend/yarn/container_exit_status.h"
#include "howdah/backend/yarn/launch_refusal.h"
#include "howdah/base/epoch.h"
#include "howdah/base/exit_status.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/yarn/ids.h"

namespace howdah::backend::yarn {
namespace {

using ::hadoop::yarn::ApplicationReportProto;

constexpr std::string_view kHowdahDiagnostics = " with diagnostic message: ";

std::optional<Instant> At(int64_t millis) {
  if (millis <= 0) return std::nullopt;
  return FromMillis(millis);
}

std::optional<int> NumberAfter(const std::string& text, std::string_view word) {
  size_t at = text.find(word);
  if (at == std::string::npos) return std::nullopt;
  at = text.find_first_not_of(' ', at + word.size());
  if (at == std::string::npos) return std::nullopt;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

std::string DescribeExitCode(int code) {
  const std::string_view text = MeaningOf(code).of_am;
  return text.empty() ? DescribeEnd(FromShellCode(code)) : std::string(text);
}

// Returns YARN's own description of the failure: the first line after "Diagnostics: ", without its timestamp.
std::string Detail(const std::string& diagnostics) {
  const std::string mark = "Diagnostics: ";
  size_t at = diagnostics.find(mark);
  if (at == std::string::npos) return "";
  at += mark.size();
  std::string line = diagnostics.substr(at, diagnostics.find('\n', at) - at);
  if (line.starts_with('[')) line.erase(0, line.find(']') + 1);
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  return line;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

int64_t SubmittedMillis(const ApplicationReportProto& report) {
  return report.submittime() > 0 ? report.submittime() : report.starttime();
}

std::string KilledText(const ApplicationReportProto& report) {
  const std::string by = KilledBy(report.diagnostics());
  std::string text = by.empty() ? "killed: " + FirstLine(report.diagnostics()) : "killed by " + by;
  const auto submitted = At(SubmittedMillis(report)), finished = At(report.finishtime());
  if (!submitted || !finished || *finished <= *submitted) return text;
  return text + ", " + FormatDuration(*finished - *submitted) + " after it was submitted";
}

}  // namespace

bool HasEnded(const ApplicationReportProto& report) {
  return report.yarn_application_state() >= ::hadoop::yarn::FINISHED;
}

journal::JobView ViewFromReport(const ApplicationReportProto& report) {
  journal::JobView view;
  view.id = hadoop::yarn::ToText(hadoop::yarn::FromProto(report.applicationid()));
  view.name = report.name();
  view.on = "yarn";
  view.user = report.user();
  view.submitted = At(SubmittedMillis(report));
  view.tracking_url = report.trackingurl() == "N/A" ? "" : report.trackingurl();
  if (HasEnded(report)) {
    const core::JobChanged end = EndFromReport(report);
    view.state = *end.state;
    view.exit_code = end.exit_code;
    view.reason = *end.reason;
    view.finished = At(report.finishtime());
  } else if (report.yarn_application_state() == ::hadoop::yarn::RUNNING) {
    view.state = core::JobState::kRunning;
  }
  return view;
}

core::JobChanged EndFromReport(const ApplicationReportProto& report) {
  core::JobChanged end;
  end.state = core::JobState::kFailed;
  end.exit_code = 1;
  const std::string& diagnostics = report.diagnostics();
  if (report.yarn_application_state() == ::hadoop::yarn::KILLED ||
      report.final_application_status() == ::hadoop::yarn::APP_KILLED) {
    end.state = core::JobState::kKilled;
    end.exit_code = 4;
    end.reason = KilledText(report);
  } else if (report.final_application_status() == ::hadoop::yarn::APP_SUCCEEDED) {
    end.state = core::JobState::kSucceeded;
    end.exit_code = 0;
    end.reason = "";
  } else if (report.yarn_application_state() == ::hadoop::yarn::FINISHED) {
    end.reason = FirstLine(diagnostics);  // the AM set the diagnostics when it unregistered
  } else {
    const std::string how = DescribeAmDeath(diagnostics);
    const int attempt = std::max(1, report.currentapplicationattemptid().attemptid()) - 1;
    end.reason = how.empty() ? "YARN ended the application: " + FirstLine(diagnostics)
                             : "the application master (attempt " + std::to_string(attempt) + ") " + how;
    end.advice = "submit the job again; `howdah status` shows what had run until then";
  }
  return end;
}

std::string KilledBy(const std::string& diagnostics) {
  if (const size_t at = diagnostics.find(kHowdahDiagnostics); at != std::string::npos) {
    return FirstLine(diagnostics.substr(at + kHowdahDiagnostics.size()));
  }
  const std::string mark = " was killed by user ";
  const size_t at = diagnostics.find(mark);
  if (at == std::string::npos) return "";
  std::string by = FirstLine(diagnostics.substr(at + mark.size()));
  if (const size_t on = by.find(" at "); on != std::string::npos) by.replace(on, 4, " on ");
  return by + " with YARN's own tools";
}

std::optional<int> AmExitStatus(const std::string& diagnostics) { return NumberAfter(diagnostics, "exitCode:"); }

std::string DescribeAmDeath(const std::string& diagnostics) {
  if (diagnostics.find("timed out") != std::string::npos && diagnostics.find("ApplicationMaster for") == 0) {
    return "stopped sending heartbeats to the ResourceManager";
  }
  const auto code = AmExitStatus(diagnostics);
  if (!code) return "";
  if (const std::string refusal = FindLaunchRefusal(diagnostics).text; !refusal.empty()) {
    return "could not be started: " + refusal;
  }
  std::string how = DescribeExitCode(*code);
  const std::string detail = Detail(diagnostics);
  const bool says_more = *code <= 0 && !detail.empty();
  return says_more ? how + ": " + detail : how;
}

}  // namespace howdah::backend::yarn
