// A run over the emitters that are wanted: the ones asked for, else all that are not by request.
#pragma once

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/artifact.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::emit {

/// Errors of several are told together; a name that none has is one.
template <typename Input>
core::Result<std::vector<Artifact>> render_wanted(const std::vector<EmitterOf<Input>>& emitters,
                                                  const Input& input,
                                                  const std::vector<std::string>& only) {
  const std::vector<std::string> names = core::texts_of(emitters, &EmitterOf<Input>::name);
  for (const std::string& name : only) {
    if (!core::contains(names, name)) {
      return core::fail(core::error(core::Code::kEmitUnknown,
                                    fmt::format("there is no emitter '{}'", core::printable(name)),
                                    {},
                                    core::did_you_mean(name, names, "the emitters are")));
    }
  }
  std::vector<Artifact> artifacts;
  core::Diagnostics errors;
  for (const EmitterOf<Input>& emitter : emitters) {
    const std::string name{emitter.name};
    const bool wanted = only.empty() ? !emitter.by_request : core::contains(only, name);
    if (!wanted) {
      continue;
    }
    auto rendered = emitter.render(input);
    if (!rendered) {
      std::move(rendered.error().begin(), rendered.error().end(), std::back_inserter(errors));
      continue;
    }
    for (Artifact& artifact : *rendered) {
      artifact.emitter = name;
      artifacts.push_back(std::move(artifact));
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return artifacts;
}

}  // namespace memsize::emit
