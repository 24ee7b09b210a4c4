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

// Claims from the passages of the searches, each held against them: {"claims", "verified", "stands", "total",
// "confidence", "missing", "error", "tokens"}. Nobody is asked where it was `stopped`.
run::Data answer_part(run::Run& run, const Inquiry& inquiry, std::uint64_t tokens_left,
                      const std::vector<run::Data>& searches, bool stopped);
// How many of the claims have what was asked for.
std::uint64_t standing(const json::Value& answer);

}  // namespace plumb::pipelines::research
