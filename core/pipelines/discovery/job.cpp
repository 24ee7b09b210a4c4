#include "core/pipelines/discovery/job.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/contract/check.hpp"
#include "core/contract/render.hpp"
#include "core/json/arena.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Kind;
using json::Value;
using run::Data;

constexpr std::size_t levels_max = 32;

std::string as_named(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c == ' ' || c == '-' ? '_' : ascii::lower(c);
  }
  return out;
}

// The word of a list that is meant; "medium" where it is one of them; else nothing.
std::string word_of(const Value& words, std::string_view said) {
  std::string medium;
  for (const Value& one : words.array()) {
    if (one.is(Kind::string) && as_named(one.str()) == as_named(said)) {
      return std::string(one.str());
    }
    medium = one.is(Kind::string) && one.str() == "medium" ? "medium" : medium;
  }
  return medium;
}

bool is_of_type(const Value& schema, std::string_view name) {
  const Value* type = schema.find("type");
  return type != nullptr && type->is(Kind::string) && type->str() == name;
}

// What stands for a text: a list as its parts, of an object the member that says it, else its members as
// "baseline: 28; target: 0"; what is deeper stays as it is written.
std::string text_for(const Value& value) {
  if (value.is(Kind::object)) {
    for (const std::string_view name : {"text", "summary", "description", "value", "source_id", "id"}) {
      if (const Value* said = value.find(name); said != nullptr && said->is(Kind::string)) {
        return std::string(said->str());
      }
    }
  }
  const auto flat = [](const Value& one) { return one.is(Kind::string) || one.is(Kind::number); };
  std::string out;
  for (const json::Member& member : value.object()) {
    if (!flat(member.value)) {
      return json::value_text(value);
    }
    out += (out.empty() ? "" : "; ") + std::string(member.key) + ": " + std::string(member.value.str());
  }
  for (const Value& one : value.array()) {
    if (!flat(one)) {
      return json::value_text(value);
    }
    out += (out.empty() ? "" : "; ") + std::string(one.str());
  }
  return out.empty() ? json::value_text(value) : out;
}

// The one member that an object must have, where it is a list: models often answer with the list alone.
std::string_view only_list_of(const Value& schema) {
  const Value* required = schema.find("required");
  if (required == nullptr || required->size != 1) {
    return {};
  }
  const std::string_view name = required->array().front().str();
  const Value* properties = schema.find("properties");
  const Value* list = properties == nullptr ? nullptr : properties->find(name);
  return list != nullptr && is_of_type(*list, "array") ? name : std::string_view();
}

void write_form(json::Writer& json, const Value& schema, const Value& value, std::size_t level) {
  if (level > levels_max) {
    json.value(value);
    return;
  }
  const Value* words = schema.find("enum");
  if (words != nullptr && (value.is(Kind::string) || value.is(Kind::null))) {
    const std::string word = word_of(*words, value.str());
    word.empty() ? json.value(value) : json.string(word);
  } else if (is_of_type(schema, "string") && !value.is(Kind::string)) {
    value.is(Kind::null) ? json.string("") : json.string(text_for(value));
  } else if (value.is(Kind::array) && is_of_type(schema, "object") && !only_list_of(schema).empty()) {
    json.begin_object().key(only_list_of(schema));
    write_form(json, *schema.find("properties")->find(only_list_of(schema)), value, level + 1);
    json.end_object();
  } else if (!value.is(Kind::array) && !value.is(Kind::null) && is_of_type(schema, "array") &&
             schema.find("items") != nullptr) {
    json.begin_array();
    write_form(json, *schema.find("items"), value, level + 1);
    json.end_array();
  } else if (value.is(Kind::object)) {
    json.begin_object();
    const Value* properties = schema.find("properties");
    for (const json::Member& member : value.object()) {
      const Value* inner = properties == nullptr ? nullptr : properties->find(member.key);
      if (inner != nullptr && member.value.is(Kind::null)) {
        continue;
      }
      json.key(member.key);
      inner == nullptr ? static_cast<void>(json.value(member.value))
                       : write_form(json, *inner, member.value, level + 1);
    }
    json.end_object();
  } else if (value.is(Kind::array) && schema.find("items") != nullptr) {
    json.begin_array();
    for (const Value& item : value.array()) {
      write_form(json, *schema.find("items"), item, level + 1);
    }
    json.end_array();
  } else {
    json.value(value);
  }
}

// What a model said, in form; the findings where it does not keep the contract.
struct ReadAnswer {
  Data value;
  std::string feedback;
  std::string wrong;  // in short, for people
};
ReadAnswer read_said(const run::Run& run, const contract::Contract& contract, std::string_view text) {
  (void)run;
  ReadAnswer out;
  const std::string strict = strict_json(contract, text);
  json::Arena arena;
  const Result<Value> value = json::parse(strict, arena);
  if (!value) {
    out.feedback = R"({"result":"failure","issues":"The answer was no JSON."})";
    out.wrong = "the answer is no JSON";
    return out;
  }
  const std::string formed = in_form(contract.tree(), value.value());
  const contract::Verdict verdict = contract::check_text(contract, formed);
  out.value = Data::written(formed);
  if (!verdict.valid) {
    out.feedback = contract::render_llm(verdict, "", "Answer again with the whole corrected JSON.", formed);
    out.wrong = "the answer does not keep its contract";
    for (const contract::Finding& finding : verdict.findings) {
      if (finding.severity == contract::Severity::error && finding.shadowed_by == 0) {
        out.wrong += ": " + (finding.at.empty() ? "" : finding.at + ": ") + finding.message;
        break;
      }
    }
  }
  return out;
}

}  // namespace

