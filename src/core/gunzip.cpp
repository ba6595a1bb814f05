// Packed streams, unpacked as they come.
#include "memsize/core/byte_stream.hpp"
#include "memsize/core/text.hpp"
#include "memsize/core/unpacked.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

namespace memsize::core {

namespace {

// Of a pipe or a file; whole pages, so that what is read later from a file begins at one, too.
constexpr std::size_t kBlock = 131072;
constexpr const char* kNoMemory = "memory ended";
constexpr std::string_view kMagic = "\x1F\x8B";

class Inflate {
 public:
  Inflate() {
    constexpr int kGzipOnly = 15 + 16;
    started_ = inflateInit2(&stream_, kGzipOnly) == Z_OK;
  }

  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;

  ~Inflate() {
    if (started_) {
      inflateEnd(&stream_);
    }
  }

  [[nodiscard]] bool started() const { return started_; }

  [[nodiscard]] bool hungry() const { return stream_.avail_in == 0; }

  void next_member() { inflateReset(&stream_); }

  /// What was looked at since then are at most the two bytes that a member begins with.
  [[nodiscard]] bool at_beginning() const { return stream_.total_in <= kMagic.size(); }

  /// The bytes are read while they are unpacked.
  void feed(std::span<char> packed) {
    stream_.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream_.avail_in = static_cast<uInt>(packed.size());
  }

  /// zlib's answer, and how many bytes came out.
  std::pair<int, std::size_t> unpack(std::span<char> buffer) {
    const std::size_t room = std::min<std::size_t>(buffer.size(), std::numeric_limits<uInt>::max());
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(room);
    const int state = inflate(&stream_, Z_NO_FLUSH);
    return {state, room - stream_.avail_out};
  }

 private:
  z_stream stream_{};
  bool started_ = false;
};

class Unpacked : public ByteStream {
 public:
  Unpacked(std::unique_ptr<ByteStream> packed, std::string path)
      : packed_(std::move(packed)), path_(std::move(path)) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    if (kind_ == Kind::kUnknown) {
      MEMSIZE_TRY(look());
    }
    if (kind_ == Kind::kGzip) {
      return unpack(buffer);
    }
    if (head_.empty()) {
      return packed_->read(buffer);
    }
    const std::size_t size = std::min(buffer.size(), head_.size());
    std::copy_n(head_.begin(), size, buffer.begin());
    head_ = head_.subspan(size);
    return size;
  }

  [[nodiscard]] const Diagnostics& warnings() const { return warnings_; }

 private:
  enum class Kind { kUnknown, kPlain, kGzip };

  [[nodiscard]] Place place() const { return {path_}; }

  [[nodiscard]] tl::unexpected<Diagnostics> refuse(const char* why,
                                                   Code code = Code::kFileGzip) const {
    return fail(error(code, fmt::format("cannot unpack '{}': {}", printable(path_), why), place())
                    .about({{"file", path_}}));
  }

  // Reads as much as tells what it is.
  Result<void> look() {
    block_.resize(kBlock);
    std::size_t used = 0;
    while (used < kMagic.size() &&
           std::string_view{block_.data(), used} == kMagic.substr(0, used)) {
      const auto size = packed_->read(std::span{block_}.subspan(used));
      MEMSIZE_TRY(size);
      if (*size == 0) {
        break;
      }
      used += *size;
    }
    head_ = std::span{block_}.first(used);
    kind_ = std::string_view{block_.data(), used}.starts_with(kMagic) ? Kind::kGzip : Kind::kPlain;
    if (kind_ == Kind::kGzip) {
      inflate_ = std::make_unique<Inflate>();
      if (!inflate_->started()) {
        return refuse(kNoMemory, Code::kMemoryEnd);
      }
      inflate_->feed(head_);
    }
    return {};
  }

  Result<std::size_t> unpack(std::span<char> buffer) {
    while (true) {
      if (between_members_ && !inflate_->hungry()) {
        // Logs that were rotated and joined are several gzip members in a row.
        inflate_->next_member();
        between_members_ = false;
        further_ = true;
      }
      if (!between_members_) {
        const auto [state, size] = inflate_->unpack(buffer);
        if (state == Z_DATA_ERROR && is_garbage()) {
          return leave_garbage();
        }
        between_members_ = state == Z_STREAM_END;
        if (state == Z_MEM_ERROR) {
          return refuse(kNoMemory, Code::kMemoryEnd);
        }
        // Z_BUF_ERROR: nothing could be done without more bytes.
        if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) {
          return refuse("it is not valid gzip");
        }
        if (size != 0) {
          return size;
        }
      }
      if (inflate_->hungry()) {
        const auto more = packed_->read(block_);
        MEMSIZE_TRY(more);
        if (*more == 0) {
          return between_members_ ? Result<std::size_t>{0}
                 : is_garbage()   ? leave_garbage()
                                  : refuse("it ends too early");
        }
        inflate_->feed(std::span{block_}.first(*more));
      }
    }
  }

  // Whether a member is whole and what follows it is none.
  [[nodiscard]] bool is_garbage() const { return further_ && inflate_->at_beginning(); }

  // As gzip does: what was packed is whole.
  Result<std::size_t> leave_garbage() {
    kind_ = Kind::kPlain;
    packed_ = stream_of({});
    head_ = {};
    warnings_.push_back(warning(Code::kFileGzip,
                                fmt::format("something that is not gzip follows what is packed in "
                                            "'{}': it is left out",
                                            printable(path_)),
                                place(),
                                "if logs were joined there, one of them is damaged")
                            .about({{"file", path_}}));
    return 0;
  }

  std::unique_ptr<ByteStream> packed_;
  std::string path_;
  Diagnostics warnings_;
  Kind kind_ = Kind::kUnknown;
  // What was read and not handed on: of a plain stream its beginning, else what is being unpacked.
  std::vector<char> block_;
  std::span<char> head_;
  std::unique_ptr<Inflate> inflate_;
  bool between_members_ = false;
  // A member was whole; this is another one, or nothing of the kind.
  bool further_ = false;
};

}  // namespace

Diagnostics warnings_of(const ByteStream& stream) {
  const auto* const unpacked = dynamic_cast<const Unpacked*>(&stream);
  return unpacked == nullptr ? Diagnostics{} : unpacked->warnings();
}

std::unique_ptr<ByteStream> unpacked(std::unique_ptr<ByteStream> stream, const std::string& path) {
  return std::make_unique<Unpacked>(std::move(stream), path);
}

}  // namespace memsize::core
