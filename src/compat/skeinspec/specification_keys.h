// The table of the keys of a specification.
#pragma once

#include "howdah/compat/skeinspec/specification.h"
#include "howdah/keyfile/section.h"

namespace howdah::compat::skeinspec {

const keyfile::Section<Specification>& SpecificationKeys();

}  // namespace howdah::compat::skeinspec
