#include "native/lsp/session.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/json/writer.hpp"
#include "native/base/version.hpp"

namespace plumb::lsp {

namespace {

constexpr int not_initialized = -32002;
constexpr std::uint64_t told_as_error = 1;

// A member of a member of ...; null where one is missing.
const json::Value* within(const json::Value* value, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    value = value == nullptr ? nullptr : value->find(name);
  }
  return value;
}

bool says_markdown(const json::Value* formats) {
  return formats != nullptr && std::any_of(formats->array().begin(), formats->array().end(),
                                           [](const json::Value& one) { return one.str() == "markdown"; });
}

template <class Number>
bool number_of(const json::Value* value, Number& out) {
  if (value == nullptr || !value->is(json::Kind::number)) {
    return false;
  }
  const std::string_view text = value->str();
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  return failed == std::errc() && end == text.data() + text.size();
}

std::string notification_message(std::string_view method, std::string_view params) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("jsonrpc", "2.0").member("method", method).key("params").raw(params).end_object();
  return out;
}

}  // namespace

void Session::handle(std::string_view text) {
  json::Arena arena;
  const Result<Message> read = mcp::read_message(text, arena, true);
  if (!read) {
    const bool is_json = static_cast<bool>(json::parse(text, arena));
    send_(mcp::error_message("null", is_json ? mcp::invalid_request : mcp::parse_error, read.error().message));
    return;
  }
  if (read.value().kind == mcp::MessageKind::request) {
    request(read.value());
  } else if (read.value().kind == mcp::MessageKind::notification) {
    notification(read.value());
  }
}

void Session::request(const Message& message) {
  const std::string_view id = message.slice(*message.id);
  const auto refuse = [&](int code, std::string_view why) { send_(mcp::error_message(id, code, why)); };
  const auto result = [&](std::string_view json) { send_(mcp::result_message(id, json)); };
  if (shut_down_) {
    return refuse(mcp::invalid_request, "after 'shutdown' only 'exit' is taken");
  }
  if (message.method == "initialize") {
    if (initialized_) {
      return refuse(mcp::invalid_request, "'initialize' comes once");
    }
    return result(initialized(message));
  }
  if (!initialized_) {
    return refuse(not_initialized, "'initialize' comes first");
  }
  if (message.method == "shutdown") {
    shut_down_ = true;
    return result("null");
  }
  const bool completes = message.method == "textDocument/completion";
  const bool hovers = message.method == "textDocument/hover";
  if (!completes && !hovers && message.method != "textDocument/codeAction") {
    return refuse(mcp::method_not_found, "Method not found: " + json::excerpt(message.method, 60));
  }
  Document* document = named(message);
  if (document == nullptr) {
    return refuse(mcp::invalid_params, "'textDocument' names no document that is open");
  }
  if (completes || hovers) {
    Position position;
    if (!position_in(message.param("position"), position)) {
      return refuse(mcp::invalid_params, "'position' must have 'line' and 'character'");
    }
    const std::uint64_t byte = byte_of(document->text, position, client_.units);
    if (completes) {
      return result(completion(*document, byte, is_contract(*document), client_));
    }
    judge(*document);
    return result(hover(*document, position, byte, is_contract(*document), client_));
  }
  Range range;
  const json::Value* said = message.param("range");
  if (!position_in(within(said, {"start"}), range.from) || !position_in(within(said, {"end"}), range.to)) {
    return refuse(mcp::invalid_params, "'range' must have 'start' and 'end'");
  }
  const Bytes about{byte_of(document->text, range.from, client_.units),
                    byte_of(document->text, range.to, client_.units)};
  const Offers found = offers(project_, document->path, document->text, about);
  const std::string_view uri = within(message.params, {"textDocument", "uri"})->str();
  result(code_actions(uri, *document, found, within(message.param("context"), {"only"}), client_));
}

void Session::notification(const Message& message) {
  if (message.method == "exit") {
    over_ = true;
  } else if (!initialized_ || shut_down_) {
    return;
  } else if (message.method == "textDocument/didOpen") {
    open(message);
  } else if (message.method == "textDocument/didChange") {
    change(message);
  } else if (message.method == "textDocument/didClose") {
    const json::Value* uri = within(message.params, {"textDocument", "uri"});
    const auto found = uri == nullptr ? documents_.end() : documents_.find(uri->str());
    if (found == documents_.end()) {
      return;
    }
    const std::string closed = found->first;
    documents_.erase(found);
    publish(closed, Document());
  } else if (message.method == "textDocument/didSave" || message.method == "workspace/didChangeWatchedFiles") {
    // What was saved may be a contract, a context or plumb.yaml of what else is open.
    for (auto& [uri, document] : documents_) {
      document.changed = changes_ = true;
    }
  }
}

