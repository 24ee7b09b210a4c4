#include "tests/native/derive_law.hpp"

#include <algorithm>
#include <set>

#include "core/derive/open_place.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "tests/law_step.hpp"
#include "tests/native/gbnf_run.hpp"

namespace plumb::cases {

namespace {

using json::Kind;
using json::Value;

constexpr std::size_t artifact_max = 4000;
constexpr std::size_t broken_max = 50;
constexpr std::size_t pool_max = 400;

bool accepts(const contract::Contract& contract, const std::string& text, const std::string& context) {
  contract::CheckOptions options;
  options.context = context;
  return contract::check_text(contract, text, options).valid;
}

// An artifact with one thing changed, each at another place: what `turn` counts down to.
class Changed {
 public:
  Changed(const Value& value, std::size_t turn) : turn_(turn), json_(out_) { write(value); }
  bool done() const { return done_; }
  const std::string& text() const { return out_; }

 private:
  bool now() {
    if (done_ || turn_-- != 0)
      return false;
    done_ = true;
    return true;
  }

  void write(const Value& value) {
    static constexpr std::string_view others[] = {"null", "\"other\"", "7", "[]", "{}", "1.5", "true", "\" \"", "-3"};
    for (std::string_view other : others) {
      if (now()) {
        json_.raw(other);
        return;
      }
    }
    if (value.is(Kind::object)) {
      json_.begin_object();
      for (const json::Member& member : value.object()) {
        if (now())
          continue;
        json_.key(member.key);
        write(member.value);
      }
      if (now())
        json_.key("another member").raw("5");
      json_.end_object();
    } else if (value.is(Kind::array)) {
      json_.begin_array();
      for (const Value& one : value.array()) {
        if (now())
          continue;
        write(one);
        if (now())
          json_.value(one);
      }
      if (now())
        json_.raw("\"one more\"");
      json_.end_array();
    } else {
      json_.value(value);
    }
  }

