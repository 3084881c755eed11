#include "howdah/compat/slider/translate.h"

#include "translator.h"

namespace howdah::compat::slider {

common::Translation Translator::Run() {
  result_.problems = application_.problems;
  jobspec::JobSpec& job = result_.job;
  job.name = application_.name;
  job.queue = application_.queue;
  FindParts();
  SetMaster();
  AddSource();
  IsTensorflow() ? AddTensorflow() : AddComponents();
  AddEnvironment();
  if (application_.docker) {
    const Option* image = FindOption(application_.app_config.global, "site.global.docker.image");
    if (image == nullptr || image->value.empty()) {
      values_.Fail({application_.app_config.place.file, 0, "global.site.global.docker.image"},
                   "missing, but --docker is given; write the image, or remove the flag");
    } else {
      if (!job.docker) job.docker.emplace();
      job.docker->image = image->value;
    }
  }
  NoteKeys();
  return std::move(result_);
}

common::Translation Translate(const Application& application, const std::function<std::optional<Largest>()>& largest) {
  return Translator(application, largest).Run();
}

}  // namespace howdah::compat::slider
