// The exclude file of the ResourceManager (yarn.resourcemanager.nodes.exclude-path): hosts that may not run containers.
// A file whose name ends in ".xml" has a timeout for each host. (org.apache.hadoop.util.HostsFileReader) Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::autoscale {

enum class ExcludeFormat { kPlain, kXml };

// Returns the text with these hosts as the only entries of the autoscaler; entries of others stay. own: the hosts that
// the autoscaler may have written before, and may therefore remove. A host that others have entered is not entered
// again. timeouts: for each host that is to be excluded; kPlain ignores the times. Returns kUsage if the text is not
// valid XML, or has another root element than <hosts>. "" stands for an empty file of either format.
Result<std::string> WithExcluded(std::string_view text, ExcludeFormat format, const std::set<std::string>& own,
                                 const std::map<std::string, Duration>& timeouts);

// The hosts in the file. Errors as above.
Result<std::set<std::string>> ExcludedHosts(std::string_view text, ExcludeFormat format);

}  // namespace howdah::autoscale
