// A connected socket with Beast's stream interface, which limits the time of every wait, with or without TLS.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/http/trust.h"

struct ssl_st;

namespace howdah::os::http {

class Stream {
 public:
  using Failure = boost::system::error_code;

  // silence: the longest time without a byte; whole: the longest time until the end.
  Stream(os::files::Fd fd, Duration silence, Duration whole);
  ~Stream();

  // Protects the connection, and checks that the certificate of the server is valid for `host`.
  Status StartTls(const Trust& trust, const std::string& host);
  // The certificate of the server, as in GetReply::certificate. Empty without TLS.
  std::string Certificate() const;

  template <typename Buffers>
  size_t read_some(const Buffers& buffers, Failure& failed) {
    for (auto at = boost::asio::buffer_sequence_begin(buffers); at != boost::asio::buffer_sequence_end(buffers); ++at) {
      const boost::asio::mutable_buffer piece = *at;
      if (piece.size() > 0) return Read(static_cast<char*>(piece.data()), piece.size(), failed);
    }
    return failed = {}, 0;
  }
  template <typename Buffers>
  size_t write_some(const Buffers& buffers, Failure& failed) {
    for (auto at = boost::asio::buffer_sequence_begin(buffers); at != boost::asio::buffer_sequence_end(buffers); ++at) {
      const boost::asio::const_buffer piece = *at;
      if (piece.size() > 0) return Write(static_cast<const char*>(piece.data()), piece.size(), failed);
    }
    return failed = {}, 0;
  }

  // Beast requires these overloads but does not call them.
  template <typename Buffers>
  size_t read_some(const Buffers& buffers) {
    Failure failed;
    const size_t size = read_some(buffers, failed);
    return failed ? throw boost::system::system_error(failed) : size;
  }
  template <typename Buffers>
  size_t write_some(const Buffers& buffers) {
    Failure failed;
    const size_t size = write_some(buffers, failed);
    return failed ? throw boost::system::system_error(failed) : size;
  }

 private:
  enum class Wait { kReadable, kWritable };
  struct Free {
    void operator()(ssl_st* tls) const;
  };

  size_t Read(char* out, size_t size, Failure& failed);
  size_t Write(const char* bytes, size_t size, Failure& failed);
  // Waits until the socket is ready. Sets `failed` at a time limit.
  bool Ready(Wait wait, Failure& failed);
  // After a plain call that has failed: whether to repeat it.
  bool Again(Wait wait, Failure& failed);
  // After a call of TLS that returned `result`: whether to repeat it.
  bool TlsAgain(int result, Failure& failed);

  os::files::Fd fd_;
  std::unique_ptr<ssl_st, Free> tls_;  // null: the connection is not protected
  Duration silence_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace howdah::os::http
