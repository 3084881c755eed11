// The right to read a job's status page.
#pragma once

#include <functional>
#include <string>

namespace howdah::backend {

// Decides who may read the status page. Used on the loop's thread only.
class PageReaders {
 public:
  virtual ~PageReaders() = default;
  // Calls `answer` on the loop, immediately or later, with the reason of the refusal, or with "" if the user may read
  // the page. After this object is destroyed, `answer` is not called.
  virtual void Check(const std::string& user, std::function<void(std::string refusal)> answer) = 0;
};

}  // namespace howdah::backend
