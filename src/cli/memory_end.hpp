// What happens where memory ends: one message, a document where --json asked for one, and status 4.
// From any thread, and whatever was at work; what is half written to a tree is in its journal.
#pragma once

namespace memsize::cli {

/// Keeps some memory back, so that what was begun can be taken back. `schema` is that of the
/// document that standard output is to have, nullptr for none; `sarif`: it is SARIF's.
void prepare_for_memory_end(const char* schema, bool sarif);

/// From here on, standard output has its text: no document goes behind it.
void output_begins();

/// Ends the process without another allocation.
[[noreturn]] void end_without_memory() noexcept;

}  // namespace memsize::cli
