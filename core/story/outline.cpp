// Reading: the contract first, then each part into plain structs with its place, then the rules that no schema says.
#include "core/story/outline.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/story/outline_rules.hpp"

namespace plumb::story {

namespace {

using json::flag_of;
using json::list_of;
using json::text_of;
using json::texts_of;

constexpr std::array<StorySize, 4> sizes = {{{"vignette", 5, 15, 2, 1, 2, 3},
                                             {"short", 15, 30, 8, 3, 2, 4},
                                             {"standard", 30, 60, 16, 4, 2, 4},
                                             {"long", 60, 120, 32, 5, 3, 5}}};

// Prose as it is written in a file of lines: a line end is a blank, an empty line begins a paragraph, a backslash
// before a line end keeps it.
std::string paragraphs(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '\n' && c != '\r') {
      out += c;
      continue;
    }
    std::size_t lines = 0;
    std::size_t next = i;
    while (next < text.size() && (text[next] == '\n' || text[next] == '\r' || (lines > 0 && text[next] == ' '))) {
      lines += text[next] == '\n' ? 1U : 0U;
      ++next;
    }
    const bool kept = !out.empty() && out.back() == '\\';
    if (kept) {
      out.pop_back();
    }
    out += lines > 1 ? "\n\n" : kept ? "\n" : " ";
    i = next - 1;
  }
  const std::size_t last = out.find_last_not_of(" \n");
  out.resize(last == std::string::npos ? 0 : last + 1);
  return out;
}

// "lamp/light" to "lamp__light".
std::string path_raw(std::string_view reference) {
  const std::size_t slash = reference.find('/');
  return std::string(reference.substr(0, slash)) + "__" + std::string(reference.substr(slash + 1));
}

Texts path_raws(const json::Value& of, std::string_view key) {
  Texts out = texts_of(of, key);
  for (std::string& one : out) {
    one = path_raw(one);
  }
  return out;
}

std::string overlays_json(const json::Value& entity) {
  std::string out;
  json::Writer json(out);
  json.begin_array();
  for (const json::Value& overlay : list_of(entity, "overlays")) {
    json.begin_object().key("when").begin_array();
    for (const std::string& path : path_raws(overlay, "when")) {
      json.string("codeword::" + path + "_committed");
    }
    json.end_array().key("details").value(*overlay.find("details")).end_object();
  }
  json.end_array();
  return out == "[]" ? "" : out;
}

const json::Value& member(const json::Value& of, std::string_view key) {
  const json::Value* found = of.find(key);
  return found == nullptr ? of : *found;
}

OutlineAside aside_of(std::string kind, const json::Value& value, std::string pointer) {
  OutlineAside out;
  out.kind = std::move(kind);
  out.summary = text_of(value, "summary");
  out.prose = paragraphs(text_of(value, "prose"));
  out.label = text_of(value, "label");
  out.pointer = std::move(pointer);
  return out;
}

class OutlineReader {
 public:
  explicit OutlineReader(OutlineRules& rules) : rules_(rules) {}

  Outline read(const json::Value& root) {
    Outline out;
    out.title = text_of(root, "title");
    out.author = text_of(root, "author");
    out.language = root.find("language") != nullptr ? text_of(root, "language") : "en";
    out.ifid = text_of(root, "ifid");
    out.size = root.find("size") != nullptr ? text_of(root, "size") : "standard";
    out.genre = text_of(root, "genre");
    out.audience = text_of(root, "audience");
    out.tone = texts_of(root, "tone");
    out.themes = texts_of(root, "themes");
    rules_.place(out, "vision::vision", root, "");
    entities(root, out);
    dilemmas(root, out);
    beats(root, out);
    interactions(root, out);
    endings(root, out);
    return out;
  }

 private:
  void entities(const json::Value& root, Outline& out) {
    std::size_t i = 0;
    for (const json::Value& one : list_of(root, "entities")) {
      const std::string pointer = "/entities/" + std::to_string(i++);
      OutlineEntity entity{std::string(text_of(one, "id")), std::string(text_of(one, "category")),
                           std::string(text_of(one, "name")), std::string(text_of(one, "concept")), overlays_json(one)};
      if (!rules_.first(out, "entity::" + entity.id, one, pointer)) {
        continue;
      }
      std::size_t k = 0;
      for (const json::Value& overlay : list_of(one, "overlays")) {
        refer_all(path_raws(overlay, "when"), "path::", overlay, "when", pointer + "/overlays/" + std::to_string(k++));
      }
      out.entities.push_back(std::move(entity));
    }
  }

