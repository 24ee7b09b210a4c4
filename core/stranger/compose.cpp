#include "core/stranger/compose.hpp"

#include <algorithm>
#include <utility>

#include "core/contract/check.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/sample/random.hpp"
#include "core/sample/sample.hpp"
#include "core/stranger/grammar.hpp"
#include "core/text/sentences.hpp"
#include "core/text/tokens.hpp"

namespace plumb::stranger {

namespace {

using json::Value;
using sample::Draft;
using sample::Random;
using wire::Finish;
using wire::ModelReply;

constexpr std::size_t contracts_max = 128;
constexpr std::string_view decline = "I'm sorry, but I cannot help with that.";

std::uint64_t tokens_of(std::string_view text) { return text::estimate_tokens(text).likely; }

// A document of the prompt that this answer may be a new version of: it has members that the schema names, and no
// others.
const std::string* version_before(const contract::Contract& contract, const Material& known) {
  json::Arena arena;
  const Result<Value> schema = json::parse(contract.text(), arena);
  const Value* properties = schema ? schema.value().find("properties") : nullptr;
  if (properties == nullptr) {
    return nullptr;
  }
  for (std::size_t i = known.documents.size(); i-- > 0;) {
    const Result<Value> document = json::parse(known.documents[i], arena);
    const std::span<const json::Member> members = document.value().object();
    const bool same = !members.empty() && std::all_of(members.begin(), members.end(), [&](const json::Member& member) {
      return properties->find(member.key) != nullptr;
    });
    if (same) {
      return &known.documents[i];
    }
  }
  return nullptr;
}

// The parts that feedback names are written again, as it allows them to be.
void mend(Draft& value, const Draft& fresh, const Material& known, Random& dice) {
  for (const std::string& pointer : known.wrong) {
    const bool told =
        std::any_of(known.allowed.begin(), known.allowed.end(), [&](const auto& one) { return one.first == pointer; });
    const sample::Path path = sample::path_of(pointer);
    const Draft* other = told ? nullptr : sample::find(fresh, path);
    Draft* there = other == nullptr || path.empty() ? nullptr : sample::find(value, path);
    if (there != nullptr) {
      there->become(*other);
    }
  }
  for (const auto& [pointer, choices] : known.allowed) {
    json::Arena arena;
    const Result<Value> choice = json::parse(choices[dice.below(choices.size())], arena);
    Draft* there = choice ? sample::find(value, sample::path_of(pointer)) : nullptr;
    if (there != nullptr) {
      there->become(Draft::of(choice.value()));
    }
  }
}

sample::Vocabulary vocabulary_for(const Material& known, const Manner& manner, Random& dice) {
  sample::Vocabulary out = known.vocabulary;
  const bool lazy = manner.mode == Mode::lazy;
  if (lazy || manner.size == Size::smallest) {
    out.counts.clear();
    out.rows.clear();
    out.items = 1;
  } else if (manner.size == Size::largest) {
    out.items = 4 + dice.below(9);
  }
  if (lazy && out.sentences.size() > 1) {
    out.sentences.resize(1);
  }
  return out;
}

std::string prose_of(const Material& known, const Manner& manner, Random& dice) {
  const std::vector<std::string>& sentences = known.vocabulary.sentences;
  if (sentences.empty()) {
    return known.vocabulary.words.empty() ? "Yes." : known.vocabulary.words.front();
  }
  const std::size_t count = manner.mode == Mode::lazy || manner.size == Size::smallest ? 1
                            : manner.size == Size::largest                             ? 12 + dice.below(20)
                                                                                       : 1 + dice.below(4);
  std::string out;
  const std::size_t first = dice.below(sentences.size());
  for (std::size_t i = 0; i < count; ++i) {
    out += (out.empty() ? "" : " ") + sentences[(first + i) % sentences.size()];
  }
  return out;
}

class Composer {
 public:
  Composer(const Asked& asked, const Manner& manner, Shelf& shelf, std::uint64_t seed)
      : asked_(asked), manner_(manner), shelf_(shelf), seed_(seed), dice_(seed), known_(read_material(asked.messages)) {
    if (manner_.mode == Mode::sloppy) {
      choose_faults();
    }
  }

  Composed compose() {
    out_.reply.model = asked_.model;
    out_.reply.id = json::uint_text(seed_ >> 11U);
    if (manner_.mode == Mode::refusing) {
      refuse_to();
    } else if (wants_call()) {
      call();
    } else {
      answer();
    }
    finish();
    return std::move(out_);
  }

