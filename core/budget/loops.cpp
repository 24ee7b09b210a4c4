#include "core/budget/loops.hpp"

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/text/novelty.hpp"

namespace plumb::budget {

namespace {

constexpr std::size_t looked_at_max = 100;
constexpr std::size_t said_max = 2'000;

bool same(const json::Value* a, const json::Value* b) {
  const json::Value null{};
  return json::equal(a != nullptr ? *a : null, b != nullptr ? *b : null);
}

// What the arguments say: the texts and numbers in them, without names and punctuation.
void say(const json::Value& value, std::string& out) {
  if (out.size() > said_max) {
    return;
  }
  for (const json::Value& item : value.array()) {
    say(item, out);
  }
  for (const json::Member& member : value.object()) {
    say(member.value, out);
  }
  if (value.is(json::Kind::string) || value.is(json::Kind::number)) {
    out += value.str();
    out += ' ';
  }
}

class Circle {
 public:
  Circle(std::span<const Call> calls, const LoopSettings& settings) : calls_(calls), settings_(settings) {
    const std::size_t looked_at = std::min<std::size_t>(settings.calls_looked_at, looked_at_max);
    first_ = calls.size() > looked_at ? calls.size() - looked_at : 0;
    taken_.assign(calls.size(), false);
  }

  std::vector<Loop> find() {
    look(true, settings_.identical_min);
    look(false, settings_.near_min);
    return std::move(loops_);
  }

 private:
  bool exempt(const Call& call) const {
    return call.changes ||
           std::find(settings_.polling.begin(), settings_.polling.end(), call.tool) != settings_.polling.end();
  }

  bool alike(const Call& a, const Call& b, bool identical) const {
    if (a.tool != b.tool) {
      return false;
    }
    if (identical) {
      return same(a.arguments, b.arguments) && (a.result == nullptr || b.result == nullptr || same(a.result, b.result));
    }
    if (same(a.arguments, b.arguments)) {
      return true;
    }
    if (a.arguments == nullptr || b.arguments == nullptr) {
      return false;
    }
    std::string text_a;
    std::string text_b;
    say(*a.arguments, text_a);
    say(*b.arguments, text_b);
    if (text_a.size() > said_max || text_b.size() > said_max) {
      return false;
    }
    const std::string_view earlier[] = {text_a};
    return text::judge_novelty(text_b, earlier).novelty != text::Novelty::fresh;
  }

  void look(bool identical, std::uint32_t count_min) {
    for (std::size_t i = first_; i < calls_.size(); ++i) {
      if (taken_[i] || exempt(calls_[i])) {
        continue;
      }
      std::vector<std::uint32_t> like = {static_cast<std::uint32_t>(i)};
      for (std::size_t j = i + 1; j < calls_.size() && !calls_[j].changes; ++j) {
        if (!taken_[j] && !exempt(calls_[j]) && alike(calls_[i], calls_[j], identical)) {
          like.push_back(static_cast<std::uint32_t>(j));
        }
      }
      if (like.size() >= std::max(count_min, 2U)) {
        keep(identical, like);
      }
    }
  }

  void keep(bool identical, const std::vector<std::uint32_t>& like) {
    Loop loop;
    loop.identical = identical;
    loop.tool = calls_[like.front()].tool;
    loop.calls = like;
    const bool known = calls_[like.front()].result != nullptr;
    loop.explanation = loop.tool + " was called " + json::uint_text(like.size()) + " times with " +
                       (identical ? known ? "the same arguments and the same result" : "the same arguments"
                                  : "arguments that say the same") +
                       " and nothing changed in between: use what it has answered, ask something else, or stop";
    for (const std::uint32_t call : like) {
      taken_[call] = true;
    }
    loops_.push_back(std::move(loop));
  }

  std::span<const Call> calls_;
  const LoopSettings& settings_;
  std::size_t first_ = 0;
  std::vector<bool> taken_;
  std::vector<Loop> loops_;
};

}  // namespace

std::vector<Loop> find_loops(std::span<const Call> calls, const LoopSettings& settings) {
  return Circle(calls, settings).find();
}

}  // namespace plumb::budget
