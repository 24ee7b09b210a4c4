// What a question asks for, by its form, and whether a text has it: how many wants a number of that thing, who a name,
// when a date, which file a path. A text about the same subject that does not have it is no answer.
//
//   const Wanted wanted = wanted_by("How many fields does a line of fstab have?");
//   wanted.says                                           "a number of fields"
//   supports(wanted, "Each line has six fields.")         true
//   supports(wanted, "Fields are separated by tabs.")     false
//
// It goes by words: English. What has no form of its own (how, why) asks for a statement, which any sentence is that
// says more than the question.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::extract {

enum class WantedKind : std::uint8_t {
  statement,   // how do I, why, what happens: nothing that could be told by its form
  verdict,     // is it, may it: yes or no
  meaning,     // what does it do, what is it for
  definition,  // what is it
  number,
  date,
  time,  // a date, or what it depends on: "when is it removed?"
  name,
  path,
  option,
  command,
  variable,
  thing,  // which compressor, what characters: what is of that kind
};

struct Wanted {
  WantedKind kind = WantedKind::statement;
  // Stems of what is counted or chosen from ("field"), of what is defined, and of what somebody did ("Who wrote ...").
  std::vector<std::string> focus;
  std::vector<std::string> unit;      // words of which one belongs to the number: "second", "percent"
  std::vector<std::string> question;  // all words of the question, folded
  std::string says;                   // for people: "a number of fields", "a date"
};
Wanted wanted_by(std::string_view question);
// What a sentence says that shall be stated, by its nouns: "The number of fields is stated." A statement where it has
// no such noun.
Wanted wanted_in(std::string_view sentence);
// Whether a word of the question only says what kind of thing is wanted: "file" of "Which file ...?"
bool names_kind(const Wanted& wanted, std::string_view folded);

// Whether the quote has what is wanted. `claim`: what its author says that it proves; a number counts as one of that
// thing also where the claim says so of the very number.
bool supports(const Wanted& wanted, std::string_view quote, std::string_view claim = {});

// The words of a question that carry it and that are neither in the quote nor in what is around it, nor are words that
// mean the same; without those that say nothing of their own ("does", "have", "call").
std::vector<std::string> unsaid_words(std::string_view question, std::string_view quote, std::string_view around);

// Whether two stems are of words that may stand for one another.
bool means_the_same(std::string_view a, std::string_view b);
// The words of a text as they are typed: "/etc/fstab", "--purge", "APT::Get"; without what is around them.
std::vector<std::string_view> typed_words(std::string_view text);

// A quote in which a word of the question has another word before it than in the question speaks of another thing.
bool speaks_of_another(std::string_view question, std::string_view quote);
// Whether quote and what is around it say all that the question says, of what is wanted: whether the quote has that is
// not asked here.
bool says_all(std::string_view question, const Wanted& wanted, std::string_view quote, std::string_view around);
// Whether quote and what is around it state what is wanted and all that the question says of it, as far as words tell:
// for who has no model to read them. Statements are never told by words.
bool proves(std::string_view question, const Wanted& wanted, std::string_view quote, std::string_view around);

// What words of one family share: "updates", "updated" and "updating" are one, "stopping" is "stop".
std::string_view word_stem(std::string_view folded);

}  // namespace plumb::extract
