// Streams over a text in memory: one that borrows it, one that keeps it.
#include "memsize/core/byte_stream.hpp"

#include <algorithm>
#include <utility>

namespace memsize::core {

namespace {

class TextStream : public ByteStream {
 public:
  explicit TextStream(std::string_view text) : text_(text) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t size = std::min(buffer.size(), text_.size());
    std::copy_n(text_.begin(), size, buffer.begin());
    text_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view text_;
};

class KeptStream : public ByteStream {
 public:
  explicit KeptStream(std::string text) : text_(std::move(text)), stream_(text_) {}

  Result<std::size_t> read(std::span<char> buffer) override { return stream_.read(buffer); }

 private:
  std::string text_;
  TextStream stream_;
};

}  // namespace

std::unique_ptr<ByteStream> stream_of(std::string_view text) {
  return std::make_unique<TextStream>(text);
}

std::unique_ptr<ByteStream> stream_with(std::string text) {
  return std::make_unique<KeptStream>(std::move(text));
}

}  // namespace memsize::core
