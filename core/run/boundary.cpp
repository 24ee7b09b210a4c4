// How items cross a boundary.
//
// A cycle has three parts, each a scope, so that finished work is not repeated when the pipeline is called for the
// next reply. `gate` applies the rules without a model, and splits the open items into calls. `validate` makes these
// calls in parallel, and reads their answers. From the second cycle on, `revise` comes first, with a scope for each
// item.

#include "core/run/boundary.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/record.hpp"
#include "core/run/boundary_answers.hpp"
#include "core/run/boundary_laws.hpp"
#include "core/run/boundary_notes.hpp"

namespace plumb::run {

namespace {

using json::number_of;
using json::Value;

// An item during a crossing.
struct Item {
  const BoundaryItem* item = nullptr;       // of the input, or `own`
  std::shared_ptr<const BoundaryItem> own;  // set if it was revised
  std::size_t input = 0;
  std::string revised_from;
  std::size_t revisions = 0;
  std::size_t rejections = 0;
  bool rejected = false;
  bool unverified = false;
  bool fresh = true;  // to be judged in this cycle
  Rejection why;
  std::string revise_error;  // why the last revision was not used
  std::optional<Rejection> observed;
  bool was_observed = false;  // in this cycle or before
};

void reject(Item& item, Rejection why) {
  item.rejected = true;
  ++item.rejections;
  item.why = std::move(why);
}

struct Rejected {
  std::size_t i = 0;  // index of the item
  Rejection why;
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {json::field<&Rejected::i>("i"), json::members_of<&Rejected::why>()};
    return table;
  }
};
// What the rules without a model decide on the fresh items, and the calls for those they leave open.
struct Gated {
  std::vector<Rejected> rejected, observed;
  std::vector<std::size_t> open, batches, too_large;
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {json::field<&Gated::rejected>("rejected"),
                                            json::field<&Gated::open>("open"), json::field<&Gated::batches>("batches"),
                                            json::field<&Gated::too_large>("too_large"),
                                            json::field_if_set<&Gated::observed>("observed")};
    return table;
  }
};
// What the model decides on these.
struct Judged {
  std::vector<Rejected> rejected, observed;
  std::vector<std::size_t> unverified;
  std::uint64_t calls_failed = 0, unmentioned = 0, unknown_ids = 0, unfounded = 0;
  std::string call_error;
  std::uint64_t tokens = 0;
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {json::field<&Judged::rejected>("rejected"),
                                            json::field<&Judged::unverified>("unverified"),
                                            json::field<&Judged::calls_failed>("calls_failed"),
                                            json::field<&Judged::unmentioned>("unmentioned"),
                                            json::field<&Judged::unknown_ids>("unknown_ids"),
                                            json::field<&Judged::unfounded>("unfounded"),
                                            json::field_if_set<&Judged::call_error>("call_error"),
                                            json::field<&Judged::tokens>("tokens"),
                                            json::field_if_set<&Judged::observed>("observed")};
    return table;
  }
};

Data gate_part(const Boundary& boundary, const std::vector<Item>& items) {
  Gated gated;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].fresh) {
      continue;
    }
    const Gate gate = boundary.gate ? boundary.gate(*items[i].item) : Gate{true, std::nullopt, std::nullopt};
    if (gate.observed) {
      gated.observed.push_back({i, *gate.observed});
    }
    if (gate.rejected) {
      gated.rejected.push_back({i, *gate.rejected});
    } else if (gate.open) {
      gated.open.push_back(i);
    }
  }
  std::vector<std::string_view> texts;
  texts.reserve(gated.open.size());
  for (const std::size_t i : gated.open) {
    texts.push_back(items[i].item->value.text());
  }
  Batches batches = batches_of(texts, boundary.batch_tokens);
  gated.batches = std::move(batches.sizes);
  for (const std::size_t at : batches.too_large) {
    gated.too_large.push_back(gated.open[at]);
  }
  return Data::of(std::move(gated));
}

