#include "core/story/make.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/sha256.hpp"
#include "core/json/value.hpp"
#include "core/stable_sort.hpp"
#include "core/story/grow.hpp"
#include "core/story/outline.hpp"
#include "core/story/script_machine.hpp"
#include "core/story/ship.hpp"
#include "core/story/twee.hpp"
#include "core/story/validate.hpp"

namespace plumb::story {

namespace {

constexpr std::size_t findings_max = 1000;
constexpr std::size_t unread_told_max = 200;

void take(contract::Verdict& verdict, std::vector<contract::Finding>& findings) {
  std::move(findings.begin(), findings.end(), std::back_inserter(verdict.findings));
  findings.clear();
}

void add_play(contract::Verdict& verdict, PlayOutcome& play) {
  take(verdict, play.findings);
  std::move(play.undecided.begin(), play.undecided.end(), std::back_inserter(verdict.undecided));
  play.undecided.clear();
}

// A node that GROW made stands where its beat stands, and an aside's passage where the aside does.
void place_grown(const Graph& graph, Places& places) {
  const auto copy = [&](std::string_view id, const std::string& of) {
    const auto at = places.find(of);
    if (at != places.end()) {
      places.emplace(std::string(id), at->second);
    }
  };
  for (const std::string_view id : graph.ids(NodeType::passage)) {
    const Node& node = graph.at(id);
    if (!node.text(Field::from_aside).empty()) {
      copy(id, "aside::" + node.text(Field::from_aside));
    }
    copy(id, "beat::" + node.text(Field::from_beat));
  }
  for (const std::string_view id : graph.ids(NodeType::choice)) {
    copy(id, std::string(graph.only_out(id, EdgeKind::choice_to)));
  }
  for (const std::string_view id : graph.ids(NodeType::arc)) {
    copy(id, "vision::vision");
  }
  copy("", "vision::vision");
}

// Errors, then warnings, then what was not read; each once, by place.
void errors_first(std::vector<contract::Finding>& findings) {
  stable_sort(findings, [](const contract::Finding& a, const contract::Finding& b) {
    return a.severity != b.severity ? a.severity < b.severity : a.span.from < b.span.from;
  });
  findings.erase(std::unique(findings.begin(), findings.end(),
                             [](const contract::Finding& a, const contract::Finding& b) {
                               return a.rule == b.rule && a.severity == b.severity && a.span.from == b.span.from &&
                                      a.message == b.message;
                             }),
                 findings.end());
}

std::string hash_of(std::string_view text) { return "sha256:" + json::sha256_hex(text); }

// What was read, and each place that was not: a story of which something was not read is not accepted.
void add_coverage(Checked& out, const Book& book, std::string_view text) {
  out.unread = book.unread.size();
  if (book.unread.empty()) {
    return;
  }
  Findings told("ship/" + out.format);
  for (std::size_t i = 0; i < std::min(book.unread.size(), unread_told_max); ++i) {
    const Unread& one = book.unread[i];
    contract::Finding& finding = told.add("unread", contract::Severity::info, contract::FindingClass::meaning,
                                          "passage::" + one.passage, "Not read: " + one.reason);
    finding.span.from = one.at;
    finding.span.to = std::min<std::uint64_t>(one.at + 1, text.size());
  }
  take(out.verdict, told.all());
  out.unread_at = book.unread[0].at;
  const contract::Span first = span_of(text, out.unread_at, out.unread_at);
  contract::Undecided one;
  one.rule = "coverage";
  one.at = "/nodes";
  one.reason = coverage_text(out, "line " + std::to_string(first.line) + ", column " + std::to_string(first.column));
  out.verdict.undecided.push_back(std::move(one));
}

Checked checked_play(const Book& book, PlayOutcome play, std::string_view text, std::string format,
                     const Places& places, std::vector<contract::Finding> findings) {
  Checked out;
  out.format = std::move(format);
  out.title = book.title;
  out.passages = book.passages.size();
  out.play = std::move(play);
  take(out.verdict, findings);
  add_play(out.verdict, out.play);
  add_coverage(out, book, text);
  locate(out.verdict.findings, places, text);
  errors_first(out.verdict.findings);
  if (out.verdict.findings.size() > findings_max) {
    out.verdict.more.emplace_back("story", out.verdict.findings.size() - findings_max);
    out.verdict.findings.resize(findings_max);
  }
  out.verdict.contract = "story";
  out.verdict.hash = hash_of(text);
  out.verdict.bytes = text.size();
  settle(out.verdict);
  return out;
}

Checked checked_book(const Book& book, std::string_view text, std::string format, const Places& places,
                     std::vector<contract::Finding> findings) {
  return checked_play(book, play_book(book), text, std::move(format), places, std::move(findings));
}

Checked checked_twee(TweeReading read, std::string_view text) {
  std::string format = read.format.empty() ? "Twee" : read.format;
  if (!read.is_script) {
    return checked_book(read.book, text, std::move(format), read.places, std::move(read.findings));
  }
  ScriptMachine machine(read.book, std::move(read.script));
  PlayOutcome play = play_machine(read.book, machine);
  read.findings.erase(std::remove_if(read.findings.begin(), read.findings.end(),
                                     [&](const contract::Finding& one) {  // by a way that is evaluated
                                       constexpr std::string_view node = "passage::";
                                       return one.rule == "orphan" && one.item.starts_with(node) &&
                                              machine.reaches(one.item.substr(node.size()));
                                     }),
                      read.findings.end());
  for (Unread& one : machine.unread()) {
    read.book.unread.push_back(std::move(one));
  }
  stable_sort(read.book.unread, [](const Unread& a, const Unread& b) { return a.at < b.at; });
  Findings broken("ship/twee");
  for (const auto& [at, name] : machine.broken()) {
    contract::Finding& one =
        broken.error("broken_link", contract::FindingClass::reference, "",
                     "a way leads to '" + name + "' when it is evaluated, and there is no such passage");
    one.span.from = at;
    one.span.to = at + 1;
    one.provided = name;
  }
  std::move(broken.all().begin(), broken.all().end(), std::back_inserter(read.findings));
  return checked_play(read.book, std::move(play), text, std::move(format), read.places, std::move(read.findings));
}

Checked checked_json(const Book& book, std::string_view text, std::string format) {
  Places places;
  Findings findings("ship/story");
  for (const BookPassage& passage : book.passages) {
    const auto [at, fresh] = places.emplace("passage::" + passage.id, TextPlace{passage.at, passage.to, ""});
    if (!fresh) {
      findings.error("duplicate_passage", contract::FindingClass::inner, "passage::" + passage.id,
                     "the passage '" + passage.id + "' is defined twice");
    }
  }
  for (const BookPassage& passage : book.passages) {
    for (const Way& way : passage.ways) {
      for (const Route& route : way.routes) {
        if (places.find("passage::" + route.to) == places.end()) {
          findings.error("broken_link", contract::FindingClass::reference, "passage::" + passage.id,
                         "'" + passage.id + "' leads to '" + route.to + "', and there is no such passage");
        }
      }
    }
  }
  if (book.find(book.start) == nullptr) {
    findings.error("no_start", contract::FindingClass::reference, "",
                   "there is no passage '" + book.start + "' to begin with");
  }
  return checked_book(book, text, std::move(format), places, std::move(findings.all()));
}

}  // namespace

std::string coverage_text(const Checked& of, const std::string& first) {
  return (of.unread == 1 ? "1 place was not read: "
                         : std::to_string(of.unread) + " places were not read, the first at ") +
         first + ". What was read reaches " + std::to_string(of.play.passages_reached) + " of " +
         std::to_string(of.passages) + " passages and " + std::to_string(of.play.endings_reached) + " of " +
         std::to_string(of.play.endings) + " endings";
}

const std::vector<StoryPhase>& story_phases() {
  static const std::vector<StoryPhase> all = [] {
    std::vector<StoryPhase> out;
    for (const GivenPhase& one : given_phases()) {
      out.push_back({one.stage, one.name, &one, nullptr});
    }
    for (const GrowPhase& one : grow_phases()) {
      out.push_back({Stage::grow, one.name, nullptr, &one});
    }
    out.push_back({Stage::fill, "given_prose", nullptr, nullptr});
    return out;
  }();
  return all;
}

PhaseNote run_story_phase(const StoryPhase& phase, const Outline& outline, Graph& graph) {
  return phase.given != nullptr  ? phase.given->work(outline, graph)
         : phase.grow != nullptr ? run_grow_phase(*phase.grow, graph)
                                 : fill_given_prose(graph);
}

Made judge_story(std::string_view text, OutlineReading read, std::vector<PhaseNote> notes, Graph graph) {
  Made out;
  out.verdict = std::move(read.verdict);
  if (!read.outline) {
    return out;
  }
  out.notes = std::move(notes);
  out.graph = std::move(graph);
  Places places = std::move(read.outline->places);
  if (!out.notes.empty() && out.notes.back().status == PhaseStatus::failed) {
    Findings failed("grow/" + out.notes.back().phase);
    failed.error("phase_failed", contract::FindingClass::meaning, "vision::vision",
                 "GROW stopped at " + out.notes.back().phase + ": " + out.notes.back().detail);
    take(out.verdict, failed.all());
  } else if (out.notes.size() == story_phases().size()) {
    std::vector<contract::Finding> findings = validate(out.graph);
    take(out.verdict, findings);
    out.book = book_of(out.graph);
    out.play = play_book(*out.book);
    add_play(out.verdict, out.play);
    place_grown(out.graph, places);
  }
  locate(out.verdict.findings, places, text);
  settle(out.verdict);
  return out;
}

Made make_story(std::string_view text, OutlineReading read) {
  std::vector<PhaseNote> notes;
  Graph graph;
  for (const StoryPhase& phase : story_phases()) {
    if (!read.outline || (!notes.empty() && notes.back().status == PhaseStatus::failed)) {
      break;
    }
    notes.push_back(run_story_phase(phase, *read.outline, graph));
  }
  return judge_story(text, std::move(read), std::move(notes), std::move(graph));
}

Result<Made> story_from(std::string_view text, OutlineReading read, std::vector<PhaseNote> notes) {
  Result<Graph> graph = fold(notes);
  return graph ? Result<Made>(judge_story(text, std::move(read), std::move(notes), std::move(graph).value()))
               : Result<Made>(graph.error());
}

std::string first_that_differs(const Outline& outline, const std::vector<PhaseNote>& notes) {
  Graph graph;
  std::size_t i = 0;
  for (const GivenPhase& phase : given_phases()) {
    if (i == notes.size()) {
      break;
    }
    if (phase.work(outline, graph).hash != notes[i++].hash) {
      return std::string(name_of(phase.stage)) + "/" + std::string(phase.name);
    }
  }
  return {};
}

StoryForm form_of(std::string_view text) {
  const std::string_view begins = ascii::trim_front(text);
  if (begins.starts_with('{')) {
    json::Arena arena;
    const Result<json::Value> read = json::parse(text, arena);
    const bool is_book = read ? json::text_of(read.value(), "format").starts_with("plumb-story")
                              : begins.substr(0, 200).find("\"plumb-story") != std::string_view::npos;  // it breaks off
    return is_book ? StoryForm::book : StoryForm::outline;
  }
  const std::string lower = ascii::lower(begins.substr(0, 9));
  return lower == "<!doctype" || lower.starts_with("<html") ? StoryForm::html : StoryForm::twee;
}

std::string_view name_of(StoryForm form) {
  constexpr std::array<std::string_view, 4> names = {"Twee", "story.json", "HTML", "outline"};
  return names[static_cast<std::size_t>(form)];
}

bool is_yaml_outline(std::string_view text) {
  const auto line_begins = [text](std::string_view with) {
    return text.starts_with(with) || text.find("\n" + std::string(with)) != std::string_view::npos;
  };
  const std::size_t first = text.find_first_not_of(ascii::spaces);
  return first != std::string_view::npos && text[first] != '{' && text[first] != '<' && line_begins("dilemmas:") &&
         !line_begins("::");
}

std::string unread_form(std::string_view text) {
  const std::size_t first = text.find_first_not_of(ascii::spaces);
  if (is_yaml_outline(text)) {
    return "is an outline in YAML, and only JSON is read here; `plumb story` reads YAML from files";
  }
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '<')) {
    return {};
  }
  if (text[first] == '<') {
    return text.find("<tw-storydata") == std::string_view::npos
               ? std::string()
               : "is a story that Twine has published; give its Twee (Twine: Build, Export As Twee; Tweego: tweego -d)";
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(text, arena);
  return read && read.value().find("nodes") != nullptr && read.value().find("edges") != nullptr &&
                 read.value().find("beats") == nullptr
             ? "is a graph of an older kind of project, which is not understood: write its story as an outline"
             : std::string();
}

