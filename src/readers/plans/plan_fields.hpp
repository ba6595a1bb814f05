// What plans are made of, taken from documents that compilers write: sizes, steps, alignments,
// roles.
#pragma once

#include "memsize/docs/parse.hpp"

#include "plan_problems.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace memsize::readers {

/// Members with their types. A member that is missing, or is of another type, is an error that
/// names it (Code::kPlanSyntax); `_if_any` takes its absence, and null, for an answer.
class PlanFields : public PlanProblems {
 public:
  using PlanProblems::PlanProblems;

  /// The errors, or the report with the warnings, of misspelt keys too.
  [[nodiscard]] PlanResult finish(model::PlanReport report, const docs::Document& document);

  void wrong(docs::Value value, const std::string& what, std::string hint = {});
  /// Whether it is an object, or an array; an error where not.
  bool is_object(docs::Value value);
  bool is_array(docs::Value value);

  /// To go through; nothing where it is not there, and an error where it is no array or object.
  docs::Value items(docs::Value list) { return list && is_array(list) ? list : docs::Value{}; }

  docs::Value members(docs::Value table) {
    return table && is_object(table) ? table : docs::Value{};
  }

  /// The member, an error where there is none.
  docs::Value member(docs::Value object, const char* key);
  std::string text(docs::Value object, const char* key);
  std::string text_if_any(docs::Value object, const char* key);
  /// A text or a whole number, as text: tensors' ids are written either way.
  std::string id(docs::Value object, const char* key);
  std::optional<std::uint64_t> whole(docs::Value object, const char* key);
  std::optional<std::uint64_t> whole_if_any(docs::Value object, const char* key);
  std::optional<std::int64_t> step(docs::Value object, const char* key);
  std::optional<std::int64_t> step_if_any(docs::Value object, const char* key);
  std::optional<bool> flag_if_any(docs::Value object, const char* key);
  std::optional<core::Bytes> size(docs::Value object, const char* key);
  std::optional<core::Bytes> size_if_any(docs::Value object, const char* key);
  std::optional<core::Align> alignment_if_any(docs::Value object, const char* key);
  /// "default" where there is none.
  std::string memory_if_any(docs::Value object, const char* key);
  std::optional<model::Lifetime> role(docs::Value object, const char* key);
  std::optional<model::Lifetime> role_if_any(docs::Value object, const char* key);

  /// What a document of memsize's says that it hashes to, if it does, and what it does hash to.
  void read_content_hash(const docs::Document& document,
                         const char* key,
                         model::PlanReport& report);

  /// As PlanProblems::lifetime, said of that value.
  std::optional<model::Interval> lifetime(docs::Value of,
                                          std::int64_t first,
                                          std::int64_t last,
                                          LastStep meaning);

  /// These take the value itself, wherever it stands; absence is an error.
  std::optional<std::uint64_t> as_whole(docs::Value value);
  std::optional<std::int64_t> as_step(docs::Value value);
  std::optional<core::Bytes> as_size(docs::Value value);
  std::string as_id(docs::Value value);

  using PlanProblems::alignment;
  using PlanProblems::finish;
  using PlanProblems::lifetime;
  using PlanProblems::size;

 private:
  // Whether it is of the kind; an error where it is not.
  bool is_kind(docs::Value value, docs::Kind kind, const char* what);
  // Its path, which costs the length of an array; empty where nothing more of the code is kept.
  [[nodiscard]] std::string subject(docs::Value value, core::Code code) const;
};

}  // namespace memsize::readers
