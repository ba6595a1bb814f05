// Gives the mmu_armv8 instances of a sysconfig script the wanted entries, in their order, which
// decides who wins. Comments that said an entry's ends or attribute say the new ones.
#include "memsize/core/text.hpp"
#include "memsize/emit/sysconfig.hpp"

#include "edit_program.hpp"
#include "formats/claims.hpp"
#include "formats/edit_style.hpp"
#include "instances.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using emit::WrittenMmuEntry;
using Entries = std::vector<WrittenMmuEntry>;

using emit::kMmuModule;

bool is_attribute(const std::string& text) {
  return text.size() == 5 && text.starts_with("MAIR") && text[4] >= '0' && text[4] <= '7';
}

bool same_range(const WrittenMmuEntry& a, const WrittenMmuEntry& b) {
  return a.virtual_base == b.virtual_base && a.size == b.size && a.physical == b.physical;
}

bool same(const WrittenMmuEntry& a, const WrittenMmuEntry& b) {
  return a.instance == b.instance && a.name == b.name && same_range(a, b) &&
         a.attribute == b.attribute;
}

std::string text_of(const WrittenMmuEntry& entry) {
  return fmt::format("{}{} '{}', {} to {}, {}",
                     kMmuModule,
                     entry.instance,
                     core::printable(entry.name, 60),
                     emit::range_text(entry.virtual_base, entry.size),
                     core::format_hex(entry.physical),
                     core::printable(entry.attribute, 20));
}

class MmuEditor {
 public:
  MmuEditor(const emit::MapFile& file, const std::string& root, const EditOptions& options)
      : file_(file), root_(root), options_(options) {}

  core::Result<std::string> run(Entries wanted) {
    const InstanceScript script{file_, root_, kMmuModule};
    const Entries before = parsed(file_, script);
    plan(before, script, wanted);
    if (core::has_errors(errors_)) {
      return failed();
    }
    auto edited = edit_instances(file_,
                                 root_,
                                 kMmuModule,
                                 plan_,
                                 properties(),
                                 [&](const emit::MapFile& structured, PropertyEdits& edits) {
                                   fill(structured, wanted, edits);
                                 });
    MEMSIZE_TRY(edited);
    hold({file_.path, *edited}, wanted);
    if (core::has_errors(errors_)) {
      return failed();
    }
    return edited;
  }

 private:
  static std::vector<std::string_view> properties() {
    std::vector<std::string_view> names = {emit::kNameProperty, emit::kMairProperty};
    for (const auto& property : emit::properties::kMmu) {
      names.push_back(property.name);
    }
    return names;
  }

  tl::unexpected<core::Diagnostics> failed() {
    core::add_text(errors_, file_.path_under(root_), file_.content);
    return tl::unexpected{std::move(errors_)};
  }

  [[nodiscard]] core::Place whole() const { return {file_.path_under(root_)}; }

  void disagree(std::string message, std::string hint = {}) {
    errors_.push_back(
        core::error(Code::kVerifyDisagree, std::move(message), whole(), std::move(hint)));
  }

  // The entries, of which each must be an instance that can be changed.
  Entries parsed(const emit::MapFile& file, const InstanceScript& script) {
    Entries entries = emit::parse_syscfg(file, root_, errors_);
    std::vector<unsigned> numbers = script.numbers();
    std::ranges::sort(numbers);
    const bool known =
        std::equal(entries.begin(),
                   entries.end(),
                   numbers.begin(),
                   numbers.end(),
                   [](const auto& entry, unsigned n) { return entry.instance == n; });
    if (!known) {
      errors_.push_back(
          core::error(Code::kVerifyParse,
                      fmt::format("not every instance of '{}' here is one that can "
                                  "be changed",
                                  kMmuModule),
                      whole(),
                      fmt::format("call them {}1, {}2 and so on", kMmuModule, kMmuModule)));
    }
    return entries;
  }