  std::size_t turn_;
  bool done_ = false;
  std::string out_;
  json::Writer json_;
};

std::vector<Tried> pool_of(const std::vector<Tried>& given, const Grammar* grammar, std::uint64_t seed) {
  std::vector<Tried> pool;
  std::set<std::string> seen;
  auto add = [&](std::string text, const std::string& context) {
    if (text.size() <= artifact_max && pool.size() < pool_max && seen.insert(text + '\0' + context).second)
      pool.push_back({std::move(text), context});
  };
  for (const Tried& one : given)
    add(one.text, one.context);
  const std::string context = given.empty() ? std::string() : given.front().context;
  if (grammar != nullptr) {
    for (std::uint64_t i = 0; i < 24; ++i)
      add(grammar->sample(seed + i), context);
  }
  for (const Tried& one : given) {
    json::Arena arena;
    const Result<Value> value = json::parse(one.text, arena);
    if (!value)
      continue;
    std::size_t step = 1;
    for (std::size_t turn = 0; turn < 600 && pool.size() < pool_max; turn += step) {
      const Changed changed(value.value(), turn);
      if (!changed.done())
        break;
      add(changed.text(), one.context);
      step = turn > 60 ? 3 : 1;
    }
  }
  return pool;
}

// The artifact as the grammar would write it: members in the order in which the grammar first names them, numbers and
// strings in one form.
void in_order(const Value& value, const std::vector<std::string>& literals, json::Writer& json) {
  if (value.is(Kind::array)) {
    json.begin_array();
    for (const Value& one : value.array())
      in_order(one, literals, json);
    json.end_array();
  } else if (value.is(Kind::object)) {
    std::vector<const json::Member*> members;
    for (const json::Member& member : value.object())
      members.push_back(&member);
    auto rank = [&](const json::Member* member) {
      std::string key;
      json::append_string(key, member->key);
      return std::find(literals.begin(), literals.end(), key) - literals.begin();
    };
    std::stable_sort(members.begin(), members.end(), [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
    json.begin_object();
    for (const json::Member* member : members) {
      json.key(member->key);
      in_order(member->value, literals, json);
    }
    json.end_object();
  } else if (value.is(Kind::number)) {
    json::Decimal number;
    const bool read = json::Decimal::read(value.str(), 10000, number) == json::DecimalStatus::ok;
    json.raw(read ? number.canonical() : std::string(value.str()));
  } else {
    json.value(value);
  }
}

// What a validator reads that passes over keywords of ours. `names`: the members are no keywords.
void without_ours(const Value& value, json::Writer& json, bool names = false) {
  if (value.is(Kind::array)) {
    json.begin_array();
    for (const Value& one : value.array())
      without_ours(one, json);
    json.end_array();
  } else if (value.is(Kind::object)) {
    json.begin_object();
    for (const json::Member& member : value.object()) {
      const std::string_view key = member.key;
      if (names || key.substr(0, 8) != "x-plumb-") {
        json.key(key);
        if (!names && (key == "enum" || key == "const" || key == "default" || key == "examples")) {
          json.value(member.value);
        } else {
          without_ours(member.value, json, !names && (key == "properties" || key == "$defs" || key == "definitions"));
        }
      }
    }
    json.end_object();
  } else {
    json.value(value);
  }
}

// The same values as a schema of Gemini's subset of OpenAPI allows, as JSON Schema.
void as_json_schema(const Value& schema, json::Writer& json) {
  const Value* nullable = schema.find("nullable");
  if (nullable != nullptr) {
    json.begin_object().key("anyOf").begin_array().begin_object().member("type", "null").end_object();
  }
  json.begin_object();
  for (const json::Member& member : schema.object()) {
    if (member.key == "type") {
      std::string name(member.value.str());
      for (char& c : name)
        c = static_cast<char>(c - 'A' + 'a');
      json.member("type", name);
    } else if (member.key == "anyOf") {
      json.key("anyOf").begin_array();
      for (const Value& one : member.value.array())
        as_json_schema(one, json);
      json.end_array();
    } else if (member.key == "items") {
      json.key("items");
      as_json_schema(member.value, json);
    } else if (member.key == "properties") {
      json.key("properties").begin_object();
      for (const json::Member& one : member.value.object()) {
        json.key(one.key);
        as_json_schema(one.value, json);
      }
      json.end_object().member_boolean("additionalProperties", false);
    } else if (member.key != "nullable" && member.key != "format" && member.key != "propertyOrdering") {
      json.key(member.key).value(member.value);
    }
  }
  json.end_object();
  if (nullable != nullptr) {
    json.end_array().end_object();
  }
}

// The JSON Schema of a target, as text; empty where it holds none.
std::string schema_of(derive::Target target, const Value& tree) {
  std::string out;
  json::Writer json(out);
  if (target == derive::Target::json_schema) {
    without_ours(tree, json);
  } else if (const Value* gemini = tree.find("responseSchema")) {
    as_json_schema(*gemini, json);
  } else if (const Value* format = tree.find("json_schema")) {
    json.value(*format->find("schema"));
  } else if (const Value* input = tree.find("input_schema")) {
    json.value(*input);
  }
  return out;
}

// The kinds of narrowing that may explain why a schema refuses an artifact.
bool explained(const contract::Verdict& refusal, const std::vector<derive::Narrowing>& narrows) {
  const std::set<std::string> of_values = {"enum", "const",    "anyOf",    "oneOf",
                                           "type", "maxItems", "required", "additionalProperties"};
  for (const contract::Finding& finding : refusal.findings) {
    for (const derive::Narrowing& one : narrows) {
      const bool open = one.kind == derive::open_place;
      if (one.kind == "ignored keywords")
        return true;
      const bool fits = finding.rule == "required" ? one.kind == "absent members" || one.kind == "members left out"
                        : finding.rule == "additionalProperties"
                            ? one.kind == "other members" || one.kind == "members left out" || open
                        : finding.rule == "maxItems" ? one.kind == "absent members"
                        : finding.rule == "type"     ? one.kind == "other types" || open
                        : finding.rule == "enum"     ? one.kind == "other values" || one.kind == "other types" || open
                                                     : of_values.count(finding.rule) != 0;
      if (fits)
        return true;
    }
  }
  return false;
}

class OneTarget {
 public:
  OneTarget(const contract::Contract& contract, const contract::ReadOptions& read, derive::Target target,
            const std::string& name, LawCount& count)
      : contract_(contract), target_(target), name_(name), count_(count) {
    Result<derive::Derived> derived = derive::derive(contract, target);
    if (!derived) {
      ++count_.refused;
      if (derived.error().message.empty())
        broken("an error without a word", "");
      return;
    }
    derived_ = std::move(derived).value();
    Result<contract::Contract> residual = contract::Contract::read(derived_.contract, read);
    if (!residual) {
      broken("the residual is no contract: " + residual.error().message + " at " + residual.error().where, "");
      return;
    }
    residual_.push_back(std::move(residual).value());
    if (target == derive::Target::gbnf) {
      const std::string problem = grammar_.read(derived_.text);
      if (!problem.empty()) {
        broken("the grammar cannot be read: " + problem, "");
        return;
      }
    } else {
      json::Arena arena;
      const Result<Value> tree = json::parse(derived_.text, arena);
      const std::string schema = tree ? schema_of(target, tree.value()) : std::string();
      if (schema.empty()) {
        broken("the target holds no schema", "");
        return;
      }
      contract::ReadOptions plain;
      plain.assert_formats = read.assert_formats;
      const bool itself = target == derive::Target::json_schema;
      Result<contract::Contract> read_schema = contract::Contract::read(schema, itself ? read : plain);
      if (!read_schema) {
        broken("the schema is none: " + read_schema.error().message + " at " + read_schema.error().where, "");
        return;
      }
      schema_.push_back(std::move(read_schema).value());
      if (itself && !same_again(read))
        return;
    }
    ready_ = true;
  }

  bool ready() const { return ready_; }
  const Grammar& grammar() const { return grammar_; }

  void look(const Tried& artifact) {
    ++count_.artifacts;
    const bool accepted = accepts(contract_, artifact.text, artifact.context);
    Run allowed = allows(artifact.text);
    if (allowed == Run::unknown) {
      ++count_.unknown;
      return;
    }
    count_.allowed += allowed == Run::yes ? 1U : 0U;
    if (!again_.empty())
      compare_again(artifact);
    const bool rest = accepts(residual_.front(), artifact.text, artifact.context);
    if (allowed == Run::yes && rest && !accepted)
      broken("target and residual accept what the contract does not", artifact.text);
    if (accepted && !rest)
      broken("the residual refuses what the contract accepts", artifact.text);
    if (accepted && allowed == Run::no)
      narrowed(artifact.text);
  }

 private:
  // The contract once more, from what was written of it.
  bool same_again(const contract::ReadOptions& read) {
    Result<contract::Contract> again = contract::Contract::read(derived_.text, read);
    if (!again) {
      broken("what was written is no contract: " + again.error().message + " at " + again.error().where, "");
      return false;
    }
    again_.push_back(std::move(again).value());
    if (again_.front().warnings().size() != contract_.warnings().size())
      broken("what was written is warned of otherwise", "");
    return true;
  }

  void compare_again(const Tried& artifact) {
    contract::CheckOptions options;
    options.context = artifact.context;
    const contract::Verdict one = contract::check_text(contract_, artifact.text, options);
    const contract::Verdict two = contract::check_text(again_.front(), artifact.text, options);
    bool same = one.valid == two.valid && one.findings.size() == two.findings.size() &&
                one.undecided.size() == two.undecided.size();
    for (std::size_t i = 0; same && i < one.findings.size(); ++i) {
      same = one.findings[i].rule == two.findings[i].rule && one.findings[i].at == two.findings[i].at &&
             one.findings[i].schema_location == two.findings[i].schema_location &&
             one.findings[i].message == two.findings[i].message;
    }
    if (!same)
      broken("the contract and what was written of it judge otherwise", artifact.text);
  }

  Run allows(const std::string& text) const {
    if (target_ == derive::Target::gbnf)
      return grammar_.allows(text);
    return accepts(schema_.front(), text, "") ? Run::yes : Run::no;
  }

  void narrowed(const std::string& text) {
    if (target_ != derive::Target::gbnf) {
      ++count_.narrowed;
      if (!explained(contract::check_text(schema_.front(), text), derived_.narrows))
        broken("the target refuses what the contract accepts, and no narrowing says why", text);
      return;
    }
    json::Arena arena;
    const Result<Value> value = json::parse(text, arena);
    std::string equal;
    json::Writer json(equal);
    if (value)
      in_order(value.value(), grammar_.literals(), json);
    Run allowed = grammar_.allows(equal);
    for (const std::string& literal : grammar_.literals()) {  // a constant is written in one way only
      const Result<Value> constant = json::parse(literal, arena);
      if (value && constant && json::equal(value.value(), constant.value()))
        allowed = allowed == Run::no ? grammar_.allows(literal) : allowed;
    }
    if (allowed == Run::no) {
      ++count_.narrowed;
      const bool named = std::any_of(derived_.narrows.begin(), derived_.narrows.end(), [](const auto& one) {
        return one.kind != "order of members" && one.kind != "long numbers";
      });
      const bool long_number = equal.find_first_of("0123456789") != std::string::npos && has_long_number(equal);
      if (!named && !long_number)
        broken("the grammar refuses what the contract accepts, and no narrowing says why", equal);
    }
  }

  static bool has_long_number(const std::string& text) {
    std::size_t run = 0;
    for (char c : text) {
      run = c >= '0' && c <= '9' ? run + 1 : 0;
      if (run > 18)
        return true;
    }
    return false;
  }

  void broken(const std::string& what, const std::string& artifact) {
    if (count_.broken.size() < broken_max) {
      std::string line = name_;
      line += ", ";
      line += derive::name_of(target_);
      line += ": " + what + "\n  artifact " + artifact.substr(0, 400) + "\n  target " + derived_.text.substr(0, 3000);
      line += "\n  residual " + derived_.contract.substr(0, 1500);
      count_.broken.push_back(std::move(line));
    }
  }

  const contract::Contract& contract_;
  derive::Target target_;
  const std::string& name_;
  LawCount& count_;
  derive::Derived derived_;
  std::vector<contract::Contract> residual_;  // one, or none
  std::vector<contract::Contract> schema_;
  std::vector<contract::Contract> again_;  // json-schema: what was written, with our keywords
  Grammar grammar_;
  bool ready_ = false;
};

std::vector<Tried> every_so_many(std::vector<Tried> pool) {
  std::vector<Tried> out;
  for (std::size_t i = 0; i < pool.size(); i += test::law_step) {
    out.push_back(std::move(pool[i]));
  }
  return out;
}

}  // namespace

void try_laws(const contract::Contract& contract, const contract::ReadOptions& read,
              const std::vector<Tried>& artifacts, std::uint64_t seed, const std::string& name, LawCount& count) {
  ++count.contracts;
  OneTarget gbnf(contract, read, derive::Target::gbnf, name, count);
  const std::vector<Tried> pool = every_so_many(pool_of(artifacts, gbnf.ready() ? &gbnf.grammar() : nullptr, seed));
  if (gbnf.ready()) {
    for (const Tried& one : pool)
      gbnf.look(one);
  }
  for (derive::Target target : {derive::Target::openai_strict, derive::Target::openai, derive::Target::anthropic,
                                derive::Target::gemini, derive::Target::json_schema}) {
    OneTarget other(contract, read, target, name, count);
    for (const Tried& one : pool) {
      if (other.ready())
        other.look(one);
    }
  }
  // Words bind nobody: their residual is the whole contract.
  for (derive::Target target : {derive::Target::prompt, derive::Target::page, derive::Target::html,
                                derive::Target::typescript, derive::Target::zod, derive::Target::pydantic}) {
    const Result<derive::Derived> derived = derive::derive(contract, target);
    if (!derived) {
      ++count.refused;
      continue;
    }
    const Result<contract::Contract> residual = contract::Contract::read(derived.value().contract, read);
    if (!residual) {
      count.broken.push_back(name + ", " + std::string(derive::name_of(target)) + ": the residual is no contract: " +
                             residual.error().message + "\n" + derived.value().contract.substr(0, 3000));
      continue;
    }
    for (const Tried& one : pool) {
      const bool accepted = accepts(contract, one.text, one.context);
      const bool rest = accepts(residual.value(), one.text, one.context);
      const bool binds = target == derive::Target::typescript || target == derive::Target::zod ||
                         target == derive::Target::pydantic;  // run by other tests
      const bool wrong = binds ? accepted && !rest : accepted != rest;
      if (wrong && count.broken.size() < broken_max) {
        count.broken.push_back(name + ", " + std::string(derive::name_of(target)) +
                               ": contract and residual disagree about " + one.text.substr(0, 300) + "\n" +
                               derived.value().contract.substr(0, 3000));
      }
    }
  }
}

}  // namespace plumb::cases
