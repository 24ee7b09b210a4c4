#include "core/stranger/material.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/text/function_words.hpp"
#include "core/text/sentences.hpp"

namespace plumb::stranger {

namespace {

using json::Kind;
using json::Value;

constexpr std::size_t words_max = 4'000;
constexpr std::size_t sentences_max = 600;
constexpr std::size_t sentence_bytes_max = 400;
constexpr std::size_t values_max = 200;  // of one name
constexpr std::size_t read_bytes_max = std::size_t{256} << 10U;

std::string json_text(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

void add_once(std::vector<std::string>& list, std::string text) {
  if (list.size() < values_max && std::find(list.begin(), list.end(), text) == list.end()) {
    list.push_back(std::move(text));
  }
}

std::vector<std::string>& named(std::vector<sample::Vocabulary::Values>& all, std::string_view name) {
  for (sample::Vocabulary::Values& one : all) {
    if (one.first == name) {
      return one.second;
    }
  }
  return all.emplace_back(std::string(name), std::vector<std::string>()).second;
}

// "questions[0].options", as feedback writes places, or a pointer already.
std::string pointer_of(std::string_view field) {
  if (field.empty() || field[0] == '/' || field == "(root)") {
    return field == "(root)" ? std::string() : std::string(field);
  }
  std::string out;
  std::string name;
  const auto flush = [&] {
    if (!name.empty()) {
      json::append_token(out, name);
      name.clear();
    }
  };
  for (std::size_t i = 0; i < field.size(); ++i) {
    const char c = field[i];
    if (c == '[') {
      flush();
      const std::size_t end = std::min(field.find(']', i), field.size());
      std::string_view inner = field.substr(i + 1, end - i - 1);
      if (inner.size() >= 2 && inner.front() == '"') {
        inner = inner.substr(1, inner.size() - 2);
      }
      json::append_token(out, inner);
      i = end;
    } else if (c == '.') {
      flush();
    } else {
      name += c;
    }
  }
  flush();
  return out;
}

// Names and labels are made of these: words that only hold sentences together name nothing.
void keep_telling_words(std::vector<std::string>& words) {
  std::vector<std::string> telling;
  for (const std::string& word : words) {
    const text::Words read(word, 1);
    const bool holds_together = read.size() == 0 || text::is_function_word(read.folded(0)) ||
                                text::is_other_function_word(read.folded(0)) ||
                                (word.size() < 3 && std::all_of(word.begin(), word.end(), ascii::is_lower<char>));
    if (!holds_together) {
      telling.push_back(word);
    }
  }
  if (!telling.empty()) {
    words = std::move(telling);
  }
}

class MaterialReader {
 public:
  explicit MaterialReader(Material& out) : out_(out) {}

  void message(const AskedMessage& message) {
    const std::vector<Fenced> parts = fenced_parts(message.text);
    for (const Fenced& part : parts) {
      data(part.text);
    }
    any_data_ = any_data_ || !parts.empty();
    around(message.text, parts);
  }

  // Without any fence the user's own words are all there is.
  void without_fences(const std::vector<AskedMessage>& messages) {
    for (const AskedMessage& one : messages) {
      if (!any_data_ && one.role != "system" && one.role != "developer") {
        prose(one.text);
      }
    }
    if (out_.vocabulary.words.empty()) {
      for (const AskedMessage& one : messages) {
        prose(one.text);
      }
    }
  }

 private:
  void data(std::string_view text) {
    if (bytes_ > read_bytes_max) {
      return;
    }
    bytes_ += text.size();
    if (document(text)) {
      return;
    }
    bool all_lines = !text.empty();
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t to = std::min(text.find('\n', from), text.size());
      const std::string_view line = text.substr(from, to - from);
      const std::size_t begins = line.find_first_of("{[");
      const bool is_document = begins < 80 && document(line.substr(begins));
      if (is_document && begins > 0) {
        std::string_view id = line.substr(0, begins);
        while (!id.empty() && std::string_view(" -*:\t").find(id.back()) != std::string_view::npos) {
          id.remove_suffix(1);
        }
        while (!id.empty() && std::string_view(" -*\t").find(id.front()) != std::string_view::npos) {
          id.remove_prefix(1);
        }
        if (!id.empty()) {
          add_once(out_.vocabulary.ids, json_text(id));
        }
      }
      all_lines = all_lines && is_document;
      from = to + 1;
    }
    if (!all_lines) {
      listed(text);
      brackets(text);
      const std::size_t before = out_.vocabulary.sentences.size();
      prose(text);
      const std::vector<std::string>& said = out_.vocabulary.sentences;
      out_.vocabulary.quotes.insert(out_.vocabulary.quotes.end(), said.begin() + static_cast<std::ptrdiff_t>(before),
                                    said.end());
    }
  }

  bool document(std::string_view text) {
    const std::size_t begins = text.find_first_not_of(ascii::spaces);
    if (begins == std::string_view::npos || (text[begins] != '{' && text[begins] != '[')) {
      return false;
    }
    json::Arena arena;
    const Result<Value> value = json::parse(text, arena);
    if (!value) {
      return false;
    }
    feedback(value.value());
    values(value.value(), {}, 0);
    out_.documents.push_back(json::value_text(value.value()));
    return true;
  }

  void values(const Value& value, std::string_view name, std::uint32_t depth) {
    if (depth > 64) {
      return;
    }
    if (value.is(Kind::string) || value.is(Kind::number)) {
      if (!name.empty()) {
        const std::string text = json::value_text(value);
        add_once(named(out_.vocabulary.values, name), text);
        const bool id = name == "id" || (name.size() > 3 && name.ends_with("_id"));
        if (id) {
          add_once(out_.vocabulary.ids, text);
        }
      }
      if (value.is(Kind::string) && value.size > 12 && value.str().find(' ') != std::string_view::npos) {
        prose(value.str());
      }
    }
    for (const json::Member& member : value.object()) {
      values(member.value, member.key, depth + 1);
    }
    for (const Value& item : value.array()) {
      values(item, name, depth + 1);
    }
  }

  // {"field": ..., "allowed": [...]} anywhere in it.
  void feedback(const Value& value) {
    const Value* field = value.find("field") != nullptr ? value.find("field") : value.find("at");
    const Value* allowed = value.find("allowed");
    const bool says = value.find("problem") != nullptr || value.find("requirement") != nullptr ||
                      value.find("message") != nullptr || allowed != nullptr;
    if (field != nullptr && field->is(Kind::string) && says) {
      const std::string pointer = pointer_of(field->str());
      add_once(out_.wrong, pointer);
      if (allowed != nullptr && !allowed->array().empty()) {
        std::vector<std::string> choices;
        for (const Value& one : allowed->array()) {
          choices.push_back(json::value_text(one));
        }
        out_.allowed.emplace_back(pointer, std::move(choices));
      }
    }
    for (const json::Member& member : value.object()) {
      feedback(member.value);
    }
    for (const Value& item : value.array()) {
      feedback(item);
    }
  }

  // "[u12] ..." names a piece.
  void brackets(std::string_view text) {
    for (std::size_t i = text.find('['); i != std::string_view::npos; i = text.find('[', i + 1)) {
      const std::size_t end = text.find(']', i);
      if (end == std::string_view::npos) {
        return;
      }
      const std::string_view id = text.substr(i + 1, end - i - 1);
      if (!id.empty() && id.size() <= 80 && id.find_first_of(" \n\t[\"") == std::string_view::npos &&
          (end + 1 == text.size() || text[end + 1] != '(')) {
        add_once(out_.vocabulary.ids, json_text(id));
      }
    }
  }

  // "- NAME: ..." with "  at PLACE, PLACE" below it.
  void listed(std::string_view text) {
    std::string name;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t to = std::min(text.find('\n', from), text.size());
      const std::string_view line = text.substr(from, to - from);
      from = to + 1;
      if (line.starts_with("- ")) {
        const std::size_t colon = line.find(':');
        const bool plain = colon != std::string_view::npos && line.substr(2, colon - 2).find(' ') == std::string::npos;
        name = plain ? std::string(line.substr(2, colon - 2)) : std::string();
        if (!name.empty()) {
          add_once(named(out_.vocabulary.values, "rule"), json_text(name));
        }
        if (line.size() > 2 && line[2] == '/') {
          add_once(named(out_.vocabulary.values, "path"), json_text(line.substr(2)));
        }
      } else if (line.starts_with("  at ") && !name.empty()) {
        places(line.substr(5), name);
      }
    }
  }

