// One feed in this executor: the blocks of its readers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "feed_blocks.h"
#include "feed_calls.h"
#include "flight_client.h"
#include "flight_server.h"
#include "howdah/feed/server/hub.h"
#include "local_reader.h"
#include "local_seat.h"
#include "reader_requests.h"
#include "row_moves.h"
#include "taken_rows.h"

namespace howdah::feed::server {

// The executor around the feeds.
struct FeedPorts {
  boost::asio::io_context& loop;
  FeedCalls& calls;
  std::function<void(const wire::FromExecutor&)> send;  // as Hub::Handlers::send
  std::function<void(const std::string& line)> log;
  // As FlightClient::Get.
  std::function<void(const FlightAddress&, const std::string& token, const GetTarget&, FlightClient::OnBlock,
                     FlightClient::OnDone)>
      get;
  FileSource::Address address = {};  // for processes that read files
};

// Passes the effects of the readers' Receivers on to the AM, the sources, other executors and the stored blocks.
//
// Used on the owner's loop only.
class LocalFeed final : private LocalReader::Owner {
 public:
  // processes: of the task. spool_directory: as BlockStore. ports must live longer than this object.
  LocalFeed(const FeedPlan& plan, int processes, const std::string& spool_directory, FeedPorts& ports);

  // --- the AM ---

  // The readers of the attempt that begins. Readers with other numbers are forgotten with their blocks.
  void Begin(const wire::FeedReaders& readers, int processes);
  // The processes of the attempt have ended, and their leases were released.
  void End();
  void Do(const Action& order);
  void SetPlace(int reader, FlightAddress place);
  void Resync();

  // --- processes ---

  // The reader of a process; nullptr if it has none in this attempt.
  LocalReader* ReaderOf(int local_rank);
  // reads_files: the process must read the files of the feed for this reader.
  OpenedReader Opened(const LocalReader& reader, int64_t pass, bool reads_files) const;
  bool has_files() const { return !plan_.files.from.empty(); }
  // The files of the feed cannot be read. done: when this is in the AM's log.
  void FailSource(const SourceFailed& failed, std::function<void(Status)> done) { Confirm(failed, std::move(done)); }
  // Asks the AM for the rows that a checkpoint of this step covers.
  void GetPoint(int64_t step, std::function<void(ReaderReply)> reply);
  // The seat of the present attempt.
  const LocalSeat& seat() const { return seat_; }
  // For the leases of connections.
  FeedBlocks& blocks() { return blocks_; }

  // --- sources and other executors; as FlightServer::Handlers ---

  // Where a source on this machine writes the body of its block; nullopt: no reader takes the block now. OnBlock or
  // FeedBlocks::Unreserve follows.
  Result<std::optional<BlockStore::Room>> Reserve(const PutTarget& target, const std::string& schema,
                                                  const ArrowBlock& block, int64_t body_bytes);
  void OnBlock(const PutTarget& target, const std::string& schema, const ArrowBlock& block,
               std::function<void(Result<PutAnswer>)> answer);
  // The blocks that contain the rows.
  std::deque<BlockId> Find(const GetTarget& get) const;
  // A source that is connected here sends rows of the partition to this reader.
  void NoteWanted(int64_t pass, PartitionId partition, int reader);

 private:
  // A block of a source that waits for the ledger's answer.
  struct Put {
    int reader = 0;
    std::function<void(Result<PutAnswer>)> answer;
  };

  // LocalReader::Owner
  void Apply(LocalReader& reader, Receiver::Effects effects) override;
  void Send(const Event& event) override;
  void Confirm(const Event& event, std::function<void(Status)> done) override;

  FeedBlocks::Owners BlockOwners();
  RowMoves::Ports MovePorts();
  LocalReader& ReaderAt(int rank);
  LocalReader* Find(int rank) const;
  std::vector<LocalReader*> Takers(const PutTarget& target) const;
  void AnswerPut(BlockId block, const Result<PutAnswer>& answer);

  const FeedPlan plan_;
  FeedPorts& ports_;
  FeedBlocks blocks_;
  LocalReaders readers_;  // by number
  LocalSeat seat_;        // of the attempt
  std::map<BlockId, Put> puts_;
  std::optional<bool> unix_socket_;                           // how the block has arrived whose effects are applied
  std::map<int, FlightAddress> places_;                       // of other readers
  std::map<std::pair<int64_t, PartitionId>, int> wanted_by_;  // the readers that sources want
  std::optional<Action> end_;                                 // EndFeed or FailFeed, for readers that begin later
  TakenRows taken_rows_;
  RowMoves moves_;
};

}  // namespace howdah::feed::server
