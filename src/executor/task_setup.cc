#include "task_setup.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "howdah/frameworks/framework.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/os/files/files.h"
#include "remote_start.h"
#include "work_directory.h"

namespace howdah::executor {
namespace {

constexpr size_t kJobFileLimit = size_t{16} << 20;

}  // namespace

TaskSetup::~TaskSetup() {
  if (filling_.joinable()) filling_.join();
}

Status TaskSetup::ReadJob(TaskPlan& plan) {
  HOWDAH_TRY(const std::string text, os::files::ReadFile(plan.options.job_file, kJobFileLimit));
  auto spec = jobspec::ReadEffective(text);
  if (!spec) return spec.error().While("reading " + plan.options.job_file);
  plan.spec = std::move(*spec);
  const auto role = std::find_if(plan.spec.roles.begin(), plan.spec.roles.end(),
                                 [&](const jobspec::RoleSpec& r) { return r.name == plan.options.role; });
  if (role == plan.spec.roles.end()) return Failed("the job has no role '" + plan.options.role + "'");
  plan.task.role = static_cast<int>(role - plan.spec.roles.begin());
  if (frameworks::NeedsTensorboardPort(plan.spec, plan.task)) {
    HOWDAH_TRY(tensorboard_port_, os::process::PortReservation::Reserve());
    // Keep the reservation but stop binding the port, because the server that will bind it may not set SO_REUSEADDR.
    tensorboard_port_->StopHolding();
    plan.tensorboard_port = tensorboard_port_->port();
  }
  plan.remote_start = PlanRemoteStart(plan);
  return {};
}

void TaskSetup::FillWorkDirectory(const TaskPlan& plan, std::function<void(const Status&)> done) {
  if (!HasFiles(plan.spec)) return done(executor::FillWorkDirectory(plan.options, plan.spec));
  filling_ = std::thread([this, &plan, done = std::move(done)] {
    const Status filled = executor::FillWorkDirectory(plan.options, plan.spec);
    boost::asio::post(loop_, [this, filled, done] {
      filling_.join();
      done(filled);
    });
  });
}

}  // namespace howdah::executor
