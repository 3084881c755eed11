#include <array>

#include "howdah/testing/feed_sim/run_seed.h"

namespace howdah::testing::feed_sim {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(Situation::kCount)> kTexts = {
    "split equal",
    "split dynamic",
    "split all",
    "remainder drop left out rows",
    "remainder short gave a short batch",
    "remainder repeat repeated rows",
    "a shuffled feed",
    "a stream",
    "several passes were read",
    "rows moved to another rank",
    "rows were refused, because they were accepted before",
    "all ranks restarted",
    "a rank restarted alone",
    "a rank did not return",
    "an executor was lost",
    "the job shrank",
    "the job grew",
    "a restart returned to an earlier pass",
    "the AM was replaced",
    "an AM died before it performed its actions",
    "the event log was replaced by a snapshot",
    "a message was lost",
    "a message arrived twice",
    "an attempt of the source died",
    "two attempts supplied the same partition",
    "the source was restarted",
    "the source was gone for too long",
    "a checkpoint was committed",
    "a checkpoint was found whose report was lost",
    "commit() was called",
    "an executor offered rows that it had kept",
    "changed rows were found",
    "changed rows were accepted",
    "batch sizes differed",
    "a pass had no batch",
    "the program stopped early",
    "an executor had no credit",
    "a connected source was silent for too long",
    "no source has ever been connected",
    "the job waited longer than the time limit for rows",
    "a reader gave rows of its partition away",
    "another job continued the checkpoint",
    "the executors returned records that the copy of the log lacked",
    "records of the log were lost",
    "an executor did not return its records",
    "a checkpoint became visible after the ranks had restarted",
    "a rank restarted alone after the end of the feed",
    "a rank that restarted alone restored its position",
    "the position of a rank that restarted alone had no effect",
    "a rank restarted alone, although all must restart together",
};

}  // namespace

std::string_view ToText(Situation situation) { return kTexts[static_cast<size_t>(situation)]; }

}  // namespace howdah::testing::feed_sim
