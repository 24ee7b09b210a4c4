#include "core/story/outline_rules.hpp"

#include <algorithm>
#include <set>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/text/suggest.hpp"

namespace plumb::story {

namespace {

using contract::FindingClass;
using contract::Severity;

// Of beat ids: whose path in a dilemma a beat names, "" for none, "*" for several.
std::string path_in(const OutlineBeat& beat, std::string_view dilemma) {
  std::string out;
  for (const std::string& path : beat.paths) {
    if (path.size() > dilemma.size() + 2 && path.starts_with(dilemma) && path.compare(dilemma.size(), 2, "__") == 0) {
      out = out.empty() ? path : "*";
    }
  }
  return out;
}

// "/dilemmas/0/answers/1" as its author counts: "answer 2 of dilemma 1".
std::string place_name(std::string_view pointer) {
  std::string out;
  while (!pointer.empty()) {
    const std::size_t last = pointer.rfind('/');
    const std::size_t before = pointer.rfind('/', last - 1);
    std::string kind(pointer.substr(before + 1, last - before - 1));
    kind = kind == "entities" ? "entity" : kind.back() == 's' ? kind.substr(0, kind.size() - 1) : kind;
    std::uint64_t number = 0;
    if (!json::read_uint(pointer.substr(last + 1), number)) {
      return "the outline";
    }
    out += (out.empty() ? "" : " of ") + kind + " " + std::to_string(number + 1);
    pointer = pointer.substr(0, before);
  }
  return out;
}

bool has(const Texts& texts, std::string_view one) { return std::find(texts.begin(), texts.end(), one) != texts.end(); }

}  // namespace

contract::Finding& OutlineRules::add(std::string rule, FindingClass c, std::string at, std::uint64_t from,
                                     std::uint64_t to, std::string message) {
  contract::Finding one;
  one.rule = std::move(rule);
  one.finding_class = c;
  one.at = std::move(at);
  one.message = std::move(message);
  one.schema_location = "/stages/seed/outline";
  one.span = span_of(text_, from, to);
  findings_.push_back(std::move(one));
  return findings_.back();
}

contract::Finding& OutlineRules::at_node(const Outline& outline, std::string_view node, std::string rule,
                                         FindingClass c, std::string message) {
  const auto at = outline.places.find(node);
  PLUMB_REQUIRE(at != outline.places.end(), "what a rule is about has a place");
  contract::Finding& one =
      add(std::move(rule), c, at->second.pointer, at->second.from, at->second.to, std::move(message));
  one.item = node;
  return one;
}

void OutlineRules::place(Outline& outline, const std::string& node, const json::Value& value,
                         const std::string& pointer) {
  outline.places.insert_or_assign(node, TextPlace{value.from, value.to, pointer});
}

bool OutlineRules::first(Outline& outline, const std::string& node, const json::Value& value,
                         const std::string& pointer) {
  std::string written = json::value_text(value);
  const auto [at, fresh] = written_.emplace(node, written);
  if (fresh) {
    place(outline, node, value, pointer);
    return true;
  }
  const std::string where = outline.places.find(node)->second.pointer;
  if (at->second == written) {
    contract::Finding& same =
        add("duplicate_id", FindingClass::inner, pointer, value.from, value.to,
            "'" + authors_name(node) + "' appears twice in the same words; the second is left out");
    same.severity = Severity::info;
  } else {
    contract::Finding& other =
        add("duplicate_id", FindingClass::inner, pointer, value.from, value.to,
            "the id '" + authors_name(node) + "' is taken by " + place_name(where) + ", which is something else");
    other.requirement = "an id of its own";
  }
  return false;
}

void OutlineRules::refer(std::string node, const json::Value& value, std::string pointer) {
  references_.push_back({std::move(node), std::move(pointer), value.from, value.to});
}

void OutlineRules::dilemma(const OutlineDilemma& one, const json::Value& value, const std::string& pointer) {
  const auto defaults =
      std::count_if(one.answers.begin(), one.answers.end(), [](const auto& a) { return a.is_default; });
  if (defaults != 1) {
    add("one_default", FindingClass::count, pointer + "/answers", value.from, value.to,
        "the dilemma '" + one.id + "' has " + std::to_string(defaults) + " default answers; exactly one is the spine's")
        .requirement = "exactly one answer with `default: true`";
  }
  for (std::size_t i = 0; i < one.answers.size(); ++i) {
    if (one.answers[i].is_default && !one.answers[i].explored) {
      add("default_explored", FindingClass::inner, pointer + "/answers/" + std::to_string(i), value.from, value.to,
          "the default answer '" + one.answers[i].id + "' must be explored: the spine goes through it");
    }
  }
  if (one.id.ends_with("_or")) {
    add("dilemma_id", FindingClass::inner, pointer + "/id", value.from, value.to,
        "the dilemma id '" + one.id + "' ends with '_or': it reads as if something were missing");
  }
}

void OutlineRules::interaction(const OutlineInteraction& pair, const Outline& outline, const json::Value& value,
                               const std::string& pointer) {
  if (pair.a == pair.b) {
    add("interaction", FindingClass::inner, pointer, value.from, value.to,
        "a dilemma does not touch itself: 'between' names '" + pair.a + "' twice");
  }
  for (const OutlineInteraction& other : outline.interactions) {
    if (other.a == pair.a && other.b == pair.b && other.type == pair.type) {
      add("interaction", FindingClass::inner, pointer, value.from, value.to,
          "'" + pair.a + "' and '" + pair.b + "' are paired twice as " + pair.type);
    }
  }
  if (pair.type != "shared_entity") {
    return;
  }
  const OutlineDilemma *a = nullptr, *b = nullptr;
  for (const OutlineDilemma& one : outline.dilemmas) {
    a = one.id == pair.a ? &one : a;
    b = one.id == pair.b ? &one : b;
  }
  if (a != nullptr && b != nullptr && a != b &&
      std::none_of(a->involves.begin(), a->involves.end(), [b](const auto& e) { return has(b->involves, e); })) {
    add("interaction", FindingClass::reference, pointer, value.from, value.to,
        "'" + pair.a + "' and '" + pair.b + "' involve no entity in common");
  }
}

void OutlineRules::references(const Outline& outline) {
  for (const Reference& one : references_) {
    if (outline.places.find(one.node) != outline.places.end()) {
      continue;
    }
    const std::string_view name = raw(one.node);
    const std::string prefix = one.node.substr(0, one.node.size() - name.size());
    std::vector<std::string_view> there;
    for (auto at = outline.places.lower_bound(prefix); at != outline.places.end() && at->first.starts_with(prefix);
         ++at) {
      there.push_back(raw(at->first));
    }
    const auto shown = [&prefix](std::string_view raw_id) { return authors_name(prefix + std::string(raw_id)); };
    const bool deferred =
        prefix == "path::" && outline.places.find("answer::" + std::string(name)) != outline.places.end();
    const std::optional<std::size_t> near = text::nearest(name, there);
    contract::Finding& finding =
        add("reference", FindingClass::reference, one.pointer, one.from, one.to,
            deferred ? "the answer '" + shown(name) + "' is not explored, so it has no path"
                     : "there is no " + prefix.substr(0, prefix.size() - 2) + " '" + shown(name) + "'" +
                           (near ? "; did you mean '" + shown(there[*near]) + "'?" : ""));
    for (const std::size_t i : text::near_misses_first(name, there)) {
      finding.allowed.emplace_back();
      json::append_string(finding.allowed.back(), shown(there[i]));
    }
    finding.requirement = "one of the " + std::to_string(there.size()) + " there are" +
                          (finding.allowed.empty() ? "" : ", such as " + finding.allowed.front());
    finding.provided = shown(name);
  }
}

void OutlineRules::counts(const Outline& outline) {
  std::size_t full = 0;
  for (const OutlineDilemma& one : outline.dilemmas) {
    full += std::all_of(one.answers.begin(), one.answers.end(), [](const auto& a) { return a.explored; }) ? 1U : 0U;
  }
  const StorySize& size = size_named(outline.size);
  if (full > size.dilemmas_max) {
    at_node(outline, "vision::vision", "too_many_dilemmas", FindingClass::count,
            "a story of size '" + outline.size + "' explores both answers of at most " +
                std::to_string(size.dilemmas_max) + " dilemmas, and this one of " + std::to_string(full))
        .requirement = "a larger `size`, or `explored: false` on the other answer of a dilemma";
  }
}

void OutlineRules::commits(const Outline& outline) {
  for (const OutlineDilemma& one : outline.dilemmas) {
    for (const OutlineAnswer& answer : one.answers) {
      const std::string path = one.id + "__" + answer.id;
      const bool committed = std::any_of(outline.beats.begin(), outline.beats.end(), [&](const OutlineBeat& beat) {
        return has(beat.commits, one.id) && path_in(beat, one.id) == path;
      });
      if (answer.explored && !committed) {
        at_node(outline, "path::" + path, "path_commits", FindingClass::count,
                "no beat of the path '" + one.id + "/" + answer.id + "' commits to it")
            .requirement = "`commits: [" + one.id + "]` on a beat with `paths: [" + one.id + "/" + answer.id + "]`";
      }
    }
  }
  for (const OutlineBeat& beat : outline.beats) {
    for (const std::string& dilemma : beat.commits) {
      const std::string path = path_in(beat, dilemma);
      if (path.empty() || path == "*") {
        at_node(outline, "beat::" + beat.id, "commits_one_path", FindingClass::inner,
                "the beat '" + beat.id + "' commits to '" + dilemma + "' and belongs to " +
                    (path.empty() ? "no path" : "several paths") + " of it, so it settles nothing")
            .requirement = "exactly one of its paths in `paths`";
      }
    }
  }
}

// Three colours: a beat that is met again while its prerequisites are being gone through closes a circle.
void OutlineRules::circles(const Outline& outline) {
  std::map<std::string_view, const OutlineBeat*> by_id;
  for (const OutlineBeat& beat : outline.beats) {
    by_id.emplace(beat.id, &beat);
  }
  std::set<std::string_view> done;
  for (const OutlineBeat& start : outline.beats) {
    std::vector<std::pair<const OutlineBeat*, std::size_t>> way;
    std::set<std::string_view> open;
    if (done.count(start.id) == 0) {
      way.emplace_back(&start, 0);
      open.insert(start.id);
    }
    while (!way.empty()) {
      auto& [beat, next] = way.back();
      if (next == beat->after.size()) {
        done.insert(beat->id);
        open.erase(beat->id);
        way.pop_back();
        continue;
      }
      const auto found = by_id.find(beat->after[next++]);
      if (found == by_id.end() || done.count(found->first) != 0) {
        continue;
      }
      if (open.count(found->first) != 0) {
        std::string text(found->first);
        for (std::size_t i = way.size(); i > 0; --i) {
          text += " after " + way[i - 1].first->id;
          if (way[i - 1].first->id == found->first) {
            break;
          }
        }
        at_node(outline, "beat::" + std::string(found->first), "cycle", FindingClass::meaning,
                "these beats wait for each other: " + text);
        done.insert(found->first);
        continue;
      }
      open.insert(found->first);
      way.emplace_back(found->second, 0);
    }
  }
}

void OutlineRules::sides(const Outline& outline) {
  std::map<std::string, std::string> words;
  for (const OutlineDilemma& one : outline.dilemmas) {
    for (const OutlineAnswer& answer : one.answers) {
      const auto [at, fresh] = words.emplace(answer.word, one.id + "/" + answer.id);
      if (!fresh && !answer.word.empty()) {
        at_node(outline, "answer::" + one.id + "__" + answer.id, "duplicate_id", FindingClass::inner,
                "the word '" + answer.word + "' stands for " + at->second + " too; a reader could not tell them apart");
      }
    }
  }
  for (std::size_t i = 0; i < outline.asides.size(); ++i) {
    const OutlineAside& aside = outline.asides[i];
    for (std::size_t k = 0; k < i; ++k) {
      const OutlineAside& other = outline.asides[k];
      if ((aside.kind == "residue" || aside.kind == "ending") && other.kind == aside.kind && other.at == aside.at &&
          other.when == aside.when) {
        at_node(outline, "aside::" + std::to_string(i), "duplicate_id", FindingClass::inner,
                "this " + aside.kind + " is at the same place for the same paths as " + place_name(other.pointer));
      }
    }
  }
}

void OutlineRules::finish(const Outline& outline) {
  references(outline);
  if (!findings_.empty() && std::any_of(findings_.begin(), findings_.end(),
                                        [](const auto& one) { return one.severity == Severity::error; })) {
    return;  // what follows would speak of the same mistakes again
  }
  counts(outline);
  commits(outline);
  circles(outline);
  sides(outline);
}

}  // namespace plumb::story
