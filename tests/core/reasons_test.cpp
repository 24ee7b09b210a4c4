#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/run/reasons.hpp"

using plumb::names_of;
using plumb::Reason;
using plumb::reason_name;
using plumb::run::failed_reply;
using plumb::run::reason_of;

TEST_CASE("reasons: each has a name of its own, and only none has an empty one") {
  const auto names = names_of(Reason::none);
  CHECK(names.size() == static_cast<std::size_t>(Reason::journal_mismatch) + 1);
  CHECK(reason_name(Reason::none).empty());
  CHECK(reason_name(Reason::journal_mismatch) == "journal_mismatch");
  for (std::size_t i = 1; i < names.size(); ++i) {
    CHECK_FALSE(names[i].empty());
    CHECK(std::count(names.begin(), names.end(), names[i]) == 1);
  }
}

TEST_CASE("reasons: a reply that failed says why beside its sentence") {
  const plumb::run::Reply reply = failed_reply("'a' is no UTF-8 text", Reason::not_text);
  CHECK(reply.status == plumb::run::Status::failed);
  CHECK(reply.value.text() == R"({"reason":"not_text"})");
  CHECK(reason_of(reply) == Reason::not_text);
  CHECK(failed_reply("the disk is gone").value.is_null());
  CHECK(reason_of(failed_reply("the disk is gone")) == Reason::none);
  CHECK(reason_of(failed_reply("whatever the words", Reason::no_program)) == Reason::no_program);
}

TEST_CASE("reasons: of a journal without them the words of then are read, and only those") {
  const auto old = [](const char* words) { return reason_of(Reason::none, words); };
  CHECK(old("budget_exceeded - job exceeded token budget (1200): 900 are spent, the next call takes at least 400") ==
        Reason::over_budget);
  CHECK(old("window_exceeded - the call takes at least 9000 tokens, the window of the model has 8192") ==
        Reason::over_window);
  CHECK(old("the command 'gate.test': there is no program 'go' in PATH") == Reason::no_program);
  CHECK(old("'a/b.bin' is no UTF-8 text") == Reason::not_text);
  CHECK(old("Ada has decided already: accepted") == Reason::decided);
  CHECK(old("it is not better") == Reason::not_better);
  // Words that only look like them, of a file's name or of what a provider says.
  CHECK(old("'UTF-8 notes.txt' has more than 8388608 bytes, the most that is read") == Reason::none);
  CHECK(old("provider failed - m: budget_exceeded - job exceeded token budget (") == Reason::none);
  CHECK(old("it has fewer items; it is not better") == Reason::none);
  CHECK(old("") == Reason::none);
  // What is stored goes before the words.
  CHECK(reason_of(Reason::over_window, "budget_exceeded - job exceeded token budget (1)") == Reason::over_window);
}

TEST_CASE("reasons: an entry without them is as it was journalled before they were, whatever its texts hold") {
  using plumb::run::without_reasons;
  CHECK(without_reasons(R"({"accepted":false,"reason":"decided","order":[]})") == R"({"accepted":false,"order":[]})");
  CHECK(without_reasons(R"({"tokens":1,"why":"over_window"})") == R"({"tokens":1})");
  for (const char* kept : {R"({"ended":"tokens","reason":"it has spent 7 tokens"})", R"({"a":1,"reason":""})",
                           R"({"text":"{\"a\":1,\"reason\":\"decided\"}"})", R"({"a":1,"code":"decided"})"}) {
    CHECK(without_reasons(kept) == kept);
  }
}