Result<Checked> check_story(std::string_view text, OutlineReading (*outline)(std::string_view)) {
  if (std::string form = unread_form(text); !form.empty()) {
    return Error{ErrorCode::invalid_argument, std::move(form), "", 1, 1};
  }
  switch (form_of(text)) {
    case StoryForm::outline: {
      Made made = make_story(text, outline(text));
      Checked out;
      out.format = "outline";
      out.passages = made.book ? made.book->passages.size() : 0;
      out.verdict = std::move(made.verdict);
      out.play = std::move(made.play);
      return out;
    }
    case StoryForm::book: {
      const Result<Book> book = read_book(text);
      return book ? Result<Checked>(checked_json(book.value(), text, "story.json")) : Result<Checked>(book.error());
    }
    case StoryForm::html: {
      const Result<Book> book = read_html_book(text);
      if (!book) {
        return book.error();
      }
      Checked out = checked_json(book.value(), text, "story.html");
      for (contract::Finding& one : out.verdict.findings) {
        one.span = {};  // the book's bytes are not the file's
      }
      return out;
    }
    case StoryForm::twee:
      break;
  }
  Result<TweeReading> twee = read_twee(text);
  if (!twee) {
    return twee.error();
  }
  return checked_twee(std::move(twee).value(), text);
}

}  // namespace plumb::story