std::string Session::initialized(const Message& message) {
  initialized_ = true;
  const json::Value* capabilities = message.param("capabilities");
  if (const json::Value* encodings = within(capabilities, {"general", "positionEncodings"})) {
    for (const json::Value& one : encodings->array()) {
      if (one.str() == "utf-8" || one.str() == "utf-16") {
        client_.units = one.str() == "utf-8" ? Units::utf8 : Units::utf16;
        break;
      }
    }
  }
  client_.markdown = says_markdown(within(capabilities, {"textDocument", "hover", "contentFormat"}));
  const json::Value* changes = within(capabilities, {"workspace", "workspaceEdit", "documentChanges"});
  client_.document_changes = changes != nullptr && changes->is(json::Kind::boolean) && changes->boolean;
  std::string out;
  json::Writer json(out);
  json.begin_object().key("capabilities").begin_object();
  json.member("positionEncoding", client_.units == Units::utf8 ? "utf-8" : "utf-16");
  json.key("textDocumentSync").begin_object().member_boolean("openClose", true).member_uint("change", 1);
  json.key("save").begin_object().end_object().end_object();
  json.key("completionProvider").begin_object().key("triggerCharacters").begin_array().string("\"").end_array();
  json.end_object().member_boolean("hoverProvider", true).key("codeActionProvider").begin_object();
  json.key("codeActionKinds").begin_array().string("quickfix").string("source.fixAll").end_array().end_object();
  json.end_object().key("serverInfo").begin_object().member("name", "plumb").member("version", version);
  json.end_object().end_object();
  return out;
}

void Session::open(const Message& message) {
  const json::Value* opened = message.param("textDocument");
  const json::Value* uri = within(opened, {"uri"});
  const json::Value* text = within(opened, {"text"});
  if (uri == nullptr || !uri->is(json::Kind::string) || text == nullptr || !text->is(json::Kind::string)) {
    return complain("a document was opened without 'uri' or 'text': it is left out");
  }
  if (documents_.size() >= documents_max && documents_.find(uri->str()) == documents_.end()) {
    return complain("more than " + std::to_string(documents_max) +
                    " documents are open: this one is not checked; close others first");
  }
  Document& document = documents_[std::string(uri->str())];
  document.path = path_of_uri(uri->str());
  set_text(document, *opened, text->str());
}

void Session::change(const Message& message) {
  Document* document = named(message);
  const json::Value* changes = message.param("contentChanges");
  if (document == nullptr || changes == nullptr || changes->array().empty()) {
    return;
  }
  const json::Value& last = changes->array().back();
  const json::Value* text = last.find("text");
  if (last.find("range") != nullptr || text == nullptr || !text->is(json::Kind::string)) {
    return complain("a change of a part of a document came, though whole documents were asked for: it is left out");
  }
  std::int64_t changed = 0;
  if (document->has_version && number_of(within(message.param("textDocument"), {"version"}), changed) &&
      changed < document->version) {
    return;  // older than what is here
  }
  set_text(*document, *message.param("textDocument"), text->str());
}

void Session::set_text(Document& document, const json::Value& identifier, std::string_view text) {
  document.has_version = number_of(identifier.find("version"), document.version);
  document.text = text;
  document.changed = changes_ = true;
}

void Session::judge(Document& document) const {
  if (document.changed) {
    document.said = judged(project_, document.path, document.text, client_.units);
  }
}

void Session::tell_changes() {
  changes_ = false;
  for (auto& [uri, document] : documents_) {
    if (!document.changed) {
      continue;
    }
    judge(document);
    document.changed = false;
    publish(uri, document);
  }
}

void Session::publish(const std::string& uri, const Document& document) {
  send_(notification_message("textDocument/publishDiagnostics", diagnostics_json(uri, document)));
}

void Session::complain(std::string_view sentence) {
  std::string params;
  json::Writer json(params);
  json.begin_object().member_uint("type", told_as_error).member("message", "plumb: " + std::string(sentence));
  json.end_object();
  send_(notification_message("window/showMessage", params));
}

bool Session::is_contract(const Document& document) const {
  const Result<Held> held = project_.held(document.path, document.text);
  return held && held.value().as == Held::As::contract;
}

Document* Session::named(const Message& message) {
  const json::Value* uri = within(message.params, {"textDocument", "uri"});
  const auto found = uri == nullptr ? documents_.end() : documents_.find(uri->str());
  return found == documents_.end() ? nullptr : &found->second;
}

bool Session::position_in(const json::Value* value, Position& out) {
  return number_of(within(value, {"line"}), out.line) && number_of(within(value, {"character"}), out.character);
}

}  // namespace plumb::lsp
