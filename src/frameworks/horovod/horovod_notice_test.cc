#include "howdah/frameworks/horovod/horovod_notice.h"

#include <gtest/gtest.h>

#include "pickle.h"

namespace howdah::frameworks::horovod {
namespace {

using namespace std::string_literals;

// The value that horovod 0.28.1 puts (WorkerNotificationManager.init, Python 3.11), after base64 decoding.
const std::string kPut =
    "\x80\x05\x95\x42\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x02lo\x94]\x94\x8c\x09"
    "127.0.0.1\x94M\xaf=\x86\x94"
    "asC \xfc\x13\xca\xf1\xa2o\x99\x17JJu\xbb\x36\x9c_\xad\x1a\x9d\xb5\x1e\xc8\x9d\xe1\xdb\x38r\xdaO\x9f\xc6>\x99"
    "\x94\x86\x94."s;
const std::string kKey =
    "\xfc\x13\xca\xf1\xa2o\x99\x17JJu\xbb\x36\x9c_\xad\x1a\x9d\xb5\x1e\xc8\x9d\xe1\xdb\x38r\xdaO\x9f\xc6>\x99";

TEST(HorovodNotice, AddressIsReadFromAPickle) {
  const auto address = ReadNoticeAddress(kPut);
  ASSERT_TRUE(address);
  EXPECT_EQ(address->port, 0x3daf);
  EXPECT_EQ(address->key, kKey);
  // Two interfaces: one without addresses, and one with two addresses. One pickle operation adds both interfaces to the
  // dictionary, and one adds both addresses to the list.
  const std::string several =
      "\x80\x04}\x94(\x8c\x04none\x94]\x94\x8c\x04"
      "eth0\x94]\x94(\x8c\x08"
      "10.0.0.7\x94J\x01\x00\x00\x00\x86\x94\x8c\x08"
      "10.0.1.7\x94K\x01\x86\x94"
      "euC\x01k\x94\x86\x94."s;
  const auto first = ReadNoticeAddress(several);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->port, 1);
  EXPECT_EQ(first->key, "k");
}

TEST(HorovodNotice, OtherPicklesAreRejected) {
  const std::string refused[] = {
      "",
      ".",
      "\x80\x02N.",            // None
      "\x80\x02]C\x01k\x86.",  // a list instead of a dictionary of addresses
      "\x80\x02}C\x01k\x86.",  // no address
      "\x80\x02}\x8c\x01i](\x8c\x01hK\x00\x86"
      "es"
      "C\x01k\x86.",  // port 0
      "\x80\x02"
      "cos\nsystem\n\x8c\x02ls\x85R.",  // a function call
      "\x80\x02)\x86.",                 // an operation that needs more values than the stack has
      "\x80\x02h\x05.",                 // reads a memo entry that was never written
      "\x80\x02(((((.",
  };
  for (const std::string& pickle : refused) EXPECT_FALSE(ReadNoticeAddress(pickle)) << pickle;
}

// The reader must not read out of bounds, and its memory must be in proportion to the input.
TEST(HorovodNotice, DamagedBytesAreHarmless) {
  int read = 0;
  for (size_t at = 0; at < kPut.size(); ++at) {
    EXPECT_FALSE(ReadNoticeAddress(kPut.substr(0, at))) << at;
    for (int byte = 0; byte < 256; ++byte) {
      std::string damaged = kPut;
      damaged[at] = static_cast<char>(byte);
      read += ReadNoticeAddress(damaged).has_value();
    }
  }
  EXPECT_GT(read, 0);
  const std::string doubling = "\x80\x02]\x94(" + [] {
    std::string many;
    for (int i = 0; i < 60; ++i) many += "h\x00h\x00\x86\x94"s;
    return many;
  }() + ".";
  EXPECT_FALSE(Unpickle(doubling));
  EXPECT_FALSE(Unpickle("\x80\x02K\x01r\xff\xff\xff\x7f."s)) << "memo index beyond the size of the pickle";
  // Each operation memoizes a value at the largest index that the first versions of the reader accepted. Those versions
  // extended the memo by the number of bytes left each time, in total to 250 million entries.
  std::string growing = "\x80\x02K\x01"s;
  for (uint32_t left = 50'000, index = 0; left > 5; left -= 5) {
    index += left - 5;
    growing += 'r';
    for (int shift = 0; shift < 32; shift += 8) growing += static_cast<char>(index >> shift);
  }
  EXPECT_FALSE(Unpickle(growing + "."));
  EXPECT_FALSE(Unpickle("\x80\x02)" + std::string(1'000'000, '\x85') + ".")) << "nesting that exceeds the stack";
}

// Python 3.11 with horovod 0.28.1 reads this pickle as HostsUpdatedRequest(1795337600, 3). The tests in
// tests/frameworks send such a message to a real process.
TEST(HorovodNotice, MessageEqualsHorovodsOwnMessage) {
  EXPECT_EQ(HostsUpdated(1795337600),
            "\x80\x02"
            "chorovod.runner.elastic.worker\nHostsUpdatedRequest\n)\x81}(X\x09\x00\x00\x00timestamp"
            "\x8a\x08\x80\xad\x02\x6b\x00\x00\x00\x00X\x03\x00\x00\x00resK\x03ub."s);
}

}  // namespace
}  // namespace howdah::frameworks::horovod