  void places(std::string_view line, const std::string& name) {
    for (std::size_t from = 0; from < line.size() && out_.vocabulary.rows.size() < 2'000;) {
      const std::size_t to = std::min(line.find(", ", from), line.size());
      std::string_view place = line.substr(from, to - from);
      from = to + 2;
      if (place.starts_with("\"\"")) {
        place = {};
      }
      add_once(named(out_.vocabulary.values, "at"), json_text(place));
      out_.vocabulary.rows.push_back({{"rule", {json_text(name)}}, {"at", {json_text(place)}}});
    }
  }

  void prose(std::string_view text) {
    sample::Vocabulary& words = out_.vocabulary;
    const text::Words read(text, words_max - std::min(words_max, words.words.size()));
    for (std::size_t i = 0; i < read.size(); ++i) {
      words.words.emplace_back(read.written(i));
    }
    for (const text::TextSpan span : text::sentences(text)) {
      if (words.sentences.size() >= sentences_max) {
        return;
      }
      const std::string_view one = text::piece(text, span);
      if (one.size() <= sentence_bytes_max) {
        words.sentences.emplace_back(one);
      }
    }
  }

  // What is said outside of the fences: lists, and numbers of things.
  void around(std::string_view text, const std::vector<Fenced>& parts) {
    std::string rest(text);
    for (const Fenced& part : parts) {
      if (const std::size_t at = part.text.empty() ? std::string::npos : rest.find(part.text);
          at != std::string::npos) {
        rest.replace(at, part.text.size(), " ");
      }
    }
    listed(rest);
    for (std::size_t from = 0; from < rest.size();) {
      const std::size_t to = std::min(rest.find('\n', from), rest.size());
      (void)document(std::string_view(rest).substr(from, to - from));
      from = to + 1;
    }
    const text::Words words(rest, words_max);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      std::uint64_t number = 0;
      const std::string_view before = i == 0 ? std::string_view() : words.folded(i - 1);
      const bool bound = before == "most" || before == "to" || before == "than" || before == "or" || before == "least";
      if (!bound && json::read_uint(words.written(i), number) && number > 0 && number <= 200) {
        out_.vocabulary.counts.emplace_back(std::string(words.folded(i + 1)), number);
      }
    }
  }