  void dilemmas(const json::Value& root, Outline& out) {
    std::size_t i = 0;
    for (const json::Value& one : list_of(root, "dilemmas")) {
      const std::string pointer = "/dilemmas/" + std::to_string(i++);
      OutlineDilemma dilemma;
      dilemma.id = text_of(one, "id");
      if (!rules_.first(out, "dilemma::" + dilemma.id, one, pointer)) {
        continue;
      }
      dilemma.question = text_of(one, "question");
      dilemma.why_it_matters = text_of(one, "why_it_matters");
      dilemma.policy = text_of(one, "policy");
      dilemma.ending_salience = text_of(one, "ending_salience");
      dilemma.residue_weight = text_of(one, "residue_weight");
      dilemma.ending_tone = text_of(one, "ending_tone");
      if (one.find("payoff_budget") != nullptr) {
        dilemma.payoff_budget = static_cast<std::int64_t>(json::number_of(one, "payoff_budget"));
      }
      dilemma.involves = texts_of(one, "involves");
      refer_all(dilemma.involves, "entity::", one, "involves", pointer);
      std::size_t k = 0;
      for (const json::Value& answer : list_of(one, "answers")) {
        dilemma.answers.push_back(answer_of(answer, dilemma, pointer + "/answers/" + std::to_string(k++), out));
      }
      rules_.dilemma(dilemma, one, pointer);
      out.dilemmas.push_back(std::move(dilemma));
    }
  }

  OutlineAnswer answer_of(const json::Value& value, const OutlineDilemma& dilemma, const std::string& pointer,
                          Outline& out) {
    OutlineAnswer answer;
    answer.id = text_of(value, "id");
    answer.description = text_of(value, "description");
    answer.theme = text_of(value, "theme");
    answer.mood = text_of(value, "mood");
    answer.is_default = flag_of(value, "default");
    answer.explored = value.find("explored") == nullptr || flag_of(value, "explored");
    if (const json::Value* consequence = value.find("consequence")) {
      answer.consequence = text_of(*consequence, "description");
      answer.word = text_of(*consequence, "word");
      answer.effects = texts_of(*consequence, "effects");
    }
    const std::string path = dilemma.id + "__" + answer.id;
    rules_.first(out, "answer::" + path, value, pointer);
    if (answer.explored) {
      rules_.place(out, "path::" + path, value, pointer);
      rules_.place(out, "consequence::" + path, value, pointer);
      rules_.place(out, "codeword::" + path + "_committed", value, pointer);
    }
    std::size_t i = 0;
    for (const json::Value& one : list_of(value, "residue")) {
      OutlineAside aside = aside_of("residue", one, pointer + "/residue/" + std::to_string(i++));
      aside.at = text_of(one, "before");
      aside.when = {path};
      if (!aside.at.empty()) {
        rules_.refer("beat::" + aside.at, member(one, "before"), aside.pointer + "/before");
      }
      keep(out, std::move(aside), one);
    }
    return answer;
  }

  void beats(const json::Value& root, Outline& out) {
    std::size_t i = 0;
    for (const json::Value& one : list_of(root, "beats")) {
      const std::string pointer = "/beats/" + std::to_string(i++);
      OutlineBeat beat;
      beat.id = text_of(one, "id");
      if (!rules_.first(out, "beat::" + beat.id, one, pointer)) {
        continue;
      }
      beat.summary = text_of(one, "summary");
      beat.prose = paragraphs(text_of(one, "prose"));
      beat.label = text_of(one, "label");
      beat.location = text_of(one, "location");
      beat.scene = text_of(one, "scene");
      beat.function = text_of(one, "function");
      beat.ending = flag_of(one, "ending");
      beat.paths = path_raws(one, "paths");
      beat.gate = path_raws(one, "gate");
      refer_all(beat.paths, "path::", one, "paths", pointer);
      refer_all(beat.gate, "path::", one, "gate", pointer);
      for (auto [member, key, prefix] : {std::tuple{&beat.after, "after", "beat::"},
                                         {&beat.commits, "commits", "dilemma::"},
                                         {&beat.advances, "advances", "dilemma::"},
                                         {&beat.reveals, "reveals", "dilemma::"},
                                         {&beat.complicates, "complicates", "dilemma::"},
                                         {&beat.entities, "entities", "entity::"}}) {
        *member = texts_of(one, key);
        refer_all(*member, prefix, one, key, pointer);
      }
      sides(one, beat.id, pointer, out);
      out.beats.push_back(std::move(beat));
    }
  }

