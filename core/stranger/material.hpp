// What a prompt gives a reader who knows nothing else: the data between its fences, its words and sentences, the values
// of its data by their names, lists of names with their places, how many of something is asked for, and what feedback
// says is allowed where.
//
//   Material material = read_material(asked.messages);
//   material.vocabulary           for samples (core/sample/vocabulary.hpp)
//   material.documents            JSON values in it, the last one last
//   material.allowed              {"/questions/0/correct_answer", ["\"Paris\"", ...]}
//
// The words are those that say something, if there are any: "the" and "of" name nothing.
//
// A fence is what the prompt puts around data: lines of three backticks, or <<<NAME TOKEN ... TOKEN>>>.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/sample/vocabulary.hpp"
#include "core/stranger/asked.hpp"

namespace plumb::stranger {

struct Fenced {
  std::string label;
  std::string text;
};
std::vector<Fenced> fenced_parts(std::string_view text);

struct Material {
  sample::Vocabulary vocabulary;
  std::vector<std::string> documents;                                     // JSON objects and arrays
  std::vector<std::pair<std::string, std::vector<std::string>>> allowed;  // pointer, JSON values
  std::vector<std::string> wrong;                                         // pointers that feedback names
};
Material read_material(const std::vector<AskedMessage>& messages);

}  // namespace plumb::stranger
