// The change of one tree, step by step, so that several trees can take each step together.
#pragma once

#include "recover.hpp"
#include "survey.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memsize::sdk {

class TreeChange {
 public:
  /// What `wanted` points to must outlive it.
  TreeChange(Store store, std::vector<Wanted> wanted)
      : store_(std::move(store)), wanted_(std::move(wanted)) {}

  TreeChange(const TreeChange&) = delete;
  TreeChange& operator=(const TreeChange&) = delete;

  [[nodiscard]] const Store& store() const { return store_; }

  [[nodiscard]] const Applied& applied() const { return applied_; }

  /// Without the lock: whether there is something to change, or to end first. What cannot be
  /// changed is an error here already.
  [[nodiscard]] core::Result<bool> is_needed();

  // Each of these once, in this order. An error of one says that this tree was not changed.

  [[nodiscard]] core::Result<void> lock(const std::string& description);
  /// Ends what an earlier run began.
  [[nodiscard]] core::Result<void> recover();
  [[nodiscard]] core::Result<void> plan(const std::string& description);
  /// Copies and new files; the tree itself is not touched.
  [[nodiscard]] core::Result<void> stage();
  [[nodiscard]] core::Result<void> commit();
  [[nodiscard]] core::Result<void> make();
  [[nodiscard]] core::Result<void> finish();

  /// After all of them. What cannot be removed now is removed by the next run.
  void clean() { (void)store_.clean(); }

  /// Back to before stage(), whatever step was reached; false where that failed.
  [[nodiscard]] bool undo();

  /// Whether undo() has files to put back.
  [[nodiscard]] bool is_committed() const { return reached_ >= Reached::kCommitted; }

  /// Full paths of the files that were to be changed.
  [[nodiscard]] std::vector<std::string> targets() const;
  /// Those that have the new bytes, as the user may type them.
  [[nodiscard]] std::vector<std::string> changed_now() const;

 private:
  enum class Reached { kNothing, kStaging, kCommitted, kFinished };

  [[nodiscard]] core::Result<void> copy(const Task& task);
  [[nodiscard]] core::Result<void> keep_edited(const Task& task);
  void list();

  Store store_;
  std::vector<Wanted> wanted_;
  // Behind store_: it goes first.
  std::optional<Store::Session> session_;
  Survey survey_;
  Journal journal_;
  Applied applied_;
  // What was put into kept/, below it.
  std::vector<std::string> fresh_;
  Reached reached_ = Reached::kNothing;
};

}  // namespace memsize::sdk
