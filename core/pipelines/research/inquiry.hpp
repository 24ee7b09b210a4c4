// One question while it is looked into, and what its passages answer. Internal to this folder.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/pipelines/research/loop.hpp"

namespace plumb::pipelines::research {

struct Inquiry {
  const Brief& brief;
  std::string_view objective;
  const Question& question;
  std::uint64_t begun_ms = 0;
};

// Claims from the passages of the searches, each held against them. Nobody is asked where it was `stopped`.
Answered answer_part(run::Run& run, const Inquiry& inquiry, std::uint64_t tokens_left,
                     const std::vector<Search>& searches, bool stopped);

}  // namespace plumb::pipelines::research
