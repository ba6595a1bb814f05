// Bytes that come one after the other and are read once: a file, a pipe, a packed file.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace memsize::core {

class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  /// Waits for the next bytes and returns how many there are, at least one; 0 at the end.
  [[nodiscard]] virtual Result<std::size_t> read(std::span<char> buffer) = 0;
};

/// The bytes of a text, which must outlive the stream.
[[nodiscard]] std::unique_ptr<ByteStream> stream_of(std::string_view text);

/// The same, of a text that the stream keeps.
[[nodiscard]] std::unique_ptr<ByteStream> stream_with(std::string text);

/// What `stream` unpacks to where it is gzip, else the same bytes; of several members, all. A
/// packed stream that ends early or is damaged is file.gzip.
[[nodiscard]] std::unique_ptr<ByteStream> unpacked(std::unique_ptr<ByteStream> stream,
                                                   const std::string& path);

}  // namespace memsize::core