// Makes the calls of a cycle. Each answer is read with its own items, so a batch cannot reject an item of another.
Data validate_part(Run& run, const Boundary& boundary, const std::vector<Item>& items,
                   const std::vector<std::vector<const BoundaryItem*>>& batches, std::size_t cycle) {
  std::vector<Effect> effects;
  for (const auto& batch : batches) {
    Effect effect;
    effect.kind = EffectKind::model;
    effect.deadline_ms = boundary.validate_ms;
    effect.request = [&boundary, &batch, cycle] { return boundary.validate_request(batch, cycle); };
    effects.push_back(std::move(effect));
  }
  const std::vector<const Reply*> replies = run.ask_all(effects);
  for (const Reply* reply : replies) {
    if (boundary.replied) {
      boundary.replied(run, *reply);
    }
  }
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < items.size(); ++i) {
    index.emplace(items[i].item->id, i);
  }
  Answers all;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    read_answer(*replies[b], boundary, batches[b], all);
  }
  Judged judged{{},        {}, {}, all.calls_failed, all.unmentioned, all.unknown_ids, all.unfounded, all.call_error,
                all.tokens};
  for (auto& [id, why] : all.observed) {
    judged.observed.push_back({index.at(id), std::move(why)});
  }
  for (auto& [id, why] : all.rejected) {
    judged.rejected.push_back({index.at(id), std::move(why)});
  }
  for (const std::string& id : all.unverified) {
    judged.unverified.push_back(index.at(id));
  }
  return Data::of(std::move(judged));
}

void write_ids(json::Writer& json, std::string_view name, const std::vector<Item>& items, bool (*wanted)(const Item&)) {
  json.key(name).begin_array();
  for (const Item& item : items) {
    if (item.fresh && wanted(item)) {
      json.string(item.item->id);
    }
  }
  json.end_array();
}

Data cycle_note(const Boundary& boundary, const std::vector<Item>& items, const BoundaryCycle& cycle,
                std::size_t number) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("boundary", boundary.name).member("agent", boundary.agent);
  json.member("producer", boundary.producer).member_uint("cycle", number);
  json.member_uint("accepted", cycle.accepted).member_uint("rejected", cycle.rejected);
  write_ids(json, "rejected_item_ids", items, [](const Item& item) { return item.rejected; });
  json.key("rejections").begin_array();
  std::size_t shown = 0;
  for (const Item& item : items) {
    if (item.fresh && item.rejected && shown++ < 100) {
      write_record(json, CycleNote::Rejected{item.item->id, item.item->name, item.why});
    }
  }
  json.end_array();
  if (cycle.observed > 0) {
    json.key("observations").begin_array();
    std::size_t told = 0;
    for (const Item& item : items) {
      if (item.fresh && item.observed && told++ < 100) {
        write_record(json, CycleNote::Rejected{item.item->id, item.item->name, *item.observed});
      }
    }
    json.end_array();
  }
  write_ids(json, "unverified_item_ids", items, [](const Item& item) { return item.unverified; });
  json::write_members(json, &cycle, BoundaryCycle::fields().subspan(2));  // after `accepted` and `rejected`
  json.end_object();
  return Data::written(std::move(out));
}

// The state of the items after a part of a cycle.
struct Standing {
  std::vector<Item> items;
  BoundaryCycle cycle;
  std::uint64_t tokens = 0;
};

// The items that the gates leave open, by call. Items that are too large for any call are left out.
std::vector<std::vector<const BoundaryItem*>> batches_in(const Gated& gated, const std::vector<Item>& items) {
  std::vector<bool> too_large(items.size());
  for (const std::size_t i : gated.too_large) {
    too_large[i] = true;
  }
  std::vector<std::vector<const BoundaryItem*>> batches;
  std::size_t next = 0;
  for (const std::size_t size : gated.batches) {
    std::vector<const BoundaryItem*>& batch = batches.emplace_back();
    while (batch.size() < size) {
      const std::size_t i = gated.open[next++];
      if (!too_large[i]) {
        batch.push_back(items[i].item);
      }
    }
  }
  return batches;
}

void reject_all(const std::vector<Rejected>& all, std::vector<Item>& items) {
  for (const Rejected& one : all) {
    reject(items[one.i], one.why);
  }
}

void observe_all(const std::vector<Rejected>& all, std::vector<Item>& items) {
  for (const Rejected& one : all) {
    items[one.i].observed = items[one.i].observed ? items[one.i].observed : one.why;
    items[one.i].was_observed = true;
  }
}

