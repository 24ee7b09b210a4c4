#include "tests/runs/hostile_talk.hpp"

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"

namespace plumb::test {

namespace {

using json::text_of;
using json::Value;

struct Call {
  std::string name, arguments;  // JSON
};

std::string object(const std::vector<std::pair<std::string_view, std::string>>& members) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  for (const auto& [name, text] : members) {
    json.member(name, text);
  }
  json.end_object();
  return out;
}

std::string edits(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& one : all) {
    out += (out.empty() ? "" : ",") + one;
  }
  return R"({"edits":[)" + out + "]}";
}

Call write(Dice& dice, const std::string& path, std::string_view more = {}) {
  const std::string text = "the first line of " + path + "\nvalue " + json::uint_text(dice.below(1'000'000'000)) +
                           " of " + path + "\n" + std::string(more) + (more.empty() ? "" : " is in this line\n");
  return {"edit_files", edits({object({{"path", path}, {"text", text}})})};
}

Call submit(const std::string& result, const std::vector<std::string>& claims, const std::string& secret) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("result", result).member("changes_summary", "done, and " + secret);
  json.key("files_modified").begin_array();
  for (const std::string& one : claims) {
    json.string(one);
  }
  json.end_array().end_object();
  return {"submit", out};
}

run::Reply said(const std::string& text, const std::vector<Call>& calls, std::uint64_t tokens,
                std::string_view refusal = {}) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("text", text).member("finish", calls.empty() ? "stop" : "tool_calls");
  if (!refusal.empty()) {
    json.member("refusal", refusal);
  }
  json.key("usage").begin_object().member_uint("input_tokens", tokens).member_uint("output_tokens", 50).end_object();
  if (!calls.empty()) {
    json.key("calls").begin_array();
    for (std::size_t i = 0; i < calls.size(); ++i) {
      json.begin_object().member("id", "c" + json::uint_text(i)).member("name", calls[i].name);
      json.key("arguments").raw(calls[i].arguments).end_object();
    }
    json.end_array();
  }
  json.end_object();
  run::Reply reply;
  reply.value = run::Data::written(std::move(out));
  return reply;
}

// What a conversation has come to, read from what is sent of it.
struct Seen {
  std::string task;
  std::size_t turns = 0;
  bool edited = false, gated = false;
  std::string line;  // that it wrote last
};

Seen seen_in(const Value& request) {
  Seen out;
  for (const Value& message : json::list_of(request, "messages")) {
    const std::string_view content = text_of(message, "content");
    if (text_of(message, "role") == "user" && out.task.empty()) {
      out.task = content;
    }
    out.turns += text_of(message, "role") == "assistant" ? 1 : 0;
    if (text_of(message, "role") == "tool" && content.rfind(R"({"result":"success")", 0) == 0) {
      out.edited = out.edited || text_of(message, "tool_name") == "edit_files";
      out.gated = out.gated || text_of(message, "tool_name") == "run_gates";
    }
    for (const Value& call : json::list_of(message, "calls")) {
      const Value* arguments = call.find("arguments");
      for (const Value& edit : arguments == nullptr ? std::span<const Value>() : json::list_of(*arguments, "edits")) {
        const std::string line = between(text_of(edit, "text"), "\n", "\n");
        out.line = line.empty() ? out.line : line;
      }
    }
  }
  return out;
}

// As it should be: a change, a look at the gates, what is met, and the end.
std::vector<Call> good_calls(Dice& dice, const Seen& seen, const std::string& path, const std::string& secret) {
  if (!seen.edited) {
    return {write(dice, path)};
  }
  switch (dice.below(seen.gated ? 4 : 6)) {
    case 0:
      return {{"note_met", object({{"criterion", "A1"}, {"evidence", seen.line.empty() ? "nothing" : seen.line}})}};
    case 1:
      return {{"note_decision", object({{"id", "D" + json::uint_text(dice.below(3))},
                                        {"text", "it is decided as number " + json::uint_text(dice.below(1000))},
                                        {"why", "there was a reason for it"}})}};
    case 2:
    case 3:
      return {submit("done", {path}, secret)};
    default:
      return {{"run_gates", "{}"}};
  }
}

