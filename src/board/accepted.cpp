// Reads [[accepted]]: the code of a finding, its message and why it is accepted. Whether the
// finding is still there is for the checks of the map to say.
#include "memsize/board/accepted.hpp"

#include "memsize/core/text.hpp"

#include "reader_context.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::board {

Accepted read_accepted(Fields& top, core::Diagnostics& errors) {
  Accepted accepted;
  for (docs::Value item : top.items("accepted")) {
    Fields reader{item, "an accepted defect", errors};
    AcceptedDefect defect;
    const Text code = reader.required_text("code");
    defect.code = code.text;
    defect.message = reader.required_one_line("message");
    defect.why = reader.required_one_line("why");
    defect.place = item.place();
    const auto& codes = core::all_codes();
    const bool is_code = std::ranges::any_of(
        codes, [&](core::Code each) { return core::code_name(each) == code.text; });
    if (code.written && !is_code) {
      reader.wrong(core::Code::kBoardValue,
                   fmt::format("'{}' is no code of a finding", core::printable(code.text, 40)),
                   code.place,
                   "it stands in brackets behind error: memsize list checks");
    }
    reader.finish();
    accepted.push_back(std::move(defect));
  }
  return accepted;
}

}  // namespace memsize::board
