#include "core/extract/plan.hpp"

#include <algorithm>

#include "core/extract/mindmap.hpp"
#include "core/extract/questions.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/text/fold.hpp"

namespace plumb::extract {
namespace {

constexpr std::size_t concepts_usual = 10;
constexpr std::size_t mentions_most = 5;

Error bad_plan(std::string message) {
  Error error;
  error.message = std::move(message);
  return error;
}

// Nothing can be made of this source; what is missing in it, by kind.
Error nothing_to_plan(Kind kind) {
  constexpr std::string_view wants =
      ". extract uses the source's own sentences alone: choose a provider with a model, or "
      "another source";
  const std::string_view why =
      kind == Kind::quiz ? "No question can be made of this source: no sentence in it says what something is or does"
      : kind == Kind::flashcards
          ? "No flashcard can be made of this source: no sentence in it says what a term means"
          : "No mind map can be made of this source: it has no headings and no terms to branch by";
  Error error = bad_plan(std::string(why) + std::string(wants));
  error.code = ErrorCode::not_found;
  return error;
}

// The part of the source that a term belongs to: the heading it first occurs under.
std::size_t part_of(const SourceText& reading, const Term& term) {
  std::uint32_t word = term.first_word;
  if (!term.at.empty()) {
    word = term.at.front().first_word;
  }
  const std::size_t chunk = reading.sentences[reading.sentence_of[word]].chunk;
  std::size_t first = chunk;
  while (first > 0 && reading.chunks[first - 1].headings == reading.chunks[chunk].headings) {
    --first;
  }
  return first;
}

const Sentence* evidence(const SourceText& reading, const Terms& terms, const Term& term) {
  if (term.definition >= 0) {
    return &reading.sentences[terms.definitions[static_cast<std::size_t>(term.definition)].sentence];
  }
  for (const Occurrence& at : term.at) {
    const Sentence& sentence = reading.sentences[reading.sentence_of[at.first_word]];
    if (sentence.complete) {
      return &sentence;
    }
  }
  return term.at.empty() ? nullptr : &reading.sentences[reading.sentence_of[term.at.front().first_word]];
}

// The first sentence with this word.
const Sentence* evidence(const SourceText& reading, std::string_view word) {
  const std::uint32_t stem = reading.stem_of(text::fold(word, {true, true}));
  return stem == no_stem ? nullptr : &reading.sentences[reading.sentence_of[reading.occurrences(stem).front()]];
}

void write_item(json::Writer& writer, const SourceText& reading, std::string_view name, const Sentence* sentence) {
  writer.begin_object().member("name", name);
  if (sentence != nullptr) {
    writer.member_uint("chunk", reading.chunks[sentence->chunk].index).member("quote", reading.quote(*sentence));
  }
  writer.end_object();
}

}  // namespace

std::optional<Kind> kind_named(std::string_view name) {
  if (name == "quiz") {
    return Kind::quiz;
  }
  if (name == "flashcards") {
    return Kind::flashcards;
  }
  return name == "mindmap" ? std::optional(Kind::mindmap) : std::nullopt;
}

std::string_view plan_list(Kind kind) {
  return kind == Kind::quiz ? "concepts" : kind == Kind::flashcards ? "terms" : "topics";
}

std::vector<std::uint32_t> concepts(const SourceText& reading, const Terms& terms, Kind kind, std::size_t count) {
  const QuestionMaker maker(reading, terms);
  struct Candidate {
    std::uint32_t term;
    std::size_t part;
    std::size_t turn;
  };
  std::vector<Candidate> found;
  std::vector<std::pair<std::size_t, std::size_t>> taken;  // part, how often
  const std::size_t looked_at = std::min(terms.list.size(), count * 6 + 20);
  for (std::uint32_t i = 0; i < looked_at; ++i) {
    const Term& term = terms.list[i];
    const bool fit = kind == Kind::quiz ? !maker.about(term).empty() : term.definition >= 0;
    if (!fit) {
      continue;
    }
    const std::size_t part = part_of(reading, term);
    auto turn = std::find_if(taken.begin(), taken.end(), [part](const auto& entry) { return entry.first == part; });
    if (turn == taken.end()) {
      turn = taken.insert(taken.end(), {part, 0});
    }
    found.push_back({i, part, turn->second++});
  }
  // The best of every part, then the second best: a quiz is about the whole source.
  std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) { return a.turn < b.turn; });
  if (found.size() > count) {
    found.resize(count);
  }
  std::vector<std::uint32_t> out;
  out.reserve(found.size());
  for (const Candidate& candidate : found) {
    out.push_back(candidate.term);
  }
  return out;
}

