// Numbers and names as text: the one place that parses sizes and addresses, for boards, logs and
// the command line alike, and the one that prints them.
#pragma once

#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::core {

/// "4096", "0x1000", "16KiB", "1.5 MiB", "64_000". A bare number is bytes. KB and MB are refused
/// with a hint, because vendors disagree about them. `place` is where an error points.
[[nodiscard]] Result<Bytes> parse_bytes(std::string_view text, const Place& place = {});

/// "0x1_0000_0000", "0XA0000000" or a decimal number.
[[nodiscard]] Result<std::uint64_t> parse_address(std::string_view text, const Place& place = {});

/// "0xAD000000": upper-case digits, no leading zeros, as linker maps print addresses.
[[nodiscard]] std::string format_hex(std::uint64_t value);
[[nodiscard]] std::string format_address(PhysAddr address);
[[nodiscard]] std::string format_address(VirtAddr address);

/// "[0x880000000, 0x890000000)"; a range that ends at 2^64 says so.
template <typename A>
[[nodiscard]] std::string format_range(const Range<A>& range);

/// For people: the largest unit that gives a whole number of at most four digits ("64 MiB",
/// "1131 MiB"), else two decimals of MiB ("9.09 MiB", "1051.25 MiB"), of KiB below 1 MiB, of GiB
/// from 10000 MiB, and bytes below 10 KiB ("8 326 B"). Whole KiB are never rounded ("65532 KiB").
[[nodiscard]] std::string format_size(Bytes size);

/// What parse_bytes reads back, without blanks: "9MiB", "16KiB", "4097".
[[nodiscard]] std::string format_setting(Bytes size);

/// Groups of three digits: "9 528 902 B".
[[nodiscard]] std::string format_bytes(Bytes size);

/// "8 bytes", "1 record".
[[nodiscard]] std::string plural(std::uint64_t count,
                                 std::string_view one,
                                 std::string_view many = {});

/// What editors of Windows put before UTF-8 is no text.
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// What commands a terminal, what nobody sees and what is no UTF-8 replaced by visible escapes, cut
/// at `max` columns: for showing a piece of an input that nobody has checked.
[[nodiscard]] std::string printable(std::string_view text, std::size_t max = 160);

/// The same, whole.
[[nodiscard]] std::string visible_text(std::string_view text);

/// The same, but with question marks: as many bytes as before.
[[nodiscard]] std::string masked_text(std::string_view text);

/// What is no ASCII replaced by visible escapes: for what reads another character set.
[[nodiscard]] std::string ascii_text(std::string_view text);

/// How wide a terminal shows it: East Asian letters are two columns, marks on a letter none.
[[nodiscard]] std::size_t text_width(std::string_view text);

/// One word of a command line, as any text may be pasted into a shell; printable() leaves it alone.
[[nodiscard]] std::string shell_word(std::string_view text);

/// The same for a path, which is never taken for an option. "-" is standard input.
[[nodiscard]] std::string shell_path(std::string_view path);

/// What Markdown shows as this text, in a cell of a table too.
[[nodiscard]] std::string escape_markdown(std::string_view text);

/// Whether the bytes are well-formed UTF-8 (RFC 3629: no surrogates).
[[nodiscard]] bool is_utf8(std::string_view text);

/// Whether the word is one of `words`, which have a blank between two.
[[nodiscard]] bool is_one_of(std::string_view word, std::string_view words);

/// ASCII letter or underscore first, then letters, digits, underscores.
[[nodiscard]] bool is_identifier(std::string_view text);

/// The name that `wrong` begins or that begins `wrong`, else the nearest within three edits, as the
/// sentence "did you mean 'x'?". Where none is near: all of them behind `else_all`, "they are: x,
/// y", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view wrong,
                                       const std::vector<std::string>& names,
                                       std::string_view else_all = {});

/// Whether one is the other with one byte replaced: what a damaged name looks like.
[[nodiscard]] bool one_byte_off(std::string_view a, std::string_view b);

}  // namespace memsize::core
