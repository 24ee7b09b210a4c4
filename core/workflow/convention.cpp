#include "core/workflow/convention.hpp"

#include <algorithm>

#include "core/budget/risk.hpp"
#include "core/json/arena.hpp"
#include "core/stable_sort.hpp"
#include "core/text/fold.hpp"
#include "core/text/novelty.hpp"
#include "core/text/suggest.hpp"
#include "core/text/utf8.hpp"
#include "core/workflow/findings.hpp"
#include "core/workflow/plan.hpp"
#include "core/workflow/sop.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t name_characters_max = 100;
constexpr std::size_t tasks_kept_max = 1'000;
constexpr std::size_t json_bytes_max = std::size_t{4} << 20U;

void add_task(Convention& one, std::string_view task) {
  if (!task.empty() && one.source_tasks.size() < tasks_kept_max &&
      std::find(one.source_tasks.begin(), one.source_tasks.end(), task) == one.source_tasks.end()) {
    one.source_tasks.emplace_back(task);
  }
}

// The convention that says the same, if one does.
Convention* same(std::vector<Convention>& all, const NotedPattern& pattern) {
  text::Earlier names, patterns;
  for (const Convention& one : all) {
    names.add(one.name + ": " + one.pattern);
    patterns.add(one.pattern);
  }
  const text::NoveltyResult by_all = names.judge(pattern.name + ": " + pattern.pattern);
  const text::NoveltyResult by_pattern = patterns.judge(pattern.pattern);
  const text::NoveltyResult& nearest = by_pattern.novelty == text::Novelty::fresh ? by_all : by_pattern;
  return nearest.novelty == text::Novelty::fresh ? nullptr : &all[nearest.nearest];
}

Result<Convention*> named(std::vector<Convention>& all, std::string_view id) {
  std::vector<std::string_view> ids;
  Convention* found = nullptr;
  for (Convention& one : all) {
    const std::string_view last = std::string_view(one.id).substr(one.id.rfind('.') + 1);
    ids.push_back(last);
    if (one.id == id || last == id) {
      found = &one;
    }
  }
  if (found != nullptr) {
    return found;
  }
  const auto near = text::nearest(id, ids);
  return Error{ErrorCode::not_found,
               "there is no convention '" + json::excerpt(id, 60) + "'" +
                   (near ? "; did you mean '" + std::string(ids[*near]) + "'?" : ""),
               std::string(id), 0, 0};
}

}  // namespace

std::span<const json::Field> NotedPattern::fields() {
  static constexpr json::Field table[] = {json::field<&NotedPattern::name>("name"),
                                          json::field<&NotedPattern::pattern>("pattern"),
                                          json::field<&NotedPattern::applies_to>("applies_to")};
  return table;
}

std::span<const std::string_view> names_of(ConventionUse) {
  static constexpr std::string_view names[] = {"shown", "cited", "contradicted"};
  return names;
}

std::span<const json::Field> ReviewUse::fields() {
  static constexpr json::Field table[] = {json::field<&ReviewUse::review>("review"),
                                          json::field<&ReviewUse::use>("use")};
  return table;
}

std::size_t Convention::count(ConventionUse use) const {
  return static_cast<std::size_t>(
      std::count_if(uses.begin(), uses.end(), [&](const ReviewUse& one) { return one.use >= use; }));
}

void note_uses(std::vector<Convention>& all, std::span<const std::string> shown, const ReviewWords& said) {
  const std::string& text = said.words;
  std::vector<const Convention*> again;
  for (const NotedPattern& one : said.patterns) {
    again.push_back(same(all, one));
  }
  for (Convention& one : all) {
    const bool known =
        std::any_of(one.uses.begin(), one.uses.end(), [&](const ReviewUse& use) { return use.review == said.review; });
    if (known || std::find(shown.begin(), shown.end(), one.id) == shown.end()) {
      continue;
    }
    const std::string_view last = std::string_view(one.id).substr(one.id.rfind('.') + 1);
    const bool named = text.find(last) != std::string::npos || text.find(one.name) != std::string::npos;
    const bool cited = named || std::find(again.begin(), again.end(), &one) != again.end();
    const ConventionUse use = !cited                    ? ConventionUse::shown
                              : named && !said.approved ? ConventionUse::contradicted
                                                        : ConventionUse::cited;
    if (one.uses.size() == uses_max) {
      one.uses.erase(one.uses.begin());
    }
    one.uses.push_back({said.review, use});
  }
}

std::span<const json::Field> Convention::fields() {
  using json::field;
  using json::field_if_set;
  static constexpr json::Field table[] = {field<&Convention::id>("id"),
                                          field<&Convention::name>("name"),
                                          field<&Convention::pattern>("pattern"),
                                          field<&Convention::applies_to>("applies_to"),
                                          field<&Convention::source_tasks>("source_tasks"),
                                          field_if_set<&Convention::source_task>("source_task"),
                                          field<&Convention::approved_by>("approved_by"),
                                          field_if_set<&Convention::confirmed_by>("confirmed_by"),
                                          field<&Convention::retired>("retired"),
                                          field_if_set<&Convention::uses>("uses")};
  return table;
}