std::vector<Call> other_calls(Dice& dice, const Seen& seen, const std::string& path, const std::string& secret) {
  constexpr std::array<std::string_view, 4> gates = {"build", "test", "lint", "docs"};
  constexpr std::array<std::string_view, 4> words = {"BROKEN", "WRONG", "ugly", "TODO"};
  switch (dice.below(29)) {
    case 0:
      return {{"delete_everything", R"({"path":"/"})"}};
    case 1:
      return {{"edit_files", R"("{\"edits\": [{\"path\": \"src/a.c\"")"}};
    case 2:
      return {{"edit_files", R"({"edits":"none","more":1})"}};
    case 3:  // a piece that occurs twice
      return {{"edit_files", edits({object({{"path", "src/c.c"}, {"find", "same"}, {"replace", "other"}})})}};
    case 4:
      return {write(dice, "tests/t.txt")};
    case 5:
      return {write(dice, dice.one_in(2) ? "readme.md" : ".github/workflows/ci.yml")};
    case 6:
      return std::vector<Call>(1 + dice.below(4), {"read_file", R"({"path":"src/a.c"})"});
    case 7:
      return {};  // text alone
    case 8:
      return {submit("done", {}, secret)};
    case 9:
      return {submit("blocked", {}, secret)};
    case 10:
      return {{"note_met", object({{"criterion", "A1"}, {"evidence", "this was surely done, and " + secret}})}};
    case 11:
      return {{"run_gates", R"({"gate":"everything"})"}};
    case 12:
      return {{"run_gates", object({{"gate", std::string(dice.of(gates))}})}};
    case 13:
      return {
          {"read_file", dice.one_in(2) ? R"({"path":"../../etc/passwd"})" : R"({"path":"src/a.c","from_line":9999})"}};
    case 14:
      return {{"list_files", dice.one_in(2) ? "{}" : R"({"under":"nowhere"})"}};
    case 15: {  // more than there may be in a turn
      std::vector<Call> out;
      for (int i = 0; i < 20; ++i) {
        out.push_back({"read_file", R"({"path":"src/b.c","from_line":)" + std::to_string(i + 1) + "}"});
      }
      return out;
    }
    case 16:
      return {write(dice, path), {"run_gates", "{}"}, submit("done", {path}, secret)};
    case 17:  // after the end
      return {write(dice, path), submit("done", {path}, secret), write(dice, path, "BROKEN")};
    case 18:  // as it was at the beginning
      return {{"edit_files", edits({object({{"path", "src/b.c"}, {"text", first_text("src/b.c")}})})}};
    case 19:
      return {write(dice, dice.one_in(2) ? "../outside.txt" : dice.one_in(2) ? ".git/config" : ".gitattributes")};
    case 20:
      return {write(dice, path, dice.of(words))};
    case 21:
      return {write(dice, "docs/manual.md", "typo")};
    case 22:
      return {{"note_met", object({{"criterion", "A99"}, {"evidence", seen.line.empty() ? secret : seen.line}})}};
    case 23:
      return {submit("done", {path, "src/never.c"}, secret)};
    case 24:
      return {{"submit", R"({"result":"perhaps"})"}, {"note_decision", R"({"id":"no id at all"})"}};
    case 25:
      return {{"edit_files", R"({"edits":[{"path":"src/c.c","delete":true}]})"}};
    case 26:
      return {write(dice, path), write(dice, path, "WRONG"), {"run_gates", "{}"}, {"run_gates", R"({"gate":"test"})"}};
    case 27: {  // so deep that it is not taken
      std::string deep = "src";
      for (int i = 0; i < 140; ++i) {
        deep += "/d";
      }
      return {write(dice, deep)};
    }
    default:
      return {{"edit_files", edits({object({{"path", path}, {"text", "one\nof two edits\n"}}),
                                    object({{"path", "src/gone.c"}, {"find", "x"}, {"replace", "y"}})})}};
  }
}

}  // namespace

std::string between(std::string_view text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(at + from.size());
  return std::string(text.substr(0, text.find(to)));
}

std::vector<std::string> items_under(std::string_view task, std::string_view heading) {
  const std::string text = between(task, "## " + std::string(heading) + "\n\n", "\n\n");
  std::vector<std::string> out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    if (text.compare(from, 2, "- ") == 0) {
      out.push_back(text.substr(from + 2, end - from - 2));
    }
    from = end + 1;
  }
  return out;
}

std::string path_of(Dice& dice, std::string_view task) {
  const std::vector<std::string> all = items_under(task, "Files that may be written");
  if (all.empty()) {
    return "src/a.c";
  }
  const std::string& out = all[dice.below(all.size())];
  if (out.find('*') != std::string::npos) {
    return "src/b.c";
  }
  return out.back() == '/' ? out + "page.md" : out;
}

std::string first_text(const std::string& path) { return "the first line of " + path + "\nsame\nsame\nthe end\n"; }

