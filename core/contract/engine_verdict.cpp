// The end of a text, and the verdict on it.

#include <algorithm>
#include <utility>

#include "core/contract/engine.hpp"
#include "core/require.hpp"
#include "core/stable_sort.hpp"

namespace plumb::contract {

using json::Kind;

void Engine::read_whole(std::string_view text) {
  std::vector<Finding> certain;
  if (text.size() > options_.limits.bytes_max) {
    push(text, certain);
    finish(certain);
    return;
  }
  whole_ = true;
  whole_text_ = text;
  chunk_start_ = 0;
  watch_stream(text);
  scan(text);
  bytes_ = text.size();
  finish(certain);
}

Verdict Engine::check_whole(std::string_view text) {
  read_whole(text);
  return verdict();
}

Verdict Engine::end(std::vector<Finding>& certain) {
  finish(certain);
  return verdict();
}

void Engine::finish(std::vector<Finding>& certain) {
  take_rest();
  ending_ = true;
  if (!size_stopped_) {
    scan_end();
  }
  // What is still open ends here: cut short, its size is the least that it can be.
  auto at_least = [&](std::uint32_t first) {
    for (std::uint32_t i = first; i != none32; i = found_[i].next_open) {
      found_[i].size_at_least = true;
    }
  };
  if (token_.active) {
    at_least(token_.open_found);
    token_.to = bytes_;
    if (token_.kind == Kind::string) {
      token_.text = token_text_;
    }
    complete_token();
  }
  for (std::size_t i = frames_.size(); i-- > 0;) {
    at_least(frames_[i].open_found);
    complete_frame(frames_[i], bytes_);
  }
  if (whole_) {
    find_places(whole_text_, 0, true);
  } else {
    find_places({}, bytes_, true);
  }
  tell(certain);
  PLUMB_REQUIRE(stopped_ || !root_broken_ || any_error_, "what is broken has a finding that says why");
  const bool asked = asks_ != nullptr || root_->extra == nullptr || root_->extra->rules.empty();
  clean_ = asked && kept_.empty() && others_.empty() && more_by_rule_.empty() && signals_.empty() && !limit_reached_ &&
           !context_missing_ && !stopped_;
}

// The lines of the root's rules, where all of them are left to a judge: they are the same for every text, and nothing
// else depends on them, so that they are not written before somebody asks.
void Engine::write_asks() {
  if (asks_ != nullptr) {
    const std::uint32_t index = new_evaluation();
    evaluations_[index].node = std::exchange(asks_, nullptr);
    settle_rules(index);
    free_evaluation(index);
  }
}

Verdict Engine::verdict() {
  write_asks();
  Verdict verdict;
  verdict.contract = p_.name;
  verdict.hash = p_.hash;
  verdict.bytes = bytes_;
  verdict.signals = signals_;
  verdict.valid = !any_error_ && !limit_reached_;
  auto by_walk = [&](std::uint32_t a, std::uint32_t b) {
    return found_[a].walk != found_[b].walk ? found_[a].walk < found_[b].walk
                                            : found_[a].finding.id < found_[b].finding.id;
  };
  stable_sort(kept_, by_walk);
  // stopAt: a broken keyword hides what comes later for the same schema object at the same instance.
  std::vector<const Found*> stops;
  for (std::uint32_t i : kept_) {
    Found& f = found_[i];
    for (const Found* stop : stops) {
      bool below = f.walk.size() > stop->walk_of_node &&
                   std::equal(stop->walk.begin(), stop->walk.begin() + stop->walk_of_node, f.walk.begin());
      bool same_keyword = below && (f.walk[stop->walk_of_node] >> 40U) == (stop->walk[stop->walk_of_node] >> 40U);
      if (below && !same_keyword && f.kw != Kw::syntax && f.kw != Kw::limit) {
        f.finding.shadowed_by = stop->finding.shadowed_by != 0 ? stop->finding.shadowed_by : stop->finding.id;
        break;
      }
    }
    if (f.stops && f.finding.shadowed_by == 0) {
      stops.push_back(&f);
    }
    verdict.findings.push_back(with_causes(i, 0));
  }
  for (const auto& [rule, count] : more_by_rule_) {
    verdict.more.emplace_back(rule, count);
  }
  stable_sort(verdict.more);
  stable_sort(others_, [&](std::uint32_t a, std::uint32_t b) { return found_[a].walk < found_[b].walk; });
  verdict.undecided.reserve(others_.size());
  verdict.scorecard.reserve(others_.size());
  line_locations_.clear();
  for (std::uint32_t i : others_) {
    Found& f = found_[i];
    if (f.what == Found::What::undecided) {
      verdict.undecided.push_back(f.not_decided);
    } else {
      verdict.scorecard.push_back(f.score);
      line_locations_.push_back(f.not_decided.schema_location);
      for (auto& label : f.labels) {
        verdict.labels.push_back(std::move(label));
      }
    }
  }
  give_reasons(verdict);
  if (any_block_) {
    verdict.decision = Decision::block;
  } else if (any_error_) {
    verdict.decision = Decision::revise;
  } else if (limit_reached_ || context_missing_) {
    verdict.decision = Decision::undecided;
  } else if (any_warning_) {
    verdict.decision = Decision::accept_with_warnings;
  } else {
    verdict.decision = Decision::accept;
  }
  return verdict;
}

}  // namespace plumb::contract
