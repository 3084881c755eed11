// Advice on exceptions whose message does not say what to do about them in a job.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules.h"

namespace howdah::diagnosis {

// Returns "" if there is no advice on this exception.
std::string ExceptionAdvice(const PythonException& exception, const Evidence& e);

// The name of the package on PyPI that contains a module, if it differs from the module's: "scikit-learn" for
// "sklearn.metrics". Returns nullopt for all other modules.
std::optional<std::string> PackageOfModule(std::string_view module);

}  // namespace howdah::diagnosis
