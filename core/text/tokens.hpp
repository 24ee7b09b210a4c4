// How many tokens a text costs, estimated without a vocabulary.
//
//   TokenEstimate cost = estimate_tokens("Every question needs four options.", encoding_of_model("gpt-4o"));
//   cost.likely   what the encoding most likely makes of it
//   cost.safe     what it hardly exceeds: for budgets
//
// The text is cut into pieces as byte-pair encoders do (a word with the blank before it, up to three digits, a run of
// marks, a line end with its indent), and what is counted in them (core/text/token_features.hpp) is weighed with a
// table for each encoding that was fitted to it. How far the numbers are off on texts that the fit has not seen is in
// docs/budget.md (`./dev bench tokens`): `safe` was under the count in none of them. Whatever the weights say, a text
// costs at least a token a word and, in `safe`, one for 16 bytes that change.
//
// A model whose encoding is not known costs the larger of both. Linear in the text, some 50 MB/s; any bytes are
// taken. The same on every machine: whole numbers only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plumb::text {

enum class Encoding : std::uint8_t { o200k_base, cl100k_base, unknown };

// "o200k_base", "cl100k_base", "unknown".
std::string_view encoding_name(Encoding encoding);
std::optional<Encoding> encoding_named(std::string_view name);

// By the model's name, with or without what precedes its last slash, and whatever snapshot it is: "gpt-4o-mini",
// "openai/gpt-4o-2024-08-06". `unknown` where nobody has said which vocabulary a model uses.
Encoding encoding_of_model(std::string_view model);

struct TokenEstimate {
  std::uint64_t likely = 0;
  std::uint64_t safe = 0;
};

TokenEstimate estimate_tokens(std::string_view utf8, Encoding encoding = Encoding::unknown);

}  // namespace plumb::text
