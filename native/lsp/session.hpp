// Session: one client of the Language Server Protocol, from `initialize` to `exit`. It knows no transport.
//
//   Session session(project, [](std::string_view message) { ... });
//   session.handle(text);                               // a message: what answers it is sent at once
//   if (session.has_changes()) session.tell_changes();  // diagnostics of what has changed since, when there is time
//   if (session.over()) return session.exit_code();
//
// Documents come whole (full synchronisation). Requests are answered in order, each from the newest text.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "native/lsp/answers.hpp"
#include "native/lsp/project.hpp"
#include "native/mcp/message.hpp"

namespace plumb::lsp {

class Session {
 public:
  static constexpr std::size_t documents_max = 1'000;  // open at once
  using Send = std::function<void(std::string_view message)>;

  Session(const Project& project, Send send) : project_(project), send_(std::move(send)) {}

  void handle(std::string_view text);
  // Told to the person at the editor.
  void complain(std::string_view sentence);
  bool has_changes() const { return changes_; }
  void tell_changes();
  bool over() const { return over_; }
  // 0 after `shutdown`, else 1, as the protocol wants it.
  int exit_code() const { return shut_down_ ? 0 : 1; }

 private:
  using Message = mcp::Message;

  void request(const Message& message);
  void notification(const Message& message);
  std::string initialized(const Message& message);
  void open(const Message& message);
  void change(const Message& message);
  void set_text(Document& document, const json::Value& identifier, std::string_view text);
  void judge(Document& document) const;
  void publish(const std::string& uri, const Document& document);
  bool is_contract(const Document& document) const;
  Document* named(const Message& message);
  // Null where the parameters do not say one.
  static bool position_in(const json::Value* value, Position& out);

  const Project& project_;
  Send send_;
  Client client_;
  std::map<std::string, Document, std::less<>> documents_;  // by URI
  bool initialized_ = false;
  bool shut_down_ = false;
  bool over_ = false;
  bool changes_ = false;
};

}  // namespace plumb::lsp
