#include "native/mcp/front.hpp"

#include <utility>

#include "core/contract/check.hpp"
#include "core/contract/render.hpp"
#include "core/json/writer.hpp"
#include "core/text/steps.hpp"

namespace plumb::mcp {

namespace {

using What = Step::What;

constexpr std::size_t why_max = 300;
constexpr std::uint64_t without_ms = 60'000;

// The text that a result has instead of structured content, where it is the only one.
const json::Value* only_text(const Message& message) {
  const json::Value* content = message.in_result("content");
  if (content == nullptr || content->array().size() != 1) {
    return nullptr;
  }
  const json::Value* type = content->array().front().find("type");
  const json::Value* text = content->array().front().find("text");
  const bool fits = type != nullptr && type->is(json::Kind::string) && type->str() == "text" && text != nullptr &&
                    text->is(json::Kind::string);
  return fits ? text : nullptr;
}

std::string_view text_of(const json::Value* value) {
  return value == nullptr || !value->is(json::Kind::string) ? std::string_view() : value->str();
}

// The tasks extension names a task at the top of the result, revision 2025-11-25 within `task`.
std::string_view task_of(const Message& message) {
  const json::Value* task = message.in_result("task");
  return text_of(task != nullptr ? task->find("taskId") : message.in_result("taskId"));
}

}  // namespace

Front::Front(const FrontSettings& settings, std::shared_ptr<KnownTools> tools, Tell tell, std::uint64_t seed)
    : settings_(settings), tools_(std::move(tools)), tell_(std::move(tell)), seed_(seed) {}

std::string Front::cancelled_by(std::string_view text) {
  json::Arena arena;
  const Result<Message> read = read_message(text, arena);
  if (!read || read.value().method != "notifications/cancelled") {
    return {};
  }
  const json::Value* id = read.value().param("requestId");
  return id == nullptr ? std::string() : id_key(*id);
}

Step Front::not_a_message(std::string_view text, const Error& error, bool client) {
  if (!settings_.binds()) {
    return {What::pass};
  }
  Told told{"message"};
  told.why = json::excerpt((client ? "of the client: " : "of the server: ") + error.message, why_max);
  told.did = client ? "refused" : "dropped";
  told.warn = true;
  tell_(told);
  if (!client) {
    return {What::drop};
  }
  json::Arena arena;
  const bool is_json = static_cast<bool>(json::parse(text, arena));
  return {What::answer, error_message({}, is_json ? invalid_request : parse_error, error.message)};
}

void Front::note_open(const json::Value& id, Open open) {
  if (open_.size() >= open_max) {
    open_.erase(open_.begin());
  }
  open_[id_key(id)] = std::move(open);
}

Step Front::from_client(std::string_view text, std::uint64_t now_ms) {
  json::Arena arena;
  const Result<Message> read = read_message(text, arena);
  if (!read) {
    return not_a_message(text, read.error(), true);
  }
  const Message& message = read.value();
  if (message.kind == MessageKind::notification && message.method == "notifications/cancelled") {
    if (const json::Value* id = message.param("requestId")) {
      open_.erase(id_key(*id));
    }
  }
  if (message.kind != MessageKind::request) {
    return {What::pass};
  }
  if (message.method == "tools/call") {
    return call(message, now_ms);
  }
  Open open{std::string(message.method), {}, is_stateless(message.revision())};
  if (message.method == "tasks/result" || message.method == "tasks/get") {
    const auto task = tasks_.find(text_of(message.param("taskId")));
    if (task != tasks_.end()) {
      open.tool = task->second;
    }
  }
  note_open(*message.id, std::move(open));
  return {What::pass};
}

Step Front::call(const Message& message, std::uint64_t now_ms) {
  const bool stateless = is_stateless(message.revision());
  const json::Value* name = message.param("name");
  if (name == nullptr || !name->is(json::Kind::string)) {
    note_open(*message.id, {"tools/call", {}, stateless});
    return {What::pass};  // the server says what is wrong with it
  }
  const std::string tool(name->str());
  const Mode mode = settings_.mode_of(tool);
  if (mode == Mode::off) {
    note_open(*message.id, {"tools/call", tool, stateless});
    return {What::pass};
  }
  if (!tools_->known(now_ms) && now_ms >= without_until_ms_) {
    if (!list_id_.empty()) {
      return {What::list};  // it is under way
    }
    const json::Value* meta = stateless ? message.param("_meta") : nullptr;
    list_meta_ = meta == nullptr ? std::string() : std::string(message.slice(*meta));
    return {What::list, list_request({})};
  }
  const json::Value* arguments = message.param("arguments");
  const std::string_view said = arguments == nullptr ? std::string_view("{}") : message.slice(*arguments);
  const Judged judged = judge_all(tool, Side::arguments, said, true, mode);
  if (!judged.passes && mode == Mode::enforce) {
    return {What::answer, failed_call(message.slice(*message.id), judged.feedback, stateless)};
  }
  note_open(*message.id, {"tools/call", tool, stateless});
  return {What::pass};
}

std::string Front::list_request(std::string_view cursor) {
  // No client has this id: it is not told to any.
  list_id_ = "plumb-" + std::to_string(seed_) + "-" + std::to_string(++ids_);
  std::string out = R"({"jsonrpc":"2.0","id":)";
  json::append_string(out, list_id_);
  out += R"(,"method":"tools/list","params":)";
  json::Writer json(out);
  json.begin_object();
  if (!cursor.empty()) {
    json.member("cursor", cursor);
  }
  if (!list_meta_.empty()) {
    json.key("_meta").raw(list_meta_);
  }
  json.end_object();
  return out + "}";
}

Step Front::from_server(std::string_view text, std::uint64_t now_ms) {
  json::Arena arena;
  const Result<Message> read = read_message(text, arena);
  if (!read) {
    return not_a_message(text, read.error(), false);
  }
  const Message& message = read.value();
  if (message.kind == MessageKind::notification && message.method == "notifications/tools/list_changed") {
    tools_->stale();
  }
  if (message.kind != MessageKind::response) {
    return {What::pass};
  }
  const std::string_view id = text_of(message.id);
  if (!id.empty() && (id == list_id_ || id == late_id_)) {
    return own_list(message, now_ms);
  }
  return response(message, now_ms);
}

Step Front::own_list(const Message& message, std::uint64_t now_ms) {
  if (message.result == nullptr) {
    no_list("the server refuses to list its tools", now_ms);
    return {What::listed};
  }
  tools_->learn(message, now_ms);
  const std::string_view more = text_of(message.in_result("nextCursor"));
  constexpr std::uint64_t pages_max = 1'000;
  if (!more.empty() && ++pages_ < pages_max) {
    return {What::list, list_request(more)};
  }
  if (!more.empty()) {
    no_list("its list of tools has no end", now_ms);
    return {What::listed};
  }
  list_id_.clear();
  pages_ = 0;
  return {What::listed};
}

void Front::no_list(std::string_view why, std::uint64_t now_ms) {
  late_id_ = std::exchange(list_id_, {});
  pages_ = 0;
  without_until_ms_ = now_ms + without_ms;
  Told told{"tools"};
  told.why = std::string(why) + "; calls pass without its schemas";
  told.did = "passed";
  told.warn = true;
  tell_(told);
}

Step Front::response(const Message& message, std::uint64_t now_ms) {
  const auto found = message.id == nullptr ? open_.end() : open_.find(id_key(*message.id));
  if (found == open_.end()) {
    // An error may answer what could not be read, and then has no id.
    if (!settings_.binds() || message.result == nullptr) {
      return {What::pass};
    }
    Told told{"message"};
    told.why = "an answer of the server that nothing has asked for";
    told.did = "dropped";
    told.warn = true;
    tell_(told);
    return {What::drop};
  }
  const Open open = std::move(found->second);
  open_.erase(found);
  if (message.result == nullptr) {
    return {What::pass};
  }
  if (open.method == "tools/list") {
    tools_->learn(message, now_ms);
  }
  if (open.tool.empty() || settings_.mode_of(open.tool) == Mode::off) {
    return {What::pass};
  }
  return result_of_call(message, open);
}

Step Front::result_of_call(const Message& message, const Open& open) {
  const json::Value* failed = message.in_result("isError");
  if (failed != nullptr && failed->is(json::Kind::boolean) && failed->boolean) {
    return {What::pass};
  }
  const json::Value* type = message.in_result("resultType");
  const json::Value* structured = message.in_result("structuredContent");
  if (structured == nullptr && message.in_result("content") == nullptr) {
    if (const std::string_view task = task_of(message); !task.empty()) {
      if (tasks_.size() >= open_max) {
        tasks_.erase(tasks_.begin());
      }
      tasks_[std::string(task)] = open.tool;
      return {What::pass};
    }
  }
  // More is wanted of the client first, or it is no result that a client may take for one. Before 2026-07-28 the member
  // means nothing.
  if (open.stateless && type != nullptr && text_of(type) != "complete") {
    return {What::pass};
  }
  const Mode mode = settings_.mode_of(open.tool);
  Judged judged;
  if (structured != nullptr) {
    judged = judge_all(open.tool, Side::result, message.slice(*structured), true, mode);
  } else {
    const Schema schema = tools_->schema(open.tool, Side::result);
    if (schema.contract != nullptr) {
      judged = missing(open.tool, mode);
    } else if (const json::Value* text = only_text(message)) {
      judged = judge_all(open.tool, Side::result, text->str(), false, mode);
    }
  }
  if (judged.passes || mode != Mode::enforce) {
    return {What::pass};
  }
  return {What::answer, failed_call(message.slice(*message.id), judged.feedback, type != nullptr || open.stateless)};
}

// What the server has promised and not sent.
Front::Judged Front::missing(const std::string& tool, Mode mode) {
  const bool binds = mode == Mode::enforce;
  Told told{"result", tool, proxy::mode_name(mode),       std::string(schema_name(Side::result)),
            "revise", 1,    binds ? "replaced" : "passed"};
  told.why = "the result has no structuredContent";
  tell_(told);
  std::string feedback;
  json::Writer json(feedback);
  json.begin_object().member("result", "validation_failed").key("issues").begin_object().key("missing").begin_array();
  json.begin_object().member("field", "structuredContent").member("requirement", "keeps the tool's outputSchema");
  json.end_object().end_array().end_object().member_uint("issue_count", 1);
  json.member("action", "The tool " + tool + " did not give what it promises. Go on without this result.");
  json.end_object();
  return {false, std::move(feedback)};
}

Front::Judged Front::judge_all(const std::string& tool, Side side, std::string_view artifact, bool by_schema,
                               Mode mode) {
  if (by_schema) {
    const Schema schema = tools_->schema(tool, side);
    if (!schema.problem.empty()) {
      Told told{"schema", tool, proxy::mode_name(mode), std::string(schema_name(side))};
      told.why = json::excerpt(schema.problem, why_max);
      told.did = "passed";
      told.warn = true;
      tell_(told);
    }
    if (schema.contract != nullptr) {
      Judged judged = judge(*schema.contract, std::string(schema_name(side)), artifact, tool, side, mode);
      if (!judged.passes) {
        return judged;
      }
    }
  }
  const ToolSettings* own = settings_.tool(tool);
  if (own == nullptr) {
    return {};
  }
  const std::optional<OwnContract>& contract = side == Side::arguments ? own->arguments : own->result;
  return contract ? judge(contract->contract->contract, contract->name, artifact, tool, side, mode) : Judged();
}

Front::Judged Front::judge(const contract::Contract& contract, const std::string& name, std::string_view artifact,
                           const std::string& tool, Side side, Mode mode) {
  text::Steps steps(settings_.steps_max);
  contract::CheckOptions options;
  options.hash_seed = seed_;
  options.steps = &steps;
  const contract::Verdict verdict = contract::check_text(contract, artifact, options);
  // What could not be decided within the bounds is not let through where the tool is enforced; what only a judge could
  // decide is.
  bool bound_reached = false;
  for (const contract::Finding& finding : verdict.findings) {
    bound_reached = bound_reached || finding.rule == "limit";
  }
  const bool passes = verdict.valid && !bound_reached;
  const bool arguments = side == Side::arguments;
  Told told{arguments ? "call" : "result",
            tool,
            proxy::mode_name(mode),
            name,
            contract::decision_name(verdict.decision),
            verdict.count(contract::Severity::error)};
  told.did = passes || mode != Mode::enforce ? "passed" : arguments ? "refused" : "replaced";
  tell_(told);
  if (passes) {
    return {};
  }
  const std::string action = arguments
                                 ? std::string()
                                 : "The tool " + tool +
                                       " did not give what it promises. Do not rely on this result; call it with other "
                                       "arguments or go on without it.";
  return {false, contract::render_llm(verdict, arguments ? tool : "", action, artifact)};
}

}  // namespace plumb::mcp
