#include "core/pipelines/artifact/better.hpp"

#include <algorithm>
#include <optional>

#include "core/contract/render.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/pipelines/artifact/duplicates.hpp"
#include "core/repair/patch.hpp"

namespace plumb::pipelines::artifact {

namespace {

using contract::Finding;
using contract::FindingClass;
using contract::Severity;
using json::Kind;
using json::text_of;
using json::Value;

bool is_below(std::string_view at, std::string_view place) {
  return at.starts_with(place) && (at.size() == place.size() || at[place.size()] == '/');
}

// Where the judge found something wrong; with `open`, also where it did not settle something.
std::vector<std::string> judged_places(const Version& version, bool open) {
  std::vector<std::string> out;
  for (const std::string_view list : {std::string_view("issues"), std::string_view("undecided")}) {
    if (list == "undecided" && !open) {
      continue;
    }
    for (const Value& one : json::list_of(version.judgement.value(), list)) {
      if (list == "undecided" || text_of(one, "severity") == "error") {
        out.emplace_back(text_of(one, "at"));
      }
    }
  }
  return out;
}

// The places of items that are nested too deep or duplicate another item.
std::vector<std::string> own_places(const Version& version) {
  std::vector<std::string> out;
  for (const Value& one : json::list_of(version.verdict.value(), "findings")) {
    if (const std::string_view rule = text_of(one, "rule"); rule == "depth" || rule == rule_duplicate) {
      out.emplace_back(text_of(one, "at"));
    }
  }
  return out;
}

// The places that findings are about. Numbers of things are nobody's fault in particular.
struct Faults {
  std::vector<std::string> places;
  bool all = false;  // something is wrong with the whole of them
};

Faults faults_of(const run::Run& run, const Counted& made, const Version& version, bool open) {
  const contract::Contract& contract = run.contract(pin_contract);
  const std::string_view list =
      made.at.empty() ? std::string_view(made.from) : std::string_view(made.at).substr(0, made.at.rfind('/'));
  std::vector<Finding> findings;
  for (const Finding& finding : contract::check_text(contract, version.text).findings) {
    const bool of_all = finding.finding_class == FindingClass::count && is_below(list, finding.at);
    if (finding.severity == Severity::error && finding.shadowed_by == 0 && !of_all) {
      findings.push_back(finding);
    }
  }
  Faults out;
  out.places = repair::repair_scope(contract, findings);
  for (const Finding& finding : findings) {
    out.places.push_back(finding.at);
  }
  for (std::string& at : judged_places(version, open)) {
    out.places.push_back(std::move(at));
  }
  for (std::string& at : own_places(version)) {
    out.places.push_back(std::move(at));
  }
  out.all = std::any_of(out.places.begin(), out.places.end(), [&](const std::string& at) {
    return (at == list && made.from.empty()) || (at != list && is_below(list, at));
  });
  return out;
}

bool is_at_fault(const Faults& faults, std::string_view item) {
  return std::any_of(faults.places.begin(), faults.places.end(),
                     [&](const std::string& at) { return is_below(at, item); });
}

// The list that items stand in: "/questions" of "/questions/*"; nothing for trees and other ways.
std::optional<std::string> list_of_items(const Counted& made) {
  const std::size_t star = made.at.rfind("/*");
  const bool plain = star != std::string::npos && star + 2 == made.at.size() && made.at.find('*') == star + 1;
  return plain ? std::optional(made.at.substr(0, star)) : std::nullopt;
}

// A node without those below it.
std::string own_text(const Value& node, const Counted& made) {
  const std::string_view below = std::string_view(made.children).substr(1, made.children.find('/', 1) - 1);
  std::string out;
  json::Writer json(out);
  json.begin_object();
  for (const json::Member& member : node.object()) {
    if (member.key != below) {
      json.key(member.key).value(member.value);
    }
  }
  json.end_object();
  return out;
}

// The first node that nothing was wrong with and that is not there any more; empty: all are.
std::string lost_node(const run::Run& run, const Counted& made, const Version& next, const Version& before) {
  const Faults faults = faults_of(run, made, before, false);
  json::Arena arena;
  const Result<Value> was = json::parse(before.text, arena);
  const Result<Value> is = json::parse(next.text, arena);
  if (faults.all || !was || !is) {
    return {};
  }
  std::vector<std::string> nodes;
  for (const std::string& place : made.places(is.value())) {
    nodes.push_back(own_text(*json::resolve(is.value(), place), made));
  }
  std::sort(nodes.begin(), nodes.end());
  for (const std::string& place : made.places(was.value())) {
    const std::string own = own_text(*json::resolve(was.value(), place), made);
    // What is wrong below a node is not wrong with it.
    const bool own_fault = std::any_of(faults.places.begin(), faults.places.end(), [&](const std::string& at) {
      return is_below(at, place) && !is_below(at, place + made.children.substr(0, made.children.rfind("/*")));
    });
    const bool in_fault = std::any_of(faults.places.begin(), faults.places.end(),
                                      [&](const std::string& at) { return is_below(place, at); });
    if (!own_fault && !in_fault && !std::binary_search(nodes.begin(), nodes.end(), own)) {
      return place;
    }
  }
  return {};
}

// How many items a repair was asked to drop: those beyond the most; and, where no number binds, those that the source
// does not support.
std::uint64_t droppable(const run::Run& run, const Job& job, const Counted& made, const Version& before) {
  const Count& count = job.count;
  if (count.exactly > 0) {
    return before.items > count.exactly ? before.items - count.exactly : 0;
  }
  const std::uint64_t over = count.most > 0 && before.items > count.most ? before.items - count.most : 0;
  json::Arena arena;
  const Result<Value> was = json::parse(before.text, arena);
  std::uint64_t unsupported = 0;
  std::vector<std::string> wrong = judged_places(before, false);
  if (job.way >= 3) {
    for (std::string& at : own_places(before)) {
      wrong.push_back(std::move(at));
    }
  }
  for (const std::string& place : was ? made.places(was.value()) : std::vector<std::string>()) {
    unsupported += std::any_of(wrong.begin(), wrong.end(), [&](const std::string& at) { return is_below(at, place); });
  }
  // A tree's nodes that stand too deep go with those below them.
  const Faults faults = made.from.empty() ? Faults() : faults_of(run, made, before, false);
  std::uint64_t wrong_nodes = 0;
  for (const std::string& place : was && !made.from.empty() ? made.places(was.value()) : std::vector<std::string>()) {
    wrong_nodes += std::any_of(faults.places.begin(), faults.places.end(),
                               [&](const std::string& at) { return is_below(place, at); });
  }
  return std::max(over + unsupported, wrong_nodes);
}

void write_at(json::Writer& json, const Value& value, std::string_view path, std::string_view wanted,
              const std::vector<const Value*>& items) {
  if (path == wanted) {
    json.begin_array();
    for (const Value* item : items) {
      json.value(*item);
    }
    json.end_array();
    return;
  }
  if (!value.is(Kind::object) || !is_below(wanted, path)) {
    json.value(value);
    return;
  }
  json.begin_object();
  for (const json::Member& member : value.object()) {
    std::string below(path);
    json::append_token(below, member.key);
    json.key(member.key);
    write_at(json, member.value, below, wanted, items);
  }
  json.end_object();
}

}  // namespace

bool same_artifact(const Version& a, const Version& b) {
  json::Arena arena;
  const Result<Value> left = json::parse(a.text, arena);
  const Result<Value> right = json::parse(b.text, arena);
  return left && right ? json::equal(left.value(), right.value()) : a.text == b.text;
}

Comparison compare(const run::Run& run, const Job& job, const Counted& made, const Version& next,
                   const Version& before) {
  const auto complete = [](const Version& version) { return version.is_json && version.stopped.empty(); };
  if (!complete(next)) {
    return {false, "it is no complete JSON"};
  }
  if (next.rootless) {
    return {false, "it lacks members that are required"};
  }
  if (!complete(before)) {
    return {true, {}};
  }
  if (next.missing > before.missing) {
    return {false, "it lacks members that are required"};
  }
  if (next.items + droppable(run, job, made, before) < before.items) {
    return {false, "it has " + made.words(next.items) + " where there were " + json::uint_text(before.items)};
  }
  if (!made.from.empty()) {
    if (const std::string lost = lost_node(run, made, next, before); !lost.empty()) {
      return {false, "it changed " + lost + ", which nothing was wrong with"};
    }
  }
  if (next.errors != before.errors) {
    return {next.errors < before.errors, next.errors < before.errors ? "" : "it has more violations"};
  }
  // Where items are missing, more of them are better.
  const std::uint64_t wanted = job.way >= 3 ? job.count.exactly : 0;
  if (const std::uint64_t had = std::min(before.items, wanted), has = std::min(next.items, wanted); has != had) {
    return {has > had,
            has > had ? "" : "it has " + made.words(next.items) + " where there were " + json::uint_text(before.items)};
  }
  if (next.judged && before.judged && next.issues != before.issues) {
    return {next.issues < before.issues, next.issues < before.issues ? "" : "it has more issues"};
  }
  if (next.judged && before.judged && next.undecided != before.undecided) {
    return {next.undecided < before.undecided, next.undecided < before.undecided ? "" : "less of it is settled"};
  }
  return {next.judged == before.judged && next.open < before.open, "it is not better", Reason::not_better};
}

Held hold_items(const run::Run& run, const Job& job, const Counted& made, const Version& before, std::string repaired) {
  const std::optional<std::string> list = list_of_items(made);
  json::Arena arena;
  const Result<Value> was = json::parse(before.text, arena);
  const Result<Value> is = json::parse(repaired, arena);
  const Value* old_list = list && was ? json::resolve(was.value(), *list) : nullptr;
  const Value* new_list = list && is ? json::resolve(is.value(), *list) : nullptr;
  if (old_list == nullptr || new_list == nullptr || !old_list->is(Kind::array) || !new_list->is(Kind::array)) {
    return {std::move(repaired), 0};
  }
  const Faults faults = faults_of(run, made, before, false);
  if (faults.all) {
    return {std::move(repaired), 0};
  }
  const auto items = old_list->array();
  std::vector<bool> good(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::string place = *list;
    json::append_token(place, i);
    good[i] = !is_at_fault(faults, place);
  }
  std::vector<const Value*> out;
  for (const Value& item : new_list->array()) {
    out.push_back(&item);
  }
  const auto is_good = [&](const Value& item) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (good[i] && json::equal(items[i], item)) {
        return true;
      }
    }
    return false;
  };
  const std::uint64_t most = job.count.exactly > 0 ? job.count.exactly : job.count.most;
  Held held;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool there =
        std::any_of(out.begin(), out.end(), [&](const Value* one) { return json::equal(*one, items[i]); });
    if (!good[i] || there) {
      continue;
    }
    if (i < out.size() && !is_good(*out[i]) && out.size() >= items.size()) {
      out[i] = &items[i];
    } else if ((most == 0 || out.size() < most) && out.size() < items.size()) {
      out.insert(out.begin() + static_cast<std::ptrdiff_t>(std::min(i, out.size())), &items[i]);
    } else {
      continue;
    }
    ++held.put_back;
  }
  if (held.put_back == 0) {
    return {std::move(repaired), 0};
  }
  json::Writer json(held.text);
  write_at(json, is.value(), "", *list, out);
  return held;
}

