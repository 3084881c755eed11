// Commits: which rows will not be read again after a restart.
#pragma once

#include "howdah/feed/event.h"
#include "state.h"

namespace howdah::feed {

// Each returns whether the state has changed.
bool NoteStep(Context& context, const StepReported& event);
bool NoteCheckpoint(Context& context, const CheckpointReported& event);
bool NoteCommitCall(Context& context, const CommitCalled& event);
// Whether the account knows which rows a checkpoint of this step covers, if it is one of this job.
bool CoversStep(const Context& context, int64_t step);
// Commits the step in the round of the previous generation. Returns false if it cannot; otherwise the caller begins the
// round again.
bool CommitPrevious(Context& context, const CheckpointFound& event);

// Commits the rows up to the marks of this step in the current round, also those whose reports are late.
void CommitStep(Context& context, int64_t step);

// Commits everything that can be committed, and ends passes whose rows are all committed.
void AdvanceCommits(Context& context);
// Commits all rows that readers have handed out in the pass, which is closed.
void CommitPass(Context& context, Pass& pass);
// Forgets the order of rows that can only be committed together.
void SettleLanes(Context& context);

}  // namespace howdah::feed
