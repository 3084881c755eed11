#include "howdah/compat/slider/translate.h"

#include "context.h"

namespace howdah::compat::slider {
namespace {

void UseImage(Context& context) {
  const ConfTree& app_config = context.application.app_config;
  const Option* image = FindOption(app_config.global, "site.global.docker.image");
  if (image == nullptr || image->value.empty()) {
    context.values.Fail({app_config.place.file, 0, "global.site.global.docker.image"},
                        "missing, but --docker is given; write the image, or remove the flag");
    return;
  }
  jobspec::JobSpec& job = context.result.job;
  if (!job.docker) job.docker.emplace();
  job.docker->image = image->value;
}

}  // namespace

common::Translation Translate(const Application& application, const std::function<std::optional<Largest>()>& largest) {
  Context context(application, largest);
  context.result.problems = application.problems;
  context.result.job.name = application.name;
  context.result.job.queue = application.queue;
  FindParts(context);
  SetMaster(context);
  AddSource(context);
  IsTensorflow(context) ? AddTensorflow(context) : AddComponents(context);
  AddEnvironment(context);
  if (application.docker) UseImage(context);
  NoteKeys(context);
  return std::move(context.result);
}

}  // namespace howdah::compat::slider
