// Answers clients' requests about a running job: status, stop, scaling and new tokens.
#pragma once

#include <functional>
#include <string>

#include "howdah/backend/backend.h"
#include "howdah/core/event.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/journal/job_view.h"
#include "howdah/wire/control.pb.h"

namespace howdah::am {

class Control {
 public:
  // spec must live longer than this object. view: returns the current status, with usage. post: receives the events
  // that follow from a request. replace_tokens: as backend::Backend::ReplaceTokens.
  using ReplaceTokens = std::function<Result<backend::Backend::ReplacedTokens>(const std::string& tokens)>;
  Control(const jobspec::JobSpec& spec, std::function<journal::JobView()> view, std::function<void(core::Event)> post,
          ReplaceTokens replace_tokens);

  wire::ControlReply Answer(const wire::ControlRequest& request) const;

 private:
  wire::ControlReply Status() const;
  wire::ControlReply Stop(const wire::StopRequest& request) const;
  wire::ControlReply Scale(const wire::ScaleRequest& request) const;
  wire::ControlReply Renew(const wire::RenewTokensRequest& request) const;

  const jobspec::JobSpec& spec_;
  std::function<journal::JobView()> view_;
  std::function<void(core::Event)> post_;
  ReplaceTokens replace_tokens_;
};

}  // namespace howdah::am
