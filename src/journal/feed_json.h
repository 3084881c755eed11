// Feeds as JSON.
#pragma once

#include <vector>

#include "howdah/journal/feed_view.h"
#include "json_fields.h"

namespace howdah::journal {

Json FeedsJson(const std::vector<FeedView>& feeds);
// Reads the field `feeds` of a status. Leaves out what is not a feed.
std::vector<FeedView> FeedsField(const Json& status);

}  // namespace howdah::journal
