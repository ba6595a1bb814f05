// Documents of memsize-probe: what a running board said of its memory.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/probe.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memsize::readers {

/// Whether a text that begins so is such a document.
[[nodiscard]] bool is_probe_document(std::string_view head);

/// Errors (probe.syntax): what is no memsize.probe/1 document, has more than 64 MiB, or says
/// something of the wrong kind.
[[nodiscard]] core::Result<model::Probe> read_probe(std::string_view text, const std::string& path);

/// An ELF file as it is on the board, as far as its parts are known: everything else is 0. Without
/// the certificate that may stand before it. Nothing where the probe has no parts of it.
[[nodiscard]] std::optional<std::string> sparse_image(const model::ProbeFile& file);

/// What cores print, as lines of a log: the ring that they keep in memory, their traces, and files
/// that were taken along.
[[nodiscard]] std::string probe_log(const model::Probe& probe);

/// What is in it, in a few words each.
[[nodiscard]] std::vector<std::string> describe_probe(const model::Probe& probe);

}  // namespace memsize::readers
