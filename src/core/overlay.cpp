// Reads its own bytes where it has the file, the disk's where it has not. Whoever writes to it has
// a bug.
#include "memsize/core/overlay.hpp"

#include "memsize/core/bug.hpp"

namespace memsize::core {

namespace {

[[noreturn]] void refuse() {
  report_bug("an overlay is not written through");
}

}  // namespace

Result<std::unique_ptr<ByteStream>> Overlay::open(const std::string& path) {
  const auto file = files_.find(path);
  return file == files_.end() ? ForwardingFiles::open(path)
                              : Result<std::unique_ptr<ByteStream>>{stream_with(file->second)};
}

Result<std::uint64_t> Overlay::size(const std::string& path) {
  const auto file = files_.find(path);
  return file == files_.end() ? ForwardingFiles::size(path)
                              : Result<std::uint64_t>{file->second.size()};
}

bool Overlay::exists(const std::string& path) {
  return files_.count(path) != 0 || ForwardingFiles::exists(path);
}

bool Overlay::is_regular_file(const std::string& path) {
  return files_.count(path) != 0 || ForwardingFiles::is_regular_file(path);
}

Result<void> Overlay::replace(const std::vector<NewFile>& /*files*/) {
  refuse();
}

Result<void> Overlay::create(const std::string& /*path*/,
                             std::string_view /*content*/,
                             const Metadata& /*metadata*/) {
  refuse();
}

Result<void> Overlay::set_metadata(const std::string& /*path*/, const Metadata& /*metadata*/) {
  refuse();
}

Result<void> Overlay::rename(const std::string& /*from*/, const std::string& /*to*/) {
  refuse();
}

Result<void> Overlay::remove(const std::string& /*path*/) {
  refuse();
}

Result<void> Overlay::make_folder(const std::string& /*path*/) {
  refuse();
}

Result<void> Overlay::remove_folder(const std::string& /*path*/) {
  refuse();
}

Result<void> Overlay::sync_folder(const std::string& /*path*/) {
  refuse();
}

Result<LockAttempt> Overlay::lock(const std::string& /*path*/, std::string_view /*purpose*/) {
  refuse();
}

}  // namespace memsize::core
