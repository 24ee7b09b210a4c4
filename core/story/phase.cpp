#include "core/story/phase.hpp"

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"

namespace plumb::story {

namespace {

void write_fields(json::Writer& json, std::string_view name, const Fields& fields) {
  json.key(name).begin_object();
  for (const auto& [field, value] : fields) {
    std::string text;
    append_field(text, value);
    json.key(name_of(field)).raw(text);
  }
  json.end_object();
}

Error broken(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

Result<FieldValue> field_value(const json::Value& value) {
  switch (value.kind) {
    case json::Kind::null:
      return FieldValue();
    case json::Kind::boolean:
      return FieldValue(value.boolean);
    case json::Kind::string:
      return FieldValue(std::string(value.str()));
    case json::Kind::number: {
      const std::string_view digits = value.str();
      const bool minus = !digits.empty() && digits.front() == '-';
      std::int64_t number = 0;
      for (const char c : digits.substr(minus ? 1 : 0)) {
        if (c < '0' || c > '9' || number > 1'000'000'000'000'000) {
          return broken("a number of a mutation is to be whole and of at most 15 digits");
        }
        number = number * 10 + (c - '0');
      }
      return FieldValue(minus ? -number : number);
    }
    case json::Kind::array: {
      Texts texts;
      for (const json::Value& one : value.array()) {
        if (!one.is(json::Kind::string)) {
          return broken("a list of a mutation holds texts");
        }
        texts.emplace_back(one.str());
      }
      return FieldValue(std::move(texts));
    }
    case json::Kind::object:
      break;
  }
  return broken("a field of a mutation is not an object");
}

Result<Fields> read_fields(const json::Value& of, std::string_view name) {
  Fields out;
  const json::Value* fields = of.find(name);
  if (fields == nullptr) {
    return out;
  }
  for (const json::Member& member : fields->object()) {
    const std::optional<Field> field = field_named(member.key);
    if (!field) {
      return broken("there is no field '" + std::string(member.key) + "' in the ontology");
    }
    Result<FieldValue> value = field_value(member.value);
    if (!value) {
      return value.error();
    }
    out.emplace_back(*field, std::move(value).value());
  }
  stable_sort(out, [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}

Result<Mutation> read_mutation(const json::Value& value) {
  Mutation out;
  const std::optional<Operation> operation = operation_named(json::text_of(value, "operation"));
  if (!operation) {
    return broken("there is no operation '" + std::string(json::text_of(value, "operation")) + "'");
  }
  out.operation = *operation;
  out.target = json::text_of(value, "target");
  out.to = json::text_of(value, "to");
  out.rationale = json::text_of(value, "rationale");
  if (*operation == Operation::add_edge || *operation == Operation::remove_edge) {
    const std::optional<EdgeKind> kind = edge_named(json::text_of(value, "edge"));
    if (!kind) {
      return broken("there is no kind of edge '" + std::string(json::text_of(value, "edge")) + "'");
    }
    out.edge = *kind;
    return out;
  }
  Result<Fields> delta = read_fields(value, "delta");
  Result<Fields> before = read_fields(value, "before");
  if (!delta || !before) {
    return delta ? before.error() : delta.error();
  }
  out.delta = std::move(delta).value();
  out.before = std::move(before).value();
  return out;
}

void write_mutation(json::Writer& json, const Mutation& m) {
  json.begin_object().member("operation", name_of(m.operation)).member("target", m.target);
  if (m.operation == Operation::add_edge || m.operation == Operation::remove_edge) {
    json.member("edge", name_of(m.edge)).member("to", m.to);
  } else {
    write_fields(json, "delta", m.delta);
    write_fields(json, "before", m.before);
  }
  json.member("rationale", m.rationale).end_object();
}

}  // namespace

std::string_view name_of(PhaseStatus status) {
  return status == PhaseStatus::completed ? "completed" : status == PhaseStatus::skipped ? "skipped" : "failed";
}

Phase::Phase(Graph& graph, Stage stage, std::string name) : graph_(graph) {
  note_.stage = stage;
  note_.phase = std::move(name);
}

void Phase::apply(Mutation mutation) {
  const Result<bool> done = graph_.apply(mutation, note_.stage);
  PLUMB_REQUIRE(static_cast<bool>(done), "a phase changes the graph only as the ontology allows");
  note_.mutations.push_back(std::move(mutation));
}

void Phase::create(std::string id, Fields fields, std::string rationale) {
  apply(creation(std::move(id), std::move(fields), std::move(rationale)));
}

void Phase::update(std::string_view id, Fields changes, std::string rationale) {
  const Node& node = graph_.at(id);
  Mutation m;
  m.operation = Operation::update_node;
  m.target = id;
  m.rationale = std::move(rationale);
  stable_sort(changes, [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [field, value] : changes) {
    const FieldValue& before = node.get(field);
    if (before != value) {
      m.before.emplace_back(field, before);
      m.delta.emplace_back(field, std::move(value));
    }
  }
  if (!m.delta.empty()) {
    apply(std::move(m));
  }
}

void Phase::remove(std::string_view id, std::string_view rationale) {
  const std::string target(id);
  for (std::size_t i = 0; i < edge_kind_count; ++i) {
    const auto kind = static_cast<EdgeKind>(i);
    const std::vector<std::string_view> out = graph_.out(target, kind);
    const Texts to(out.begin(), out.end());
    for (const std::string& one : to) {
      remove_edge(kind, target, one, std::string(rationale));
    }
    const std::vector<std::string_view> in = graph_.in(target, kind);
    const Texts from(in.begin(), in.end());
    for (const std::string& one : from) {
      remove_edge(kind, one, target, std::string(rationale));
    }
  }
  Mutation m;
  m.operation = Operation::delete_node;
  m.target = target;
  m.before = graph_.at(target).fields();
  m.rationale = rationale;
  apply(std::move(m));
}

void Phase::add_edge(EdgeKind kind, std::string_view from, std::string_view to, std::string rationale) {
  apply(new_edge(kind, std::string(from), std::string(to), std::move(rationale)));
}

void Phase::remove_edge(EdgeKind kind, std::string_view from, std::string_view to, std::string rationale) {
  apply(inverse(new_edge(kind, std::string(from), std::string(to), std::move(rationale))));
}

void Phase::left_out(std::string kind, std::uint64_t count) {
  if (count > 0) {
    note_.left_out.emplace_back(std::move(kind), count);
  }
}

void Phase::skip(std::string why) {
  note_.status = PhaseStatus::skipped;
  note_.detail = std::move(why);
}

void Phase::fail(std::string why) {
  for (std::size_t i = note_.mutations.size(); i > 0; --i) {
    const Result<bool> undone = graph_.replay(inverse(note_.mutations[i - 1]));
    PLUMB_REQUIRE(static_cast<bool>(undone), "what a phase did can be taken back");
  }
  note_.mutations.clear();
  note_.status = PhaseStatus::failed;
  note_.detail = std::move(why);
}

PhaseNote Phase::end() && {
  note_.hash = graph_.hash();
  return std::move(note_);
}

std::string note_json(const PhaseNote& note) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("stage", name_of(note.stage)).member("phase", note.phase);
  json.member("status", name_of(note.status)).member("detail", note.detail);
  json.key("warnings").begin_array();
  for (const std::string& warning : note.warnings) {
    json.string(warning);
  }
  json.end_array().key("left_out").begin_object();
  for (const auto& [kind, count] : note.left_out) {
    json.member_uint(kind, count);
  }
  json.end_object().key("mutations").begin_array();
  for (const Mutation& m : note.mutations) {
    write_mutation(json, m);
  }
  json.end_array().member("hash", note.hash).end_object();
  return out;
}

Result<PhaseNote> read_note(std::string_view text) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(text, arena);
  if (!read) {
    return read.error();
  }
  const json::Value& value = read.value();
  PhaseNote out;
  const std::optional<Stage> stage = stage_named(json::text_of(value, "stage"));
  if (!stage) {
    return broken("there is no stage '" + std::string(json::text_of(value, "stage")) + "'");
  }
  out.stage = *stage;
  out.phase = json::text_of(value, "phase");
  const std::string_view status = json::text_of(value, "status");
  out.status = status == "skipped"  ? PhaseStatus::skipped
               : status == "failed" ? PhaseStatus::failed
                                    : PhaseStatus::completed;
  out.detail = json::text_of(value, "detail");
  out.warnings = json::texts_of(value, "warnings");
  if (const json::Value* left = value.find("left_out")) {
    for (const json::Member& member : left->object()) {
      out.left_out.emplace_back(member.key, json::number_of(*left, member.key));
    }
  }
  for (const json::Value& one : json::list_of(value, "mutations")) {
    Result<Mutation> mutation = read_mutation(one);
    if (!mutation) {
      return mutation.error();
    }
    out.mutations.push_back(std::move(mutation).value());
  }
  out.hash = json::text_of(value, "hash");
  return out;
}

Result<Graph> fold(const std::vector<PhaseNote>& notes) {
  Graph graph;
  for (const PhaseNote& note : notes) {
    for (const Mutation& mutation : note.mutations) {
      const Result<bool> done = graph.apply(mutation, note.stage);
      if (!done) {
        return done.error();
      }
    }
    if (graph.hash() != note.hash) {
      return broken("the graph after the phase '" + note.phase + "' is not the one that its note names");
    }
  }
  return graph;
}

Result<bool> unfold(Graph& graph, const PhaseNote& note) {
  for (std::size_t i = note.mutations.size(); i > 0; --i) {
    const Result<bool> done = graph.replay(inverse(note.mutations[i - 1]));
    if (!done) {
      return done.error();
    }
  }
  return true;
}

}  // namespace plumb::story