bool Job::by_rule(std::string_view phase) const {
  for (std::size_t i = 0; i < phase_names.size(); ++i) {
    if (phase_names[i] == phase) {
      return providers[i].empty() || providers[i] == "extract";
    }
  }
  return false;
}

Job read_job(const Data& input) {
  Job job{input.as<Input>(), {}, {}};
  const Value* sources = input.value().find("sources");
  const Value* providers = input.value().find("providers");
  for (std::size_t i = 0; i < source_names.size() && sources != nullptr; ++i) {
    job.roots[i] = text_of(*sources, source_names[i]);
  }
  for (std::size_t i = 0; i < phase_names.size() && providers != nullptr; ++i) {
    job.providers[i] = text_of(*providers, phase_names[i]);
  }
  return job;
}

std::string object_text(const std::function<void(json::Writer&)>& members) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  members(json);
  json.end_object();
  return out;
}

Data object(const std::function<void(json::Writer&)>& members) { return Data::written(object_text(members)); }

std::string in_form(const Value& schema, const Value& value) {
  std::string out;
  json::Writer json(out);
  write_form(json, schema, value, 0);
  return out;
}

Answer ask(run::Run& run, const Job& job, const Call& call) {
  const std::string prompt = "prompt-" + std::string(call.name);
  const std::string contract_pin = "contract-" + std::string(call.name);
  const contract::Contract& contract = run.contract(contract_pin);
  Spent spent;
  Answer out;
  std::string feedback;
  std::string last;
  for (int attempt = 0; attempt < 2; ++attempt) {
    ModelCall what;
    what.phase = call.phase;
    what.prompt = prompt;
    what.contract = contract_pin;
    what.deadline_ms = std::max<std::uint64_t>(1, job.input.call_ms);
    what.free = job.by_rule(call.phase);
    what.again = attempt > 0;
    what.variables = [&](json::Writer& json) {
      json.member("domain", job.input.target_domain);
      call.variables(json);
      json.member("wrong", feedback.empty() ? std::string() : fenced("wrong", feedback));
      json.member("before", feedback.empty() ? std::string() : fenced("before", last));
    };
    what.task = [&](json::Writer& json) {
      json.member("name", "discovery." + std::string(call.name));
      if (call.task && what.free) {
        call.task(json);
      }
    };
    const pipelines::Answer answer = call_model(run, spent, what);
    if (!answer.error.empty()) {
      out.error = answer.error;
      return out;
    }
    last = answer.text;
    ReadAnswer said = read_said(run, contract, last);
    if (said.feedback.empty()) {
      return {std::move(said.value), {}, true};
    }
    out.value = said.value;
    out.error = said.wrong;
    if (!feedback.empty() || job.by_rule(call.phase)) {
      return out;
    }
    feedback = std::move(said.feedback);
  }
  return out;
}

std::string wrong_with(run::Run& run, std::string_view contract_pin, std::string_view context, const Data& value) {
  contract::CheckOptions options;
  options.context = context;
  const contract::Verdict verdict = contract::check_text(run.contract(contract_pin), value.text(), options);
  for (const contract::Finding& finding : verdict.findings) {
    if (finding.severity == contract::Severity::error && finding.schema_location.find("/rules/") == std::string::npos) {
      return (finding.at.empty() ? "" : finding.at + ": ") + finding.message;
    }
  }
  return {};
}

bool SentBack::concerns(std::string_view id) const {
  return !nothing && (about.empty() || std::any_of(about.begin(), about.end(), [&](const About& one) {
                        return id == one.id || (id.starts_with(one.id) && id.substr(one.id.size(), 1) == ".");
                      }));
}

std::string_view SentBack::reason_for(std::string_view id) const {
  for (const About& one : about) {
    if ((id == one.id || (id.starts_with(one.id) && id.substr(one.id.size(), 1) == ".")) && !one.reason.empty()) {
      return one.reason;
    }
  }
  return reason;
}

SentBack SentBack::only_about() const {
  SentBack out;
  out.nothing = nothing;
  for (const About& one : about) {
    out.about.push_back({one.id, {}});
  }
  return out;
}

void note_stage(run::Run& run, Stage stage, std::size_t attempt, const SentBack& sent_back,
                const std::vector<std::string>& order) {
  StageNote note{stage, attempt, sent_back.from, sent_back.reason, order, {}, {}};
  if (!sent_back.from.empty()) {
    note.sent_back_by = sent_back.by;
    note.opportunities.emplace();
    for (const SentBack::About& one : sent_back.about) {
      note.opportunities->push_back(one.id);
    }
  }
  run.emit("stage", Data::of(std::move(note)));
}

Party party(std::string_view agent) {
  static constexpr std::array<std::array<std::string_view, 3>, 4> parties = {{
      {"OpportunityPM", "You frame what was found as opportunities.", ""},
      {"SolutionDesigner", "You design solutions.",
       "You will design one solution for each brief, so it must name a surface that a developer can find, and hold one "
       "issue only."},
      {"FeasibilityDesigner", "You find out whether solutions can be built, and how.",
       "You will write a specification for each solution, so it must say what is changed and how success is measured."},
      {"TPMAgent", "You plan and rank what is built.",
       "You will rank the specifications against each other, so each must state its constraints and risks."},
  }};
  for (const auto& one : parties) {
    if (one[0] == agent) {
      return {std::string(one[0]), std::string(one[1]), std::string(one[2])};
    }
  }
  return {std::string(agent), "", ""};
}

}  // namespace plumb::pipelines::discovery