Kept kept_items(const run::Run& run, const Job& job, const Counted& made, const Version& version) {
  json::Arena arena;
  const Result<Value> artifact = json::parse(version.text, arena);
  if (!artifact || !version.is_json || !version.stopped.empty()) {
    return {};
  }
  const Faults faults = faults_of(run, made, version, version.judged && !job.passes_unverified);
  std::vector<std::string> places = made.places(artifact.value());
  if (faults.all || places.empty()) {
    return {};
  }
  // From behind, so that places stay where they are; of a tree, what is below what goes, goes with it.
  std::vector<std::string> gone;
  for (const std::string& place : places) {
    const bool inside =
        std::any_of(gone.begin(), gone.end(), [&](const std::string& one) { return is_below(place, one); });
    const bool own =
        made.from.empty()
            ? is_at_fault(faults, place)
            : std::any_of(faults.places.begin(), faults.places.end(), [&](const std::string& at) {
                return is_below(at, place) && !is_below(at, place + made.children.substr(0, made.children.rfind("/*")));
              });
    if (!inside && own) {
      gone.push_back(place);
    }
  }
  if (std::any_of(gone.begin(), gone.end(), [&](const std::string& one) { return one == made.from; })) {
    return {};
  }
  std::string patch;
  json::Writer json(patch);
  json.begin_array();
  for (auto place = gone.rbegin(); place != gone.rend(); ++place) {
    json.begin_object().member("op", "remove").member("path", *place).end_object();
  }
  json.end_array();
  const Result<Value> operations = json::parse(patch, arena);
  const std::vector<std::string> everywhere = {""};
  Kept out;
  if (gone.empty()) {
    out.text = version.text;
  } else if (Result<std::string> done = repair::apply_patch(artifact.value(), operations.value(), everywhere); done) {
    out.text = std::move(done).value();
  } else {
    return {};
  }
  const Result<Value> left = json::parse(out.text, arena);
  const std::vector<std::string> now = left ? made.places(left.value()) : std::vector<std::string>();
  out.items = now.size();
  std::size_t next = 0;
  for (const std::string& place : places) {
    const bool went =
        std::any_of(gone.begin(), gone.end(), [&](const std::string& one) { return is_below(place, one); });
    if (!went && next < now.size()) {
      out.places.emplace_back(place, now[next++]);
    }
  }
  return out.items == 0 ? Kept() : out;
}

}  // namespace plumb::pipelines::artifact
