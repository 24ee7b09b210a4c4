// What models do to an answer that was right.
#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/sample/random.hpp"
#include "core/stranger/compose.hpp"
#include "core/text/sentences.hpp"

namespace plumb::stranger {

namespace {

using json::Kind;
using sample::Draft;
using sample::Random;

void collect(Draft& value, std::vector<Draft*>& out) {
  out.push_back(&value);
  for (Draft& child : value.children) {
    collect(child, out);
  }
}

std::vector<Draft*> all_of(Draft& value, bool (*wanted)(const Draft&)) {
  std::vector<Draft*> all;
  collect(value, all);
  all.erase(std::remove_if(all.begin(), all.end(), [&](const Draft* one) { return !wanted(*one); }), all.end());
  return all;
}

bool is_number(const Draft& one) { return one.is(Kind::number) || one.is(Kind::boolean); }
bool is_container(const Draft& one) { return !one.children.empty(); }
bool is_text(const Draft& one) { return one.is(Kind::string); }

void numbers_as_text(Draft& value, Random& dice) {
  const std::vector<Draft*> all = all_of(value, is_number);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || dice.chance(1, 2)) {
      all[i]->text = all[i]->is(Kind::boolean) ? (all[i]->boolean ? "true" : "false") : all[i]->text;
      all[i]->kind = Kind::string;
    }
  }
}

// Texts that stand in the prompt as values of that name become other words.
void wrong_ids(Draft& value, const Material& known, Random& dice) {
  for (Draft* one : all_of(value, is_text)) {
    std::string written;
    json::append_string(written, one->text);
    const std::vector<std::string>& ids = known.vocabulary.ids;
    const bool listed =
        known.vocabulary.values_of(one->key) != nullptr || std::find(ids.begin(), ids.end(), written) != ids.end();
    if (listed && dice.chance(1, 2)) {
      one->text = dice.chance(1, 4) ? std::string() : one->text + "-" + json::uint_text(dice.below(90) + 10);
    }
  }
}

void missing_parts(Draft& value, Random& dice) {
  const std::vector<Draft*> all = all_of(value, is_container);
  if (all.empty()) {
    return;
  }
  Draft& one = *all[dice.below(all.size())];
  const std::size_t count = 1 + dice.below(one.children.size());
  for (std::size_t i = 0; i < count; ++i) {
    one.children.erase(one.children.begin() + static_cast<std::ptrdiff_t>(dice.below(one.children.size())));
    if (one.is(Kind::object)) {
      break;
    }
  }
}

void extra_parts(Draft& value, Random& dice) {
  const std::vector<Draft*> all = all_of(value, is_container);
  if (all.empty()) {
    return;
  }
  Draft& one = *all[dice.below(all.size())];
  if (one.is(Kind::object)) {
    one.set("note", Draft::string("as asked"));
    return;
  }
  const std::size_t count = one.children.size();
  for (std::size_t i = 0; i < 1 + dice.below(count * 2); ++i) {
    one.children.push_back(Draft(one.children[i % count]));
  }
}

void cut(std::string& text, Random& dice) {
  if (text.size() > 2) {
    const std::size_t points = 1 + dice.below(text.size() - 1);
    text = std::string(text::first_code_points(text, points));
  }
}

}  // namespace

void spoil(Draft& value, Fault fault, const Material& known, std::uint64_t seed) {
  Random dice(Random::mixed(seed ^ static_cast<std::uint64_t>(fault)));
  switch (fault) {
    case Fault::numbers:
      numbers_as_text(value, dice);
      break;
    case Fault::ids:
      wrong_ids(value, known, dice);
      break;
    case Fault::missing:
      missing_parts(value, dice);
      break;
    case Fault::extra:
      extra_parts(value, dice);
      break;
    default:
      break;
  }
}

void spoil_text(wire::ModelReply& reply, Fault fault, const std::string& name, std::uint64_t seed) {
  Random dice(Random::mixed(seed ^ (static_cast<std::uint64_t>(fault) << 8U)));
  const bool calls = !reply.calls.empty();
  switch (fault) {
    case Fault::fence:
      if (!calls) {
        reply.text = (dice.chance(1, 2) ? "```json\n" : "```\n") + reply.text + "\n```";
      }
      break;
    case Fault::prose:
      reply.text = calls ? std::string("I will use the tool for that.")
                         : "Here is what you asked for:\n\n" + reply.text +
                               (dice.chance(1, 2) ? "\n\nLet me know if anything should change." : "");
      break;
    case Fault::thinking:
      if (calls || dice.chance(1, 3)) {
        reply.thinking = "They want a value. Maybe {\"a\": [1, 2]}? No: what they ask for.";
      } else {
        reply.text =
            "<think>\nThey want a value. Maybe {\"a\": [1, 2]}? No: what they ask for.\n</think>\n" + reply.text;
      }
      break;
    case Fault::cut:
      cut(calls ? reply.calls.back().arguments : reply.text, dice);
      reply.finish = wire::Finish::length;
      break;
    case Fault::call: {
      const std::string inner = calls ? reply.calls.front().arguments : reply.text;
      const std::string tool = calls ? reply.calls.front().name : name;
      reply.calls.clear();
      reply.text = "{\"name\": ";
      json::append_string(reply.text, tool);
      reply.text += ", \"arguments\": " + (inner.empty() ? std::string("{}") : inner) + "}";
      reply.finish = wire::Finish::stop;
      break;
    }
    default:
      break;
  }
}

}  // namespace plumb::stranger
