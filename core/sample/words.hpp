// Readable text for samples: words, names, sentences and questions from a small list, without a phrase that `avoids`
// knows, in lower case but where a sentence begins.
//
//   word(random)                     "lantern"
//   phrase(random, 2)                "quiet harbor"
//   sentence(random)                 "The quiet harbor holds seven lanterns."
//   question(random)                 "Which lantern is green?"
//   fact(random, FactKind::date)     "on 5 May 2024"
//   sized(random, min, max)          prose of min to max code points
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/sample/random.hpp"
#include "core/text/facts.hpp"

namespace plumb::sample {

std::string word(Random& random);
// Adjectives and a noun.
std::string phrase(Random& random, std::size_t words);
std::string name(Random& random);
std::string sentence(Random& random);
std::string question(Random& random);
// A piece of a sentence that is a fact of this kind.
std::string fact(Random& random, text::FactKind kind);
// Prose of `min` to `max` code points; it begins and ends with no white space. `min` is at most `max`.
std::string sized(Random& random, std::uint64_t min, std::uint64_t max);

}  // namespace plumb::sample