 private:
  void choose_faults() {
    constexpr std::size_t kinds = static_cast<std::size_t>(Fault::call) - static_cast<std::size_t>(Fault::fence) + 1;
    const std::size_t count = manner_.fault != Fault::any ? 1 : dice_.below(5) == 0 ? 0 : 1 + dice_.below(4) / 3;
    for (std::size_t i = 0; i < count; ++i) {
      faults_.push_back(manner_.fault != Fault::any
                            ? manner_.fault
                            : static_cast<Fault>(static_cast<std::size_t>(Fault::fence) + dice_.below(kinds)));
    }
  }

  bool has(Fault fault) const { return std::find(faults_.begin(), faults_.end(), fault) != faults_.end(); }

  bool wants_call() {
    if (asked_.tools.empty() || asked_.may_call == MayCall::no) {
      return false;
    }
    const bool told = !asked_.messages.empty() && !asked_.messages.back().answers.empty();
    return asked_.may_call == MayCall::must || (asked_.schema.empty() && !told && dice_.below(4) != 0);
  }

  std::string value_for(const std::string& schema, bool strict, std::uint64_t salt) {
    const std::shared_ptr<const contract::Contract> contract = shelf_.read(schema);
    const std::string rules = grammar_of(asked_.wire, schema, strict);
    const std::shared_ptr<const contract::Contract> grammar = rules.empty() ? nullptr : shelf_.read(rules);
    std::string text = contract == nullptr
                           ? std::string("{}")
                           : made_for(*contract, known_, manner_, Random::mixed(seed_ + salt), asked_.tokens_max);
    const std::string fresh = text;
    if (!faults_.empty()) {
      json::Arena arena;
      const Result<Value> value = json::parse(text, arena);
      Draft draft = Draft::of(value.value());
      for (const Fault fault : faults_) {
        spoil(draft, fault, known_, seed_);
      }
      text = sample::text_of(draft);
    }
    return grammar == nullptr ? text : held_to(*grammar, text, held_to(*grammar, fresh, fresh, seed_), seed_ + salt);
  }

  // Whether nothing but one JSON value can be written.
  bool is_held() const {
    return out_.reply.calls.empty() &&
           (asked_.json || !grammar_of(asked_.wire, asked_.schema, asked_.schema_strict).empty());
  }

  void call() {
    const std::size_t count =
        asked_.one_call || asked_.may_call == MayCall::must || dice_.below(4) != 0 ? 1 : 1 + dice_.below(2);
    for (std::size_t i = 0; i < count; ++i) {
      const AskedTool* tool = &asked_.tools[dice_.below(asked_.tools.size())];
      for (const AskedTool& one : asked_.tools) {
        tool = one.name == asked_.tool ? &one : tool;
      }
      wire::ToolCall made;
      made.id = "call_" + json::uint_text((seed_ >> 20U) + i);
      made.name = tool->name;
      made.arguments = value_for(tool->schema, tool->strict, i);
      out_.reply.calls.push_back(std::move(made));
    }
    out_.reply.finish = Finish::tool_calls;
  }

  void answer() {
    if (!asked_.schema.empty()) {
      out_.reply.text = value_for(asked_.schema, asked_.schema_strict, 0);
    } else if (asked_.json) {
      json::Writer(out_.reply.text).begin_object().member("text", prose_of(known_, manner_, dice_)).end_object();
    } else {
      out_.reply.text = prose_of(known_, manner_, dice_);
    }
    out_.reply.finish = Finish::stop;
  }

  void refuse_to() {
    out_.reply.finish = asked_.wire == wire::Wire::anthropic ? Finish::refusal : Finish::stop;
    if (asked_.wire == wire::Wire::openai) {
      out_.reply.refusal = std::string(decline);
    } else if (asked_.wire == wire::Wire::ollama && !asked_.schema.empty()) {
      // A grammar holds it to the form: it declines in it.
      known_.vocabulary = {};
      known_.vocabulary.words = {std::string(decline)};
      known_.vocabulary.sentences = {std::string(decline)};
      known_.documents.clear();
      known_.allowed.clear();
      out_.reply.text = value_for(asked_.schema, asked_.schema_strict, 0);
    } else if (asked_.wire == wire::Wire::ollama) {
      out_.reply.text = std::string(decline);
    }
  }

