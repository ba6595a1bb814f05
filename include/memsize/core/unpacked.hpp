// What an unpacked stream has to say beside its bytes.
#pragma once

#include "memsize/core/byte_stream.hpp"
#include "memsize/core/diagnostic.hpp"

namespace memsize::core {

/// Of a stream that unpacked() made, once it is at its end: that something follows what is packed.
[[nodiscard]] Diagnostics warnings_of(const ByteStream& stream);

}  // namespace memsize::core