  void plan(const Entries& before, const InstanceScript& script, Entries& wanted) {
    const auto from = partners(before.size(), wanted.size(), [&](std::size_t i, std::size_t j) {
      return wanted[j].name.empty() ? same_range(before[i], wanted[j])
                                    : before[i].name == wanted[j].name;
    });
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      WrittenMmuEntry& entry = wanted[i];
      if (from[i]) {
        const WrittenMmuEntry& old = before[*from[i]];
        entry.name = entry.name.empty() ? old.name : entry.name;
        entry.attribute = entry.attribute.empty() ? old.attribute : entry.attribute;
      }
      check(entry,
            i == 0 ? 0 : wanted[i - 1].instance,
            !from[i] || before[*from[i]].name != entry.name);
      plan_.wanted.push_back({from[i] ? std::optional{before[*from[i]].instance} : std::nullopt,
                              entry.instance,
                              entry.name});
      touched_.push_back(!from[i] || !same(before[*from[i]], entry));
    }
    if (plan_.changes(script) && !std::ranges::is_sorted(script.numbers())) {
      disagree(fmt::format("the instances of '{}' are not created in the order of their numbers",
                           kMmuModule),
               "create them in that order: it says which entry wins");
    }
  }

  void check(const WrittenMmuEntry& entry, unsigned previous, bool is_new_name) {
    if (entry.instance <= previous) {
      disagree(fmt::format("instance {} is wanted behind instance {}", entry.instance, previous));
    }
    if (is_new_name && !core::is_identifier(entry.name)) {
      disagree(fmt::format("{}{} is wanted with a name that sysconfig does not take: '{}'",
                           kMmuModule,
                           entry.instance,
                           core::printable(entry.name, 60)),
               "a letter, then letters, digits and underscores");
    }
    if (!is_attribute(entry.attribute)) {
      disagree(fmt::format("{}{} is wanted with the attribute '{}'",
                           kMmuModule,
                           entry.instance,
                           core::printable(entry.attribute, 20)),
               "there are MAIR0 to MAIR7");
    }
  }

  void fill(const emit::MapFile& file, const Entries& wanted, PropertyEdits& edits) const {
    core::Diagnostics unused;
    const Entries now = emit::parse_syscfg(file, root_, unused);
    for (std::size_t i = 0; i < wanted.size() && i < now.size(); ++i) {
      const WrittenMmuEntry& entry = wanted[i];
      const unsigned number = now[i].instance;
      if (now[i].name != entry.name) {
        edits.text(number, emit::kNameProperty, entry.name);
      }
      for (const auto& property : emit::properties::kMmu) {
        if (property.get(now[i]) != property.get(entry)) {
          edits.number(number, property.name, property.get(entry), true);
        }
      }
      if (now[i].attribute != entry.attribute) {
        edits.text(number, emit::kMairProperty, entry.attribute);
      }
    }
    correct(file, now, wanted, edits);
  }

  // The last address or the one behind it, as the comment had it for the entry before; one that
  // was not true says by its digits that it is a last address.
  static std::uint64_t end_for(const WrongClaim& wrong,
                               const WrittenMmuEntry& before,
                               const WrittenMmuEntry& entry) {
    constexpr std::uint64_t kPage = 0x1000;
    const std::uint64_t behind = before.virtual_base + before.size;
    const std::uint64_t right = entry.virtual_base + entry.size;
    if (wrong.claim.value == behind || right == 0) {
      return right;
    }
    const bool is_last = wrong.claim.value == behind - 1 || wrong.claim.value % kPage == kPage - 1;
    return is_last ? right - 1 : core::parse_address(wrong.right).value_or(right);
  }

  void correct(const emit::MapFile& file,
               const Entries& now,
               const Entries& wanted,
               PropertyEdits& edits) const {
    for (const WrongClaim& wrong : wrong_claims(parse_claims(file, root_), wanted)) {
      const auto entry = std::ranges::find_if(wanted, [&](const auto& one) {
        return wrong.claim.beside.starts_with(fmt::format("{}{}.", kMmuModule, one.instance));
      });
      const auto at = static_cast<std::size_t>(entry - wanted.begin());
      if (at >= now.size() || (!touched_[at] && !options_.correct_comments)) {
        continue;
      }
      if (wrong.claim.what == Stated::kAttribute) {
        edits.replace(wrong.claim.place, wrong.right);
        continue;
      }
      const std::uint64_t value = wrong.claim.what == Stated::kEnd
                                      ? end_for(wrong, now[at], *entry)
                                      : core::parse_address(wrong.right).value_or(0);
      edits.replace(wrong.claim.place, restyled(wrong.claim.text, value));
    }
  }

  void hold(const emit::MapFile& result, const Entries& wanted) {
    const Entries entries = emit::parse_syscfg(result, root_, errors_);
    for (std::size_t i = 0; i < std::max(entries.size(), wanted.size()); ++i) {
      if (i >= entries.size() || i >= wanted.size() || !same(entries[i], wanted[i])) {
        return disagree(fmt::format("after the change the file would say {}, where {} is wanted",
                                    i < entries.size() ? text_of(entries[i]) : "nothing",
                                    i < wanted.size() ? text_of(wanted[i]) : "nothing"));
      }
    }
  }

  const emit::MapFile& file_;
  const std::string& root_;
  EditOptions options_;
  InstancePlan plan_;
  // Of the wanted entries, whether anything of them changes.
  std::vector<bool> touched_;
  core::Diagnostics errors_;
};

}  // namespace

core::Result<std::string> edit_mmu_syscfg(const emit::MapFile& file,
                                          const std::string& root,
                                          const std::vector<emit::WrittenMmuEntry>& wanted,
                                          const EditOptions& options) {
  return MmuEditor{file, root, options}.run(wanted);
}

}  // namespace memsize::sdk