run::Reply turn_of(Dice& dice, const Talker& who, const Value& request) {
  const Seen seen = seen_in(request);
  const std::string path = path_of(dice, seen.task);
  const std::string secret = "nobody else is to know that it is number " + json::uint_text(dice.below(1'000'000'000));
  std::uint64_t tokens = 300 + 20 * seen.turns;
  if (who.window > 0 && who.fills) {
    constexpr std::array<std::uint64_t, 8> shares = {20, 40, 60, 68, 72, 78, 88, 97};
    tokens = who.window * shares[dice.below(shares.size())] / 100;
  }
  if (dice.one_in(40)) {
    return said("", {}, tokens, "I will not do this.");
  }
  if (who.endless && !dice.one_in(30)) {
    return said(secret, {{"list_files", object({{"under", "src/" + json::uint_text(dice.below(1'000'000'000))}})}},
                tokens);
  }
  return said(dice.one_in(4) ? "" : secret,
              dice.one_in(who.good) ? good_calls(dice, seen, path, secret) : other_calls(dice, seen, path, secret),
              tokens);
}

std::string revise_answer(Dice& dice, const std::string& asked) {
  const std::string fence = between(asked, "said anew:\n", "What its reviewer says:");
  const std::size_t from = std::min(fence.find('{'), fence.size());
  const std::size_t to = fence.rfind('}');
  json::Arena arena;
  const std::string text = to == std::string::npos || to < from ? "{}" : fence.substr(from, to + 1 - from);
  const Result<Value> task = json::parse(text, arena);
  const std::uint64_t wrong = dice.one_in(2) ? 99 : dice.below(8);
  if (!task || wrong == 0) {
    return "The task is fine as it is, if you ask me.";
  }
  const std::string id(text_of(task.value(), "id"));
  std::string out;
  json::Writer json(out);
  json.begin_object().member("id", wrong == 1 ? id + "x" : id).member("description", "Said anew, and better");
  json.key("files").begin_array();
  if (wrong == 2) {
    json.begin_object().member("path", dice.one_in(2) ? "../x.c" : "/etc/passwd").end_object();
  } else if (dice.one_in(2)) {
    json.begin_object().member("path", dice.one_in(2) ? "src/c.c" : "docs/manual.md").member("access", "write");
    json.end_object();
  } else if (const Value* files = task.value().find("files")) {
    for (const Value& one : files->array()) {
      json.value(one);
    }
  }
  if (wrong == 3) {
    for (int i = 0; i < 70; ++i) {
      json.begin_object().member("path", "src/more" + std::to_string(i) + ".c").end_object();
    }
  }
  json.end_array();
  if (wrong == 4) {
    json.key("after").begin_array().string(id).end_array();
  } else if (wrong == 5 || dice.one_in(6)) {  // a circle where that one waits for this one
    json.key("after").begin_array().string(dice.one_in(2) ? "T2" : "T3").end_array();
  }
  json.key("acceptance").begin_array();
  if (wrong != 6) {
    json.string("it does what it should, said anew");
  }
  if (wrong == 7) {
    json.begin_object().member("text", "a gate says so").member("check", "nowhere").end_object();
  }
  json.end_array().end_object();
  return out;
}

std::string decompose_answer(Dice& dice, const std::string& asked) {
  std::vector<std::string> files = items_under(asked, "Files that may be written");
  for (const std::string& one : items_under(asked, "Files to read")) {
    files.push_back(one);
  }
  const std::uint64_t wrong = dice.one_in(2) ? 99 : dice.below(9);
  if (wrong == 0) {
    return "First the one half, then the other.";
  }
  const auto letter = [](std::uint64_t i) { return std::string(1, static_cast<char>('a' + i)); };
  std::string out;
  json::Writer json(out);
  json.begin_object().key("parts").begin_array();
  for (std::uint64_t i = 0; i < (wrong == 1 ? 9U : 2U); ++i) {
    json.begin_object().member("part", letter(i)).member("description", "Half " + letter(i) + " of it");
    if (wrong == 2 || i == 1) {  // a circle
      json.key("after").begin_array().string(i == 0 ? "b" : "a").end_array();
    }
    json.end_object();
  }
  json.end_array();
  const auto shared = [&](std::string_view name, std::string_view heading) {
    json.key(name).begin_array();
    const std::vector<std::string> all = items_under(asked, heading);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (wrong == 3 && i == 0) {
        continue;  // it is lost
      }
      for (std::size_t times = 0; times < (wrong == 4 && i == 0 ? 2U : 1U); ++times) {
        json.begin_object().member("id", all[i].substr(0, all[i].find(':')));
        json.member("part", wrong == 5 ? "z" : letter((i + times) % 2)).end_object();
      }
    }
    json.end_array();
  };
  shared("criteria", "It is done when");
  shared("scenarios", "Scenarios");
  json.key("files").begin_array();
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (wrong == 6 && i == 0) {
      continue;
    }
    for (const std::uint64_t part : {0U, 1U}) {
      json.begin_object().member("path", files[i]).member("part", letter(part)).end_object();
    }
  }
  if (wrong == 7) {
    json.begin_object().member("path", "../outside.c").member("part", "a").end_object();
  }
  json.end_array();
  if (wrong == 8) {
    json.member("more", "than there is to say");
  }
  json.end_object();
  return out;
}

}  // namespace plumb::test
