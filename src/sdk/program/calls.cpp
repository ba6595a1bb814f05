// Pairs calls of Mmu_map() and appMemAddrTranslate() with the entries that are wanted, and says
// which call must be changed by hand. Order matters where entries overlap: the later call wins.
#include "memsize/core/text.hpp"

#include "csource/firmware.hpp"
#include "edit_program.hpp"
#include "formats/edit_style.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using emit::RatEntryFields;
using emit::WrittenMmuEntry;

std::string call_text(const WrittenMmuEntry& entry) {
  return fmt::format("{} to {}, {}",
                     emit::range_text(entry.virtual_base, entry.size),
                     core::format_hex(entry.physical),
                     core::printable(entry.attribute, 20));
}

std::string call_text(const RatEntryFields& entry) {
  return fmt::format(
      "{} to {}", emit::range_text(entry.local, entry.size), core::format_hex(entry.system));
}

bool same_call(const WrittenMmuEntry& a, const WrittenMmuEntry& b) {
  return a.virtual_base == b.virtual_base && a.physical == b.physical && a.size == b.size &&
         a.attribute == b.attribute;
}

bool same_call(const RatEntryFields& a, const RatEntryFields& b) {
  return a.local == b.local && a.system == b.system && a.size == b.size;
}

bool overlap(const WrittenMmuEntry& a, const WrittenMmuEntry& b) {
  const WrittenMmuEntry& low = a.virtual_base <= b.virtual_base ? a : b;
  const WrittenMmuEntry& high = a.virtual_base <= b.virtual_base ? b : a;
  return high.virtual_base - low.virtual_base < low.size && high.size != 0;
}

std::string words_of(const MmuCall& call) {
  return fmt::format("Mmu_map({}, {}, {})",
                     core::printable(call.virtual_base.text, 60),
                     core::printable(call.physical.text, 60),
                     core::printable(call.size.text, 60));
}

constexpr const char* kHowToWriteCalls =
    "change the call: what it names does not follow the map, or not this far";

// Calls in the order of the source against entries in the order in which they are wanted.
class MmuHolder {
 public:
  MmuHolder(const std::vector<MmuCall>& calls,
            const std::vector<WrittenMmuEntry>& wanted,
            core::Diagnostics& errors)
      : calls_(calls), wanted_(wanted), errors_(errors) {}

  void run(const core::Place& whole) {
    const auto from = partners(calls_.size(), wanted_.size(), [&](std::size_t i, std::size_t j) {
      return same_call(calls_[i].entry, wanted_[j]);
    });
    std::set<std::size_t> paired;
    for (std::size_t j = 0; j < wanted_.size(); ++j) {
      if (from[j] && (same_call(calls_[*from[j]].entry, wanted_[j]) || !is_wanted(*from[j]))) {
        paired.insert(*from[j]);
        hold(calls_[*from[j]], wanted_[j]);
      } else if (!is_given(j)) {
        errors_.push_back(core::error(
            Code::kVerifyDisagree,
            fmt::format("no call of Mmu_map() gives {}, which is wanted", call_text(wanted_[j])),
            whole,
            "add the call by hand"));
      }
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (!paired.contains(i) && !is_wanted(i)) {
        errors_.push_back(core::error(Code::kVerifyDisagree,
                                      fmt::format("{} gives {}, which is not wanted",
                                                  words_of(calls_[i]),
                                                  call_text(calls_[i].entry)),
                                      calls_[i].entry.place,
                                      "remove the call by hand"));
      }
    }
    hold_order();
  }

 private:
  [[nodiscard]] bool is_wanted(std::size_t call) const { return rank(call) < wanted_.size(); }

  [[nodiscard]] bool is_given(std::size_t wanted) const {
    return std::ranges::any_of(
        calls_, [&](const MmuCall& call) { return same_call(call.entry, wanted_[wanted]); });
  }

  // The place of the call's entry among the wanted ones.
  [[nodiscard]] std::size_t rank(std::size_t call) const {
    const auto found = std::ranges::find_if(
        wanted_, [&](const auto& entry) { return same_call(calls_[call].entry, entry); });
    return static_cast<std::size_t>(found - wanted_.begin());
  }

