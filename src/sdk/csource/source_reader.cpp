// Steps through a source word by word and notes how deep it is and what it stands behind, so that a
// parser knows whether a statement runs for certain. Arguments keep their text and place.
#include "source_reader.hpp"

#include "memsize/core/text.hpp"

#include <set>

namespace memsize::sdk {

using core::Code;

namespace {

std::shared_ptr<const ReadSource> read(const FirmwareFile& file) {
  if (file.read == nullptr) {
    file.read = std::make_shared<const ReadSource>(file);
  }
  return file.read;
}

}  // namespace

ReadSource::ReadSource(const FirmwareFile& file)
    : source(file.file, file.root, file.macros.with_names(file.flags), problems),
      macros(file.macros),
      cursor(source.cursor(problems)) {
  macros.add(source);
}

SourceReader::SourceReader(const FirmwareFile& file, core::Diagnostics& errors)
    : read_(read(file)),
      source_(read_->source),
      macros_(read_->macros),
      cursor_(read_->cursor, errors),
      errors_(errors) {
  errors.insert(errors.end(), read_->problems.begin(), read_->problems.end());
  rules_ = macros_.rules();
  rules_.names_of = "the map's header or the source";
}

std::string SourceReader::step() {
  std::string word = cursor_.take();
  if (word == "{" || word == "}" || (word == ";" && parentheses_ == 0)) {
    depth_ += word == "{" ? 1U : 0U;
    depth_ -= word == "}" && depth_ > 0 ? 1U : 0U;
    statement_.clear();
    parentheses_ = 0;
    is_optional_ = false;
    return word;
  }
  statement_ = statement_.empty() ? word : statement_;
  parentheses_ += word == "(" ? 1U : 0U;
  parentheses_ -= word == ")" && parentheses_ > 0 ? 1U : 0U;
  is_optional_ = is_optional_ || word == "?" || (word == "&" && cursor_.peek() == "&") ||
                 (word == "|" && cursor_.peek() == "|");
  return word;
}

std::optional<Argument> SourceReader::taken(bool whole) {
  Argument argument;
  const core::Place begin = cursor_.place();
  const auto value = whole ? core::c_expression(cursor_, rules_) : core::c_operand(cursor_, rules_);
  if (!value) {
    return std::nullopt;
  }
  argument.value = *value;
  argument.place = cursor_.place_since(begin);
  argument.text = cursor_.words_since(begin);
  return argument;
}

std::optional<Argument> SourceReader::argument() {
  return taken(true);
}

std::optional<Argument> SourceReader::operand() {
  return taken(false);
}

std::string SourceReader::name_of(const Argument& argument,
                                  const std::vector<std::string_view>& endings) const {
  core::Diagnostics unused;
  core::Cursor cursor{"", argument.text, Code::kVerifyParse, unused, core::Words::kC};
  std::string name;
  bool is_sole = true;
  while (!cursor.done()) {
    const std::string word = cursor.take();
    if (macros_.contains(word)) {
      is_sole = is_sole && name.empty();
      name = word;
    } else if (!core::is_c_type(word) && word != "(" && word != ")" && word != "*") {
      is_sole = false;
    }
  }
  if (!is_sole || name.empty()) {
    return core::format_hex(argument.value);
  }
  for (const std::string_view ending : endings) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      return name.substr(0, name.size() - ending.size());
    }
  }
  return name;
}

bool SourceReader::is_certain(std::size_t blocks) const {
  static const std::set<std::string> unsure = {"else", "for", "while", "do", "switch", "case"};
  const bool behind_if = statement_ == "if" && parentheses_ == 0;
  return depth_ <= blocks && !behind_if && !is_optional_ && !unsure.contains(statement_);
}

void SourceReader::skip_statement() {
  while (!cursor_.done() && cursor_.peek() != "}" && cursor_.peek() != "{") {
    if (step() == ";") {
      return;
    }
  }
}

}  // namespace memsize::sdk
