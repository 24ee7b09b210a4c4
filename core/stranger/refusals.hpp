// What the real interfaces document to refuse, each with its document: one table, which docs/sample-provider.md shows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/wire/model.hpp"

namespace plumb::stranger {

struct Refusal {
  std::string_view id;  // "openai-required"
  wire::Wire wire;
  std::string_view what;      // a sentence
  std::string_view document;  // where it is said
  std::string_view date;      // of the document, as far as it says; else when it was read
};
std::span<const Refusal> refusals();

// One that happened.
struct Refused {
  const Refusal* row = nullptr;
  int status = 400;
  std::string message;
  std::string code;
};
// `id` is one of the table.
Refused refuse(std::string_view id, std::string message, std::string code = {}, int status = 400);

}  // namespace plumb::stranger