  void hold(const MmuCall& call, const WrittenMmuEntry& wanted) {
    if (!same_call(call.entry, wanted)) {
      errors_.push_back(core::error(Code::kVerifyDisagree,
                                    fmt::format("{} gives {}, where {} is wanted",
                                                words_of(call),
                                                call_text(call.entry),
                                                call_text(wanted)),
                                    call.entry.place,
                                    kHowToWriteCalls));
    }
  }

  // Of two entries that overlap, the later one wins.
  void hold_order() {
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      for (std::size_t j = i + 1; j < calls_.size(); ++j) {
        if (is_wanted(i) && is_wanted(j) && rank(i) > rank(j) &&
            overlap(calls_[i].entry, calls_[j].entry)) {
          core::Diagnostic problem = core::error(
              Code::kVerifyDisagree,
              fmt::format("{} stands behind a call that is wanted to win", words_of(calls_[j])),
              calls_[j].entry.place,
              "exchange the two calls");
          problem.related.push_back({calls_[i].entry.place, words_of(calls_[i])});
          errors_.push_back(std::move(problem));
        }
      }
    }
  }

  const std::vector<MmuCall>& calls_;
  const std::vector<WrittenMmuEntry>& wanted_;
  core::Diagnostics& errors_;
};

core::Place whole(const emit::MapFile& file, const std::string& root) {
  return {file.path_under(root)};
}

}  // namespace

core::Diagnostics hold_mmu_calls(const emit::MapFile& file,
                                 const std::string& root,
                                 const Macros& after,
                                 const BuildFlags& flags,
                                 const std::vector<WrittenMmuEntry>& wanted) {
  core::Diagnostics errors;
  const auto calls = parse_mmu_calls(file, root, after, flags, errors);
  if (!core::has_errors(errors)) {
    MmuHolder{calls, wanted, errors}.run(whole(file, root));
  }
  core::add_text(errors, file.path_under(root), file.content);
  return errors;
}

core::Diagnostics hold_rat_calls(const emit::MapFile& file,
                                 const std::string& root,
                                 const Macros& after,
                                 const BuildFlags& flags,
                                 const std::vector<RatEntryFields>& wanted) {
  core::Diagnostics errors;
  const auto calls = parse_rat_calls(file, root, after, flags, errors);
  const auto is_wanted = [&](const RatCall& call) {
    return std::ranges::any_of(
        wanted, [&](const RatEntryFields& entry) { return same_call(call.entry.fields, entry); });
  };
  const auto is_given = [&](const RatEntryFields& entry) {
    return std::ranges::any_of(calls, [&](const RatCall& call) {
      return call.is_programmed && same_call(call.entry.fields, entry);
    });
  };
  // One call has several entries where its parameters depend on what the build defines.
  const auto is_wanted_somehow = [&](const RatCall& call) {
    return std::ranges::any_of(calls, [&](const RatCall& other) {
      return other.entry.place == call.entry.place && is_wanted(other);
    });
  };
  if (core::has_errors(errors)) {
    core::add_text(errors, file.path_under(root), file.content);
    return errors;
  }
  for (const RatCall& call : calls) {
    // Addresses that are translated to themselves do no harm.
    const bool counts = call.is_programmed && call.entry.fields.local != call.entry.fields.system;
    if (counts && !is_wanted(call) && (call.conditions.empty() || !is_wanted_somehow(call))) {
      errors.push_back(core::error(Code::kVerifyDisagree,
                                   fmt::format("appMemAddrTranslate() with {}, {}, {} gives {}, "
                                               "which is not wanted",
                                               core::printable(call.local.text, 60),
                                               core::printable(call.system.text, 60),
                                               core::printable(call.size.text, 60),
                                               call_text(call.entry.fields)),
                                   call.entry.place,
                                   kHowToWriteCalls));
    }
  }
  for (const RatEntryFields& entry : wanted) {
    if (!is_given(entry)) {
      errors.push_back(
          core::error(Code::kVerifyDisagree,
                      fmt::format("no call of appMemAddrTranslate() gives {}, which is wanted",
                                  call_text(entry)),
                      whole(file, root),
                      "change or add the call by hand"));
    }
  }
  core::add_text(errors, file.path_under(root), file.content);
  return errors;
}

}  // namespace memsize::sdk