  void sides(const json::Value& beat, const std::string& id, const std::string& pointer, Outline& out) {
    for (const auto& [key, kind] : {std::pair{"spokes", "spoke"}, std::pair{"fork", "fork"}}) {
      std::size_t i = 0;
      for (const json::Value& one : list_of(beat, key)) {
        OutlineAside aside = aside_of(kind, one, pointer + "/" + key + "/" + std::to_string(i++));
        aside.at = id;
        keep(out, std::move(aside), one);
      }
    }
  }

  void interactions(const json::Value& root, Outline& out) {
    std::size_t i = 0;
    for (const json::Value& one : list_of(root, "interactions")) {
      const std::string pointer = "/interactions/" + std::to_string(i++);
      Texts between = texts_of(one, "between");
      refer_all(between, "dilemma::", one, "between", pointer);
      std::sort(between.begin(), between.end());
      OutlineInteraction pair{between[0], between[1], std::string(text_of(one, "type"))};
      rules_.interaction(pair, out, one, pointer);
      out.interactions.push_back(std::move(pair));
    }
  }

  void endings(const json::Value& root, Outline& out) {
    std::size_t i = 0;
    for (const json::Value& one : list_of(root, "endings")) {
      OutlineAside aside = aside_of("ending", one, "/endings/" + std::to_string(i++));
      aside.at = text_of(one, "at");
      aside.when = path_raws(one, "when");
      rules_.refer("beat::" + aside.at, member(one, "at"), aside.pointer + "/at");
      refer_all(aside.when, "path::", one, "when", aside.pointer);
      keep(out, std::move(aside), one);
    }
  }

  void keep(Outline& out, OutlineAside aside, const json::Value& value) {
    rules_.place(out, "aside::" + std::to_string(out.asides.size()), value, aside.pointer);
    out.asides.push_back(std::move(aside));
  }

  // `all` are the texts of the list `key` in `of`, which stands at `pointer`.
  void refer_all(const Texts& all, std::string_view prefix, const json::Value& of, std::string_view key,
                 const std::string& pointer) {
    const auto items = list_of(of, key);
    for (std::size_t i = 0; i < all.size(); ++i) {
      rules_.refer(std::string(prefix) + all[i], items[i], pointer + "/" + std::string(key) + "/" + std::to_string(i));
    }
  }

  OutlineRules& rules_;
};

}  // namespace

std::span<const StorySize> story_sizes() { return sizes; }

const StorySize& size_named(std::string_view name) {
  for (const StorySize& one : sizes) {
    if (one.name == name) {
      return one;
    }
  }
  return sizes[2];
}

OutlineReading read_judged_outline(std::string_view text, contract::Verdict verdict) {
  OutlineReading out;
  out.verdict = std::move(verdict);
  json::Arena arena;
  const Result<json::Value> root = json::parse(text, arena);
  if (!root || !root.value().is(json::Kind::object)) {
    Findings none("dream/outline");
    none.error("type", contract::FindingClass::inner, "", root ? "an outline is an object" : root.error().message);
    out.verdict.findings.push_back(std::move(none.all().front()));
    settle(out.verdict);
    return out;
  }
  OutlineRules rules(text);
  Outline outline = OutlineReader(rules).read(root.value());
  rules.finish(outline);
  for (contract::Finding& one : rules.findings()) {
    out.verdict.findings.push_back(std::move(one));
  }
  settle(out.verdict);
  if (out.verdict.valid) {
    out.outline = std::move(outline);
  }
  return out;
}

}  // namespace plumb::story