// `judges`: null if there was no call.
Standing settled(const Data& gates, const Data& judges, Standing now) {
  const Gated& gated = gates.as<Gated>();
  reject_all(gated.rejected, now.items);
  observe_all(gated.observed, now.items);
  for (const std::size_t i : gated.too_large) {
    now.items[i].unverified = true;
  }
  now.cycle.open = gated.open.size();
  now.cycle.too_large = gated.too_large.size();
  now.cycle.batches = gated.batches.size();
  if (!judges.is_null()) {
    const Judged& judged = judges.as<Judged>();
    reject_all(judged.rejected, now.items);
    observe_all(judged.observed, now.items);
    for (const std::size_t i : judged.unverified) {
      now.items[i].unverified = true;
    }
    now.cycle.calls_failed = judged.calls_failed;
    now.cycle.unmentioned = judged.unmentioned;
    now.cycle.unknown_ids = judged.unknown_ids;
    now.cycle.unfounded = judged.unfounded;
    now.cycle.call_error = judged.call_error;
    now.tokens += judged.tokens;
  }
  for (const Item& item : now.items) {
    if (item.fresh) {
      ++now.cycle.judged;
      ++(item.rejected ? now.cycle.rejected : now.cycle.accepted);
      now.cycle.unverified += item.unverified ? 1 : 0;
      now.cycle.observed += item.observed ? 1 : 0;
    }
  }
  return now;
}

// Judges the fresh items.
std::shared_ptr<const Standing> judge_items(Run& run, const Boundary& boundary, const Standing& before,
                                            std::size_t number) {
  const Data gates = run.scope("gate", [&](Run&) { return gate_part(boundary, before.items); });
  Data judged;
  if (!gates.as<Gated>().batches.empty()) {
    judged = run.scope("validate", [&](Run& part) {
      const auto batches = part.keep<std::vector<std::vector<const BoundaryItem*>>>(
          "batches", [&] { return batches_in(gates.as<Gated>(), before.items); });
      return validate_part(part, boundary, before.items, *batches, number);
    });
  }
  return run.keep<Standing>("judged-" + json::uint_text(number), [&] { return settled(gates, judged, before); });
}

// The items after their revisions: revisions replace the rejected items and are fresh; the others are settled.
Standing with_revisions(const Boundary& boundary, const Standing& before, const std::vector<Data>& revisions) {
  Standing now;
  now.tokens = before.tokens;
  now.cycle.revision_calls = revisions.size();
  std::size_t n = 0;
  for (const Item& item : before.items) {
    Item& same = now.items.emplace_back(item);
    same.fresh = false;
    if (!item.rejected) {
      continue;
    }
    const Data& revision = revisions[n++];
    now.tokens += number_of(revision.value(), "tokens");
    const std::span<const Value> values = revision.value().find("values")->array();
    if (values.empty()) {
      ++now.cycle.skipped;
      same.revise_error = boundary.revised_by_rule ? "" : json::text_of(revision.value(), "skipped");
      continue;
    }
    now.items.pop_back();
    for (std::size_t k = 0; k < values.size(); ++k) {
      Item& revised = now.items.emplace_back(item);
      auto own = std::make_shared<BoundaryItem>(*item.item);
      own->value = Data::part(revision, &values[k]);
      own->name = boundary.name_of ? boundary.name_of(own->value) : own->name;
      if (values.size() > 1) {
        revised.revised_from = item.item->id;
        own->id += "." + json::uint_text(k + 1);
      }
      revised.item = own.get();
      revised.own = std::move(own);
      ++revised.revisions;
      revised.rejected = false;
      revised.unverified = false;
      revised.revise_error.clear();
      revised.observed.reset();
      revised.fresh = true;
      ++now.cycle.revised;
    }
  }
  now.cycle.carried = now.cycle.skipped;
  return now;
}

// Makes one revision call for each rejected item.
std::shared_ptr<const Standing> revise_items(Run& run, const Boundary& boundary, const Standing& before,
                                             std::size_t number) {
  std::vector<const Item*> rejected;
  for (const Item& item : before.items) {
    if (item.rejected) {
      rejected.push_back(&item);
    }
  }
  const std::vector<Data> revisions = run.each(
      "revise-" + json::uint_text(number), rejected.size(),
      [&](Run& part, std::size_t n) {
        const Item& item = *rejected[n];
        Effect effect;
        effect.kind = EffectKind::model;
        effect.deadline_ms = boundary.revise_ms;
        effect.request = [&] { return boundary.revise_request(*item.item, item.why, item.revise_error, number); };
        const Reply& reply = part.ask(effect);
        if (boundary.replied) {
          boundary.replied(part, reply);
        }
        return read_revision(reply, boundary, {*item.item, item.revised_from.empty(), !item.why.structural});
      },
      boundary.concurrency);
  return run.keep<Standing>("revised-" + json::uint_text(number),
                            [&] { return with_revisions(boundary, before, revisions); });
}

