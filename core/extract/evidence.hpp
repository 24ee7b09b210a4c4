// Evidence: which sentence of a source says what an artifact says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/extract/terms.hpp"

namespace plumb::extract {

struct Proof {
  const Sentence* sentence = nullptr;  // nullptr: none was found
  bool certain = false;                // the sentence says just this
  const Sentence* other = nullptr;     // says it word for word, but not of what is asked about
};

enum class AskedType : std::uint8_t {
  cloze,        // a sentence with a gap
  meaning,      // What is X?
  description,  // Which term fits this description: "..."?
  free,         // anything else
};

struct Asked {
  AskedType type = AskedType::free;
  std::string about;  // the sentence with its gap, the term, the description, or the question itself
};

// Words that are not in the source, in the order they come, at most five.
struct Unknown {
  std::string words;
  bool telling = false;  // a number or a name is among them, or most of the words are
};

class Evidence {
 public:
  Evidence(const SourceText& reading, const Terms& terms) : r_(reading), terms_(terms) {}

  const SourceText& reading() const { return r_; }
  Asked asked(std::string_view question) const;
  // What proves that `answer` answers the question.
  Proof proof(const Asked& asked, std::string_view answer) const;
  // What proves that a term means this: its definition in these words. Certain only for a term that is defined.
  Proof definition_proof(std::string_view term, std::string_view meaning) const;
  // The first sentence with these words in this order; certain when it has them all so.
  Proof mention(std::string_view words) const;
  // The sentence with most of the words of both; nothing where none has half of them.
  Proof nearest(std::string_view a, std::string_view b) const;
  bool defines(std::string_view term) const;
  // No content word of it occurs in the source.
  bool is_foreign(std::string_view text) const;
  Unknown unknown_in(std::string_view text) const;
  // Without the words that only ask or quote ("Which term fits", "The source says").
  std::string without_wording(std::string_view text) const;

 private:
  struct Content {
    std::vector<std::uint32_t> stems;  // known content words
    std::size_t unknown = 0;
  };
  Content content(std::string_view text) const;
  std::string folded(const Sentence& sentence) const;
  // The sentence that has most of these stems, and how many.
  const Sentence* best_sentence(const std::vector<std::uint32_t>& stems, std::size_t& found) const;
  // The sentence that contains `text` word for word, case aside.
  const Sentence* verbatim(std::string_view text) const;

  const SourceText& r_;
  const Terms& terms_;
};

}  // namespace plumb::extract