Result<std::string> plan(Kind kind, std::span<const Chunk> chunks, const Request& request) {
  if (request.count > items_max) {
    Error error = bad_plan("At most " + json::uint_text(items_max) + " items are made; " +
                           json::uint_text(request.count) + " were asked for.");
    error.code = ErrorCode::limit;
    return error;
  }
  if (request.depth < 2 || request.depth > 6) {
    return bad_plan("A mindmap has 2 to 6 levels.");
  }
  const SourceText reading(chunks);
  const Terms terms = find_terms(reading);
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  if (kind == Kind::mindmap) {
    const std::string main = main_topic(reading, terms);
    if (text::trim(main).empty() || main_topics(reading, terms, request.depth).empty()) {
      return nothing_to_plan(kind);
    }
    writer.member("main", main);
  }
  writer.key(plan_list(kind)).begin_array();
  if (kind == Kind::mindmap) {
    for (const Topic& topic : main_topics(reading, terms, request.depth)) {
      write_item(writer, reading, topic.name, topic.evidence);
    }
    writer.end_array().member_uint("depth", request.depth);
    writer.end_object();
    return out;
  }
  const std::size_t least = kind == Kind::quiz ? concepts_usual : cards_usual;
  const std::vector<std::uint32_t> chosen = concepts(reading, terms, kind, std::max(least, request.count));
  for (const std::uint32_t term : chosen) {
    write_item(writer, reading, terms.list[term].name, evidence(reading, terms, terms.list[term]));
  }
  // Nothing can be asked: what the source mentions is named, so that whoever reads the failure sees what was tried.
  const std::vector<std::string> names =
      chosen.empty() ? mentioned(reading, mentions_most) : std::vector<std::string>();
  if (chosen.empty() && names.empty()) {
    return nothing_to_plan(kind);
  }
  for (const std::string& name : names) {
    write_item(writer, reading, name, evidence(reading, name));
  }
  writer.end_array();
  const std::size_t usual = std::min(chosen.size() + names.size(), kind == Kind::quiz ? questions_usual : cards_usual);
  writer.member_uint(kind == Kind::quiz ? "questions" : "cards", request.count > 0 ? request.count : usual);
  writer.end_object();
  return out;
}

Result<Plan> read_plan(Kind kind, std::string_view text) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(text, arena);
  if (!read) {
    Error error = read.error();
    error.message = "The plan cannot be read: " + error.message;
    return error;
  }
  Plan plan;
  const std::string_view list = plan_list(kind);
  const json::Value* const items = read.value().find(list);
  if (items == nullptr || !items->is(json::Kind::array)) {
    return bad_plan("The plan has no list '" + std::string(list) + "'.");
  }
  for (const json::Value& item : items->array()) {
    const json::Value* const name = item.is(json::Kind::string) ? &item : item.find("name");
    if (name == nullptr || !name->is(json::Kind::string)) {
      return bad_plan("Item " + json::uint_text(plan.names.size()) + " of the plan has no name.");
    }
    if (plan.names.size() == items_max) {
      break;
    }
    plan.names.emplace_back(name->str());
  }
  const json::Value* const main = read.value().find("main");
  plan.main = main != nullptr ? std::string(main->str()) : std::string();
  const auto number = [&read](std::string_view key, std::size_t otherwise) {
    const json::Value* const value = read.value().find(key);
    std::uint64_t found = 0;
    return value != nullptr && json::read_uint(value->str(), found) && found <= items_max
               ? static_cast<std::size_t>(found)
               : otherwise;
  };
  const std::size_t usual = std::min(plan.names.size(), kind == Kind::quiz ? questions_usual : cards_usual);
  plan.count = number(kind == Kind::quiz ? "questions" : "cards", usual);
  plan.depth = number("depth", 3);
  return plan;
}

}  // namespace plumb::extract