Crossing result_of(const std::vector<Item>& items, Crossing crossing, std::size_t inputs) {
  for (const Passed passed : {Passed::accepted, Passed::warned, Passed::failed}) {
    for (const Item& item : items) {
      const Passed is = !item.rejected ? Passed::accepted : item.why.structural ? Passed::failed : Passed::warned;
      if (is != passed) {
        continue;
      }
      Crossed& crossed = crossing.items.emplace_back();
      crossed.id = item.item->id;
      crossed.name = item.item->name;
      crossed.input = item.input;
      crossed.revised_from = item.revised_from;
      crossed.revisions = item.revisions;
      crossed.rejections = item.rejections;
      crossed.unverified = item.unverified;
      crossed.passed = is;
      if (is == Passed::warned) {
        crossed.warning = "Rejected after 2 retries: " + item.why.reason;
      }
      crossed.why = item.why;
      crossed.revise_error = item.revise_error;
      crossed.value = item.item->value;
    }
  }
  std::vector<bool> rejected(inputs);
  std::vector<bool> observed(inputs);
  for (const Item& item : items) {
    rejected[item.input] = rejected[item.input] || item.rejections > 0;
    observed[item.input] = observed[item.input] || item.was_observed;
  }
  crossing.observed = static_cast<std::uint64_t>(std::count(observed.begin(), observed.end(), true));
  crossing.rejections = static_cast<std::uint64_t>(std::count(rejected.begin(), rejected.end(), true));
  for (const BoundaryCycle& cycle : crossing.cycles) {
    crossing.calls += cycle.batches + cycle.revision_calls;
    // A cycle makes as many calls as it has batches. In the first cycle only, a revision may come back in parts.
    crossing.calls_max += cycle.batches;
  }
  crossing.calls_max += inputs + inputs * boundary_parts_max;
  crossing.retries = crossing.cycles.empty() ? 0 : crossing.cycles.size() - 1;
  return crossing;
}

Standing begin_with(const std::vector<BoundaryItem>& input) {
  Standing out;
  out.items.reserve(input.size());
  for (const BoundaryItem& one : input) {
    Item& item = out.items.emplace_back();
    item.item = &one;
    item.input = out.items.size() - 1;
  }
  return out;
}

std::vector<Item> cross_cycles(Run& run, const Boundary& boundary, const std::vector<BoundaryItem>& input,
                               Crossing& crossing) {
  auto now = run.keep<Standing>("begun", [&] { return begin_with(input); });
  for (std::size_t number = 0; !now->items.empty() && number <= boundary_retries_max; ++number) {
    if (number > 0) {
      if (std::none_of(now->items.begin(), now->items.end(), [](const Item& item) { return item.rejected; })) {
        break;
      }
      now = revise_items(run, boundary, *now, number);
    }
    now = judge_items(run, boundary, *now, number);
    (void)run.note("INPUT_VALIDATION", [&] { return cycle_note(boundary, now->items, now->cycle, number); });
    crossing.cycles.push_back(now->cycle);
  }
  crossing.tokens = now->tokens;
  return now->items;
}

Data cross(Run& run, const Boundary& boundary, const std::vector<BoundaryItem>& given) {
  Crossing crossing;
  // A copy, because what is kept points at the items, and the caller's may be gone in the next pass.
  const auto own = run.keep<std::vector<BoundaryItem>>("input", [&] { return given; });
  const std::vector<BoundaryItem>& input = *own;
  std::vector<Item> items = cross_cycles(run, boundary, input, crossing);
  crossing = result_of(items, std::move(crossing), input.size());
  const std::vector<std::string> broken = broken_laws(input, crossing);
  PLUMB_REQUIRE(broken.empty(), "a boundary keeps its laws");
  run.emit("boundary", boundary_note(boundary, crossing, input));
  return crossing_data(crossing);
}

}  // namespace

bool ObservedRules::has(std::string_view rule) const {
  return all || std::find(rules.begin(), rules.end(), rule) != rules.end();
}

void give_ids(std::vector<BoundaryItem>& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].id = json::uint_text(i + 1);
  }
}

Crossing cross_boundary(Run& run, const Boundary& boundary, const std::vector<BoundaryItem>& items) {
  PLUMB_REQUIRE(items.size() <= boundary_items_max, "more items than a boundary takes");
  return crossing_of(run.scope("boundary-" + boundary.name, [&](Run& part) { return cross(part, boundary, items); }));
}

}  // namespace plumb::run
