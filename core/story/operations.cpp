#include "core/story/operations.hpp"

#include <algorithm>

#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/story/contracts.hpp"
#include "core/story/lanes.hpp"
#include "core/story/make.hpp"
#include "core/story/reading.hpp"
#include "core/story/ship.hpp"

namespace plumb::story {

namespace {

using json::Kind;
using json::text_of;
using json::Value;

constexpr std::size_t notes_max = 1000;

Error wrong(std::string message, std::string where) {
  return Error{ErrorCode::invalid_argument, std::move(message), std::move(where), 0, 0};
}

Result<std::string_view> text_in(const Value& request, std::string_view name) {
  const Value* found = request.find(name);
  return found != nullptr && found->is(Kind::string)
             ? Result<std::string_view>(found->str())
             : Result<std::string_view>(wrong("`" + std::string(name) + "` is a text", "/" + std::string(name)));
}

Result<std::vector<PhaseNote>> notes_in(const Value& request) {
  const Value* notes = request.find("notes");
  if (notes == nullptr || !notes->is(Kind::array) || notes->size > notes_max) {
    return wrong("`notes` is a list of at most 1,000", "/notes");
  }
  std::vector<PhaseNote> out;
  for (const Value& one : notes->array()) {
    Result<PhaseNote> note = read_note(json::value_text(one));
    if (!note) {
      return note.error();
    }
    out.push_back(std::move(note).value());
  }
  return out;
}

Result<Book> story_in(const Value& request) {
  const Value* story = request.find("story");
  return story != nullptr && story->is(Kind::object) ? read_book(json::value_text(*story))
                                                     : Result<Book>(wrong("`story` is a story.json", "/story"));
}

void write_findings(json::Writer& json, const contract::Verdict& verdict) {
  json.member("decision", contract::decision_name(verdict.decision)).member_boolean("valid", verdict.valid);
  json.key("findings").begin_array();
  for (const contract::Finding& one : verdict.findings) {
    json.begin_object().member("rule", one.rule).member("severity", contract::severity_name(one.severity));
    json.member("at", one.at).member("node", one.item).member("stage", one.schema_location);
    json.member("message", one.message).member_uint("line", one.span.line).member_uint("column", one.span.column);
    json.member_uint("from", one.span.from).member_uint("to", one.span.to).end_object();
  }
  json.end_array().key("undecided").begin_array();
  for (const contract::Undecided& one : verdict.undecided) {
    json.begin_object().member("rule", one.rule).member("at", one.at).member("reason", one.reason).end_object();
  }
  json.end_array();
}

void write_play(json::Writer& json, const PlayOutcome& play) {
  json.key("play").begin_object().member_boolean("complete", play.complete).member("why_not", play.why_not);
  json.member_uint("states", play.states).member_uint("steps", play.steps).member_uint("endings", play.endings);
  json.member_uint("endings_reached", play.endings_reached).key("traps").begin_array();
  for (const Trap& trap : play.traps) {
    json.begin_object().key("way").begin_array();
    for (const PlayStep& step : trap.way) {
      json.begin_object().member("passage", step.passage).member("label", step.label).end_object();
    }
    json.end_array().key("held").begin_array();
    for (const std::string& word : trap.held) {
      json.string(word);
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
}

void write_made(json::Writer& json, const Made& made) {
  write_findings(json, made.verdict);
  write_play(json, made.play);
  if (made.book) {
    json.key("story").raw(book_json(*made.book));
  }
}

// What was read: passages and endings that are reached by it, and each place that was not.
void write_coverage(json::Writer& json, const Checked& checked) {
  json.key("coverage").begin_object().member_uint("passages", checked.passages);
  json.member_uint("passages_reached", checked.play.passages_reached).member_uint("endings", checked.play.endings);
  json.member_uint("endings_reached", checked.play.endings_reached).key("unread").begin_array();
  for (const contract::Finding& one : checked.verdict.findings) {
    if (one.rule == "unread") {
      json.begin_object().member("node", one.item).member("message", one.message);
      json.member_uint("line", one.span.line).member_uint("column", one.span.column).end_object();
    }
  }
  json.end_array().end_object();
}

// The caller has held it against the contract (contract()).
OutlineReading judged(std::string_view outline) { return read_judged_outline(outline, {}); }

Result<std::string> contract_text(const Value&) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  for (const contract::BuiltIn& one : story_contracts()) {
    json.member(one.name, one.text);
  }
  json.end_object();
  return out;
}

Result<std::string> make(const Value& request) {
  const Result<std::string_view> outline = text_in(request, "outline");
  if (!outline) {
    return outline.error();
  }
  const Made made = make_story(outline.value(), judged(outline.value()));
  std::string out;
  json::Writer json(out);
  json.begin_object().key("notes").begin_array();
  for (const PhaseNote& note : made.notes) {
    json.raw(note_json(note));
  }
  json.end_array();
  write_made(json, made);
  json.end_object();
  return out;
}

Result<std::string> check(const Value& request) {
  const Result<std::string_view> text = text_in(request, "text");
  if (!text) {
    return text.error();
  }
  const Result<Checked> checked = check_story(text.value(), judged);
  if (!checked) {
    return checked.error();
  }
  std::string out;
  json::Writer json(out);
  json.begin_object()
      .member("format", checked.value().format)
      .member("title", checked.value().title)
      .member_uint("passages", checked.value().passages);
  json.member_uint("unread", checked.value().unread);
  write_coverage(json, checked.value());
  write_findings(json, checked.value().verdict);
  write_play(json, checked.value().play);
  json.end_object();
  return out;
}

Result<std::string> form(const Value& request) {
  const Result<std::string_view> text = text_in(request, "text");
  if (!text) {
    return text.error();
  }
  if (std::string unread = unread_form(text.value()); !unread.empty()) {
    return wrong(std::move(unread), "/text");
  }
  std::string out;
  json::Writer(out).begin_object().member("form", name_of(form_of(text.value()))).end_object();
  return out;
}

Result<std::string> folded(const Value& request) {
  Result<std::vector<PhaseNote>> notes = notes_in(request);
  if (!notes) {
    return notes.error();
  }
  const std::uint64_t phases = json::number_of(request, "phases", notes.value().size());
  notes.value().resize(static_cast<std::size_t>(std::min<std::uint64_t>(phases, notes.value().size())));
  const Result<Graph> graph = fold(notes.value());
  if (!graph) {
    return graph.error();
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member("hash", graph.value().hash()).key("counts").begin_object();
  for (const NodeRow& row : node_rows()) {
    if (const std::size_t count = graph.value().ids(row.type).size(); count > 0) {
      json.member_uint(name_of(row.type), count);
    }
  }
  json.member_uint("edges", graph.value().edge_count()).end_object();
  json.key("lanes").raw(lanes_json(graph.value())).end_object();
  return out;
}

Result<std::string> judge(const Value& request) {
  const Result<std::string_view> outline = text_in(request, "outline");
  Result<std::vector<PhaseNote>> notes = notes_in(request);
  if (!outline || !notes) {
    return outline ? notes.error() : outline.error();
  }
  const Result<Made> made = story_from(outline.value(), judged(outline.value()), std::move(notes).value());
  if (!made) {
    return made.error();
  }
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write_made(json, made.value());
  json.end_object();
  return out;
}

Result<std::string> shipped(const Value& request) {
  const std::optional<ShipFormat> format = ship_format_named(text_of(request, "format"));
  if (!format) {
    return wrong("`format` is twee, html, json or gamebook", "/format");
  }
  const Result<Book> book = story_in(request);
  if (!book) {
    return book.error();
  }
  const Result<std::string> text = ship(book.value(), *format, {json::flag_of(request, "drafts")});
  if (!text) {
    return text.error();
  }
  std::string out;
  json::Writer(out).begin_object().member("file", file_name_of(*format)).member("text", text.value()).end_object();
  return out;
}

// Where a request stands in a story, after the way that it takes.
Result<ReaderPlace> reading_in(const Value& request, const Book& book) {
  ReaderPlace at = begin_reading(book);
  if (const std::string_view passage = text_of(request, "passage"); !passage.empty()) {
    at = ReaderPlace{std::string(passage), json::texts_of(request, "held")};
    std::sort(at.held.begin(), at.held.end());
  }
  if (book.find(at.passage) == nullptr) {
    return wrong("there is no passage '" + json::excerpt(at.passage, 60) + "' in this story", "/passage");
  }
  const Value* take = request.find("take");
  if (take == nullptr || take->is(Kind::null)) {
    return at;
  }
  std::uint64_t way = 0, route = 0;
  if (!take->is(Kind::array) || take->size != 2 || !json::read_uint(take->array()[0].str(), way) ||
      !json::read_uint(take->array()[1].str(), route)) {
    return wrong("`take` is [way, route], of those that are open", "/take");
  }
  const auto open = open_ways(book, at);
  const std::pair<std::size_t, std::size_t> wanted(way, route);
  if (std::find(open.begin(), open.end(), wanted) == open.end()) {
    return wrong("that way is not open there", "/take");
  }
  return take_way(book, at, wanted.first, wanted.second);
}

Result<std::string> read(const Value& request) {
  const Result<Book> book = story_in(request);
  if (!book) {
    return book.error();
  }
  const Result<ReaderPlace> at = reading_in(request, book.value());
  if (!at) {
    return at.error();
  }
  const BookPassage* passage = book.value().find(at.value().passage);
  if (passage == nullptr) {
    return wrong("'" + at.value().passage + "' is led to, and there is no such passage", "/story");
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member("passage", passage->id).member("text", passage->text);
  json.member_boolean("ending", passage->ending).member_boolean("draft", passage->draft).key("held").begin_array();
  for (const std::string& word : at.value().held) {
    json.string(word);
  }
  json.end_array().key("ways").begin_array();
  for (const auto& [way, route] : open_ways(book.value(), at.value())) {
    const Route& one = passage->ways[way].routes[route];
    json.begin_object().member_uint("way", way).member_uint("route", route);
    json.member("label", one.label).member("to", one.to).end_object();
  }
  json.end_array().end_object();
  return out;
}

constexpr StoryOperation table[] = {
    {"contract", "the contract that outlines are held against before", contract_text},
    {"make", "a story of an outline: the phases' notes, findings, play", make},
    {"form", "what a text is: Twee, story.json, HTML or an outline; refused by name where that is not read", form},
    {"check", "findings and play of Twee, story.json, our HTML or an outline", check},
    {"fold", "the graph after some of the notes", folded},
    {"judge", "what the notes of a journal come to", judge},
    {"ship", "a story.json as twee, html, json or gamebook", shipped},
    {"read", "where a reader stands, and the ways that are open there", read},
};

}  // namespace

std::span<const StoryOperation> story_operations() { return table; }

const StoryOperation* story_operation_named(std::string_view name) {
  const auto found =
      std::find_if(std::begin(table), std::end(table), [&](const auto& one) { return one.name == name; });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace plumb::story
