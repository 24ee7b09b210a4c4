#include "core/pipelines/discovery/turns.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/ascii.hpp"
#include "core/pipelines/discovery/members.hpp"
#include "core/text/plain.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Kind;
using json::Value;

constexpr std::array<std::string_view, 18> agent_words = {
    "agent", "agents", "admin",   "support",  "helpdesk", "bot",      "chatbot",        "staff", "assistant",
    "rep",   "system", "noreply", "operator", "teammate", "employee", "representative", "csr",   "automation"};
constexpr std::array<std::string_view, 10> customer_words = {"user",   "customer", "client", "visitor",   "caller",
                                                             "member", "guest",    "lead",   "requester", "contact"};
constexpr std::size_t label_max = 40;  // bytes of what stands before the colon of a transcript's line
constexpr std::size_t words_max = 4;

constexpr std::array<std::string_view, 8> text_names = {"text",    "body",    "message",  "content",
                                                        "comment", "summary", "feedback", "description"};

enum class Speaker { nobody, customer, agent };

// Lower case, in words of letters: "support agent" of "Support_Agent".
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    const char small = ascii::lower(c);
    const bool letter = ascii::is_lower(small) || (static_cast<unsigned char>(c) & 0x80U) != 0;
    if (letter) {
      out.back() += small;
    } else if (!out.back().empty()) {
      out.emplace_back();
    }
  }
  if (out.back().empty()) {
    out.pop_back();
  }
  return out;
}

bool is_one_of(std::span<const std::string_view> list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// "Customer support" is an agent, "Support user" a customer: what stands last is what somebody is.
Speaker speaker_named(std::string_view name) {
  // Of an address only what stands before the @ is a role: "support@shop.example".
  const std::vector<std::string> words = words_of(name.substr(0, name.find('@')));
  if (words.size() > words_max) {
    return Speaker::nobody;
  }
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    if (is_one_of(agent_words, *word)) {
      return Speaker::agent;
    }
    if (is_one_of(customer_words, *word)) {
      return Speaker::customer;
    }
  }
  return Speaker::nobody;
}

// Who begins to speak in this line of a transcript.
Speaker speaker_of(std::string_view line) {
  line = ascii::trim_front(line, " \t*_>-[");
  const std::size_t colon = line.find(':');
  if (colon > label_max) {
    return Speaker::nobody;
  }
  const std::vector<std::string> words = words_of(line.substr(0, colon));
  // "System: Debian 12" and "User agent: Mozilla" are what a report says, not who speaks.
  const bool told = words == std::vector<std::string>{"system"} || words == std::vector<std::string>{"user", "agent"};
  return told ? Speaker::nobody : speaker_named(line.substr(0, colon));
}

// Bodies that begin with a tag are HTML: what they say, a paragraph a line.
std::string read_html(std::string_view html) {
  std::string spaced;
  for (std::size_t i = 0; i < html.size(); ++i) {
    spaced += html[i] == '<' ? " <" : std::string(1, html[i]);
  }
  std::string out = text::plain_text(spaced).text;
  for (const auto& [entity, character] : {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&quot;", "\""},
                                          std::pair{"&#39;", "'"}, std::pair{"&nbsp;", " "}, std::pair{"&amp;", "&"}}) {
    const std::string_view name(entity);
    for (std::size_t at = out.find(name); at != std::string::npos; at = out.find(name, at + 1)) {
      out.replace(at, name.size(), character);
    }
  }
  const std::size_t first = out.find_first_not_of(' ');
  return first == std::string::npos ? std::string() : out.substr(first, out.find_last_not_of(' ') + 1 - first);
}

// What is said in a turn, or in a record that is none.
std::string text_in(const Value& turn) {
  std::string_view text = turn.is(Kind::string) ? turn.str() : std::string_view();
  for (const std::string_view name : text_names) {
    const Value* found = turn.find(name);
    if (text.empty() && found != nullptr && (found->is(Kind::string) || found->is(Kind::number))) {
      text = found->str();
    }
  }
  const bool is_html = text.size() > 3 && text.front() == '<' && text.find('>') != std::string_view::npos &&
                       (text.find("</") != std::string_view::npos || text.find("/>") != std::string_view::npos);
  return is_html ? read_html(text) : std::string(text);
}

// A list of turns; also one level deeper, under the same name: {"conversation_parts": {"conversation_parts": [...]}}.
std::span<const Value> turns_in(const Value& record, std::string_view name) {
  const Value* found = record.find(name);
  return found != nullptr && found->is(Kind::object) ? list_of(*found, name) : list_of(record, name);
}

void add_turn(SaidIn& out, const Value& turn) {
  const std::string text = text_in(turn);
  if (text.empty()) {
    return;
  }
  if (is_agents(turn)) {
    out.agents = true;
  } else {
    out.text += (out.text.empty() ? "" : "\n") + text;
  }
}

}  // namespace

bool is_agents(const Value& turn) {
  static constexpr std::array<std::string_view, 13> members = {
      "author",      "role",        "from",      "sender",  "author_type", "author_role", "sender_type",
      "sender_role", "author.type", "from_type", "speaker", "user_type",   "actor"};
  for (const std::string_view name : members) {
    const Value* found = turn.find(name);
    if (found == nullptr) {
      continue;
    }
    if (found->is(Kind::object)) {
      for (const std::string_view inner : {"type", "role", "kind"}) {
        if (speaker_named(text_of(*found, inner)) == Speaker::agent) {
          return true;
        }
      }
    } else if (speaker_named(found->str()) == Speaker::agent) {
      return true;
    }
  }
  const std::vector<std::string> direction = words_of(text_of(turn, "direction"));
  return !direction.empty() && (direction.front() == "outbound" || direction.front() == "outgoing");
}

std::string without_agents(std::string_view transcript) {
  std::string out;
  bool agent = false;
  bool agents = false;
  bool customers = false;
  for (std::size_t from = 0; from < transcript.size();) {
    const std::size_t to = std::min(transcript.find('\n', from), transcript.size());
    const std::string_view line = transcript.substr(from, to - from);
    from = to + 1;
    const Speaker speaker = speaker_of(line);
    agent = speaker == Speaker::nobody ? agent : speaker == Speaker::agent;
    agents = agents || agent;
    customers = customers || speaker == Speaker::customer;
    if (!agent) {
      out += std::string(line) + "\n";
    }
  }
  return agents && customers ? out : std::string(transcript);
}

SaidIn said_in(const Value& record) {
  SaidIn out;
  bool turns = false;
  for (const std::string_view name : {"messages", "turns", "conversation_parts", "comments"}) {
    const std::span<const Value> list = turns_in(record, name);
    // Parts and comments answer what opened the conversation, which stands in the record or in its `source`.
    const Value* source = record.find("source");
    const Value& opened = source != nullptr && source->is(Kind::object) ? *source : record;
    const bool answers = name == "conversation_parts" || name == "comments";
    if (answers && (!list.empty() || &opened == source)) {
      turns = true;
      add_turn(out, opened);
    }
    const std::string opening = answers ? text_in(opened) : std::string();
    for (const Value& one : list) {
      turns = turns || !text_in(one).empty();
      if (&one != &list.front() || opening.empty() || text_in(one) != opening) {
        add_turn(out, one);
      }
    }
    if (turns) {
      return out;
    }
  }
  out.agents = is_agents(record);
  out.text = out.agents ? std::string() : without_agents(text_in(record));
  return out;
}

}  // namespace plumb::pipelines::discovery