Noted note_convention(std::vector<Convention>& all, std::string_view project, const NotedPattern& pattern,
                      std::string_view source_task, std::string_view approved_by) {
  Noted out;
  const std::string name(text::trim(pattern.name)), what(text::trim(pattern.pattern));
  if (name.empty() || what.empty() || text::code_points(what) > convention_characters_max ||
      text::code_points(name) > name_characters_max) {
    out.what = Noted::What::refused;
    out.words = "a convention has a name of at most " + std::to_string(name_characters_max) +
                " characters and a pattern of at most " + std::to_string(convention_characters_max) + "; '" +
                json::excerpt(name, 40) + "' has a pattern of " + std::to_string(text::code_points(what));
    return out;
  }
  if (Convention* const one = same(all, {name, what, {}})) {
    out.id = one->id;
    if (one->retired) {
      out.what = Noted::What::retired;
      out.words = "'" + name + "' says what '" + one->name + "' said, which was retired";
      return out;
    }
    out.what = Noted::What::again;
    add_task(*one, source_task);
    for (const std::string& glob : pattern.applies_to) {
      if (std::find(one->applies_to.begin(), one->applies_to.end(), glob) == one->applies_to.end() &&
          !one->applies_to.empty() && one->applies_to.size() < 20) {
        one->applies_to.push_back(glob);
      }
    }
    return out;
  }
  if (all.size() >= conventions_max) {
    out.what = Noted::What::full;
    out.words = "there are " + std::to_string(conventions_max) + " conventions, the most that a project has: '" + name +
                "' is not kept. Retire some that are no longer right";
    return out;
  }
  const std::string stem = "semspec.convention." + slug_of(project) + "." + slug_of(name);
  Convention one;
  one.id = stem;
  for (int i = 2; std::any_of(all.begin(), all.end(), [&](const Convention& other) { return other.id == one.id; });
       ++i) {
    one.id = stem + "-" + std::to_string(i);
  }
  one.name = name;
  one.pattern = what;
  one.applies_to = pattern.applies_to;
  one.approved_by = approved_by;
  add_task(one, source_task);
  out.id = one.id;
  all.push_back(std::move(one));
  return out;
}

Result<bool> retire_convention(std::vector<Convention>& all, std::string_view id) {
  const Result<Convention*> one = named(all, id);
  if (!one) {
    return one.error();
  }
  const bool was = one.value()->retired;
  one.value()->retired = true;
  return !was;
}

Result<bool> confirm_convention(std::vector<Convention>& all, std::string_view id, std::string_view person) {
  const Result<Convention*> one = named(all, id);
  if (!one) {
    return one.error();
  }
  if (text::is_blank(person)) {
    return Error{ErrorCode::invalid_argument, "a convention is confirmed by a person, by name", std::string(id), 0, 0};
  }
  one.value()->confirmed_by = person;
  one.value()->retired = false;
  return true;
}

std::vector<const Convention*> conventions_for(std::span<const Convention> all, std::span<const std::string> paths) {
  std::vector<const Convention*> out;
  for (const Convention& one : all) {
    Sop globs;  // the same rule decides for both
    globs.applies_to = one.applies_to;
    if (one.used() &&
        std::any_of(paths.begin(), paths.end(), [&](const std::string& path) { return applies(globs, path); })) {
      out.push_back(&one);
    }
  }
  stable_sort(out,
              [](const Convention* a, const Convention* b) { return a->source_tasks.size() > b->source_tasks.size(); });
  return out;
}

std::string conventions_json(std::span<const Convention> all) {
  std::string out;
  json::Writer json(out);
  json.begin_array();
  for (Convention one : all) {
    one.source_task = one.source_tasks.empty() ? std::string() : one.source_tasks.front();
    json::write_record(json, one);
  }
  json.end_array();
  return out;
}

Result<std::vector<Convention>> read_conventions(std::string_view json) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(json, arena, {.depth_max = 16, .bytes_max = json_bytes_max});
  if (!read) {
    return read.error();
  }
  if (!read.value().is(json::Kind::array) || read.value().size > conventions_max) {
    return Error{ErrorCode::invalid_argument, "conventions are a list of at most " + std::to_string(conventions_max),
                 "", 0, 0};
  }
  std::vector<Convention> out;
  for (const json::Value& value : read.value().array()) {
    Convention one = json::record_of<Convention>(value);
    if (one.id.empty() || one.name.empty() || one.pattern.empty()) {
      return Error{ErrorCode::invalid_argument, "a convention has 'id', 'name' and 'pattern'",
                   "/" + std::to_string(out.size()), 0, 0};
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::string convention_entities(std::span<const Convention> all) {
  std::string out;
  json::Writer json(out);
  json.begin_array();
  for (const Convention& one : all) {
    json.begin_object().member("id", one.id).key("triples").begin_array();
    const auto triple = [&json](std::string_view predicate, std::string_view object) {
      json.begin_object().member("predicate", "semspec.convention." + std::string(predicate));
      json.member("object", object).end_object();
    };
    triple("name", one.name);
    triple("pattern", one.pattern);
    for (const std::string& glob : one.applies_to) {
      triple("applies_to", glob);
    }
    for (const std::string& task : one.source_tasks) {
      triple("source_task", task);
    }
    triple("approved_by", one.approved_by);
    json.end_array().end_object();
  }
  json.end_array();
  return out;
}

}  // namespace plumb::workflow
