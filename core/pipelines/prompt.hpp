// Prompts: one Markdown file each, in prompts/. They are built in, and users may replace them.
//
//   ---
//   { "about": "Writes the artifact.", "temperature": 0.4, "output_tokens_max": 2000 }
//   ---
//   <!-- system -->
//   You write JSON. {{data_rule}}
//   <!-- user -->
//   Write {{count}} questions about: {{plan}}
//
// Between the `---` lines there is one JSON object with these members:
//
//   about              the purpose of the prompt, one sentence (required)
//   temperature        a number from 0 to 2
//   output_tokens_max  the longest answer, in tokens
//   answer             the contract of the answer, if it is not the artifact's own
//   options            the options that a request may give, with their defaults
//   limits             minimum and maximum of numeric options: {"num_questions": [1, 50]}
//   planned, made      what the log counts in the plan and in the artifact: {"at": "/questions/*", "one": "question",
//                      "many": "questions"}, or {"from": "/root", "children": "/children/*", ...} for a tree; `option`
//                      names the option that sets the wanted number
//
// A line `<!-- system -->`, `<!-- user -->` or `<!-- assistant -->` begins a message. Text before the first one
// belongs to the user. The text is a template (core/text/template.hpp). A variable that the pipeline does not give is
// an error with line and column.
//
// Text from a source or a model goes into a prompt between fences, which contain the hash of that text. So no text can
// close its own fence, and equal data gives an equal prompt:
//
//   <<<artifact 3f9ac1d2e5b70a41
//   ...
//   3f9ac1d2e5b70a41>>>
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/value.hpp"
#include "core/result.hpp"
#include "core/run/data.hpp"
#include "core/text/template.hpp"

namespace plumb::pipelines {

inline constexpr std::size_t prompt_bytes_max = std::size_t{256} << 10;

// What the log counts, for people.
struct Counted {
  std::string at;        // either a pointer pattern from the root,
  std::string from;      // or the root of a tree
  std::string children;  // and the path from a node to its children
  std::string one;
  std::string many;
  std::string option;

  bool there() const { return !many.empty(); }
  std::uint64_t count(const json::Value& document) const { return places(document).size(); }
  // JSON Pointers, in the order of the document, at most 100,000.
  std::vector<std::string> places(const json::Value& document) const;
  std::string words(std::uint64_t number) const;  // "1 question", "5 questions"
};

struct Prompt {
  std::string name;
  std::string about;
  std::string temperature;  // as written, or empty
  std::uint64_t output_tokens_max = 0;
  std::string answer;   // JSON text, or empty
  std::string options;  // JSON text, or empty
  std::string limits;   // JSON text, or empty
  Counted planned;
  Counted made;
  struct Message {
    std::string role;
    text::Template text;
  };
  std::vector<Message> messages;
};

// Reads a prompt. Errors name `file`. `names` are the variables that will be given; empty: any.
Result<Prompt> read_prompt(std::string_view name, std::string_view text, std::string_view file,
                           std::span<const std::string_view> names);

// The options of a plan prompt, for people: "num_questions (1 to 50, usually 5), difficulty (usually medium)".
std::string options_words(const Prompt& prompt);
// An error if the prompt uses an option ({{options.depth}}) that is not in `options`.
Result<bool> check_option_names(const Prompt& prompt, std::string_view file, std::span<const std::string_view> options);

// Renders the messages: [{"role": "system", "content": "..."}, ...]
std::string messages_json(const Prompt& prompt, const json::Value& variables);

// `data` between fences with the word `label`. Empty if `data` is empty.
std::string fenced(std::string_view label, std::string_view data);
// The sentence for a system message that explains fences.
std::string_view data_rule();

// The built-in prompts, in the order of their names.
struct BuiltInPrompt {
  std::string_view name;
  std::string_view text;
};
const std::vector<BuiltInPrompt>& built_in_prompts();
const BuiltInPrompt* built_in_prompt(std::string_view name);

// The variables that a pipeline gives to the prompt with this name; empty if no pipeline uses the name.
std::span<const std::string_view> prompt_variables(std::string_view name);

}  // namespace plumb::pipelines
