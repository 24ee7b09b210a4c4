// The terms of a source: what its sentences are about.
//
// A term is a bold word, code in the text, a heading, the subject of a definition, a name, or in English a word or a
// pair of words that stands often where a noun stands; in German a noun that stands often. Terms are in the order of
// their rank: marked and defined ones first, then by how often they occur. At most 400 are kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/extract/definitions.hpp"
#include "core/extract/reading.hpp"

namespace plumb::extract {

inline constexpr std::size_t terms_max = 400;

enum class TermKind : std::uint8_t { noun, name, acronym, code };

struct Occurrence {
  std::uint32_t first_word = 0;
  std::uint32_t words_end = 0;
  bool plural = false;
};

struct Term {
  std::string name;  // as it stands within a sentence
  TermKind kind = TermKind::noun;
  bool bold = false;
  bool heading = false;
  std::int32_t definition = -1;  // index into Terms::definitions
  std::uint32_t head = no_stem;  // stem of the noun by which it is defined: "pigment"
  std::vector<Occurrence> at;    // where it is no part of a longer term; at most 64
  std::uint32_t count = 0;       // in all
  std::uint32_t first_word = 0;  // where it first occurs
  std::uint32_t score = 0;
  std::vector<std::uint32_t> stems;
};

struct Terms {
  std::vector<Term> list;
  std::vector<Definition> definitions;

  // The term with this name, by its stems; -1 when there is none.
  std::int32_t find(const Reading& reading, std::string_view name) const;
};

Terms find_terms(const Reading& reading);
// The words of an occurrence as they are written, without quotes around them.
std::string_view written(const Reading& reading, const Occurrence& occurrence);
// The first letter as a capital, where the word is all in lower case: names of things such as mRNA stay.
std::string capitalised(std::string_view text);
// The term as it is written where it is plural, or singular; empty where it does not stand so.
std::string_view form(const Reading& reading, const Term& term, bool plural);

}  // namespace plumb::extract