  void finish() {
    ModelReply& reply = out_.reply;
    const std::string name = !asked_.tool.empty()          ? asked_.tool
                             : !asked_.schema_name.empty() ? asked_.schema_name
                                                           : std::string("answer");
    const bool held = is_held();
    for (const Fault fault : faults_) {
      const bool around =
          fault == Fault::fence || fault == Fault::prose || fault == Fault::thinking || fault == Fault::call;
      if (!held || !around) {
        spoil_text(reply, fault, name, seed_);
        out_.fault = fault;
      }
    }
    for (const std::string& stop : asked_.stop) {
      if (const std::size_t at = stop.empty() ? std::string::npos : reply.text.find(stop); at != std::string::npos) {
        reply.text.resize(at);
      }
    }
    hold_to_limit();
    std::uint64_t written = tokens_of(reply.text) + tokens_of(reply.thinking) + tokens_of(reply.refusal);
    for (const wire::ToolCall& one : reply.calls) {
      written += tokens_of(one.arguments) + 8;
    }
    reply.usage.known = true;
    reply.usage.input_tokens = asked_.input_tokens;
    reply.usage.output_tokens = std::max<std::uint64_t>(written, 1);
  }

  // What is longer than max_tokens ends there.
  void hold_to_limit() {
    ModelReply& reply = out_.reply;
    std::string& last = reply.calls.empty() ? reply.text : reply.calls.back().arguments;
    const std::uint64_t tokens = tokens_of(last);
    if (asked_.tokens_max == 0 || tokens <= asked_.tokens_max) {
      return;
    }
    const std::size_t bytes = static_cast<std::size_t>(last.size() * asked_.tokens_max / tokens);
    last = std::string(text::first_code_points(last, bytes));
    reply.finish = Finish::length;
  }

  const Asked& asked_;
  Manner manner_;
  Shelf& shelf_;
  std::uint64_t seed_;
  Random dice_;
  Material known_;
  std::vector<Fault> faults_;
  Composed out_;
};

}  // namespace

std::shared_ptr<const contract::Contract> Shelf::read(const std::string& schema) {
  const auto found = contracts_.find(schema);
  if (found != contracts_.end()) {
    return found->second;
  }
  if (contracts_.size() >= contracts_max) {
    contracts_.clear();
  }
  Result<contract::Contract> contract = contract::Contract::read(schema);
  auto made = contract ? std::make_shared<const contract::Contract>(std::move(contract).value()) : nullptr;
  contracts_.emplace(schema, made);
  return made;
}

std::string made_for(const contract::Contract& contract, const Material& known, const Manner& manner,
                     std::uint64_t seed, std::uint64_t tokens_max) {
  Random dice(seed);
  sample::Vocabulary vocabulary = vocabulary_for(known, manner, dice);
  sample::SampleOptions options;
  options.seed = seed >> 11U;
  options.vocabulary = &vocabulary;
  const bool small = manner.size == Size::smallest || manner.mode == Mode::lazy;
  options.kind = small ? sample::SampleKind::minimal : sample::SampleKind::rich;
  std::string fresh = "{}";
  // Shorter where it would not fit into the limit of tokens.
  for (std::size_t i = 0; i < 4; ++i) {
    const Result<sample::Samples> samples = sample::make_samples(contract, options);
    if (samples && !samples.value().made.empty()) {
      fresh = samples.value().made.front().artifact;
    }
    if (tokens_max == 0 || tokens_of(fresh) <= tokens_max) {
      break;
    }
    vocabulary.items = i == 0 ? 2 : 1;
    vocabulary.rows.resize(i == 0 ? vocabulary.rows.size() / 2 : 0);
    options.kind = i >= 2 ? sample::SampleKind::minimal : options.kind;
  }
  if (known.wrong.empty() && known.allowed.empty()) {
    return fresh;
  }
  json::Arena arena;
  const std::string* const before = manner.mode == Mode::lazy ? nullptr : version_before(contract, known);
  const Draft other = Draft::of(json::parse(fresh, arena).value());
  for (const std::string* text : {before, static_cast<const std::string*>(&fresh)}) {
    if (text == nullptr) {
      continue;
    }
    Draft value = Draft::of(json::parse(*text, arena).value());
    mend(value, other, known, dice);
    std::string mended = sample::text_of(value);
    if (contract::check_text(contract, mended).valid) {
      return mended;
    }
  }
  return fresh;
}

Composed compose(const Asked& asked, const Manner& manner, Shelf& shelf, std::uint64_t seed) {
  return Composer(asked, manner, shelf, seed).compose();
}

}  // namespace plumb::stranger