  Material& out_;
  bool any_data_ = false;
  std::size_t bytes_ = 0;
};

}  // namespace

std::vector<Fenced> fenced_parts(std::string_view text) {
  std::vector<Fenced> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, line_end - at);
    std::size_t end = std::string_view::npos;
    Fenced part;
    if (line.starts_with("<<<")) {
      const std::size_t blank = line.find(' ');
      if (blank != std::string_view::npos) {
        part.label = std::string(line.substr(3, blank - 3));
        const std::string closing = "\n" + std::string(line.substr(blank + 1)) + ">>>";
        end = text.find(closing, line_end);
        if (end != std::string_view::npos && line_end + 1 <= end) {
          part.text = std::string(text.substr(line_end + 1, end - line_end - 1));
        }
        end = end == std::string_view::npos ? end : end + closing.size();
      }
    } else if (line.starts_with("```")) {
      part.label = std::string(line.substr(3));
      end = text.find("\n```", line_end);
      if (end != std::string_view::npos && line_end + 1 <= end) {
        part.text = std::string(text.substr(line_end + 1, end - line_end - 1));
      }
      end = end == std::string_view::npos ? end : end + 4;
    }
    if (end == std::string_view::npos) {
      at = line_end + 1;
    } else {
      out.push_back(std::move(part));
      at = end;
    }
  }
  return out;
}

Material read_material(const std::vector<AskedMessage>& messages) {
  Material out;
  MaterialReader reader(out);
  for (const AskedMessage& one : messages) {
    reader.message(one);
  }
  reader.without_fences(messages);
  keep_telling_words(out.vocabulary.words);
  return out;
}

}  // namespace plumb::stranger
