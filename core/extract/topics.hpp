// What conversations are about, by the words that they share.
//
//   std::vector<Pattern> found = topics(pieces);    "28 of 200 conversations speak of "Google": ..."
//
// The word, or pair of words, that most pieces share is a topic, what fails before what does not; the pieces that have
// it are taken out, and the next one is looked for. Words count by their stems; what agents wrote, greetings, sign-offs
// and sentences that many have word for word do not. A word whose pieces mostly have a pair with it is one topic with
// that pair.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::extract {

// A conversation, a place in code, a section or a point.
struct Piece {
  std::string_view id, path, text;
};

struct Pattern {
  std::string name, description, severity, users, confidence;
  std::vector<std::string_view> evidence;
};

// What the description of a topic says where people ask for something and nothing fails.
inline constexpr std::string_view asked_about = " conversations ask about \"";

std::string confidence_of(std::size_t pieces);
std::vector<Pattern> topics(const std::vector<Piece>& pieces);
// Whether a figure, by the name of its column, is about what a pattern names: "export_errors rises by 40%" and "export
// button". Words that say no more than that something is wrong link nothing.
bool is_about(std::string_view figure, std::string_view pattern);
// The sentence of a conversation that speaks of a topic by this name, without a greeting; else its beginning.
std::string sentence_about(std::string_view text, std::string_view name);

}  // namespace plumb::extract
