// The boundary of libplumbline.so: a run of the pipeline `boundary` whose judge and producer are functions of the
// caller. Modules have it in JavaScript (wasm/package/src/boundary.ts).
#include <chrono>
#include <string>
#include <string_view>

#include "core/extract/task.hpp"
#include "core/json/arena.hpp"
#include "core/pipelines/boundary/boundary_call.hpp"
#include "wasm/abi.hpp"

namespace {

using plumb::Result;
using namespace plumb::pipelines;
using namespace plumb::wasm;

std::string& last_journal() {
  static thread_local std::string journal;
  return journal;
}

std::uint64_t now_ms() {
  using std::chrono::milliseconds;
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<milliseconds>(since).count());
}

ClientFunction function_of(plumb_answer ask, void* user) {
  if (ask == nullptr) {
    return {};
  }
  return [ask, user](std::string_view question) {
    const std::string ended(question);
    const char* answer = ask(user, ended.c_str());
    return answer == nullptr ? std::string() : std::string(answer);
  };
}

plumb::run::Reply extracted(const plumb::json::Value& request) {
  plumb::run::Reply reply;
  Result<std::string> value = plumb::extract::reply_to(request);
  if (value) {
    reply.value = plumb::run::Data::written(std::move(value).value());
  } else {
    reply.status = plumb::run::Status::failed;
    reply.error = value.error().message;
  }
  return reply;
}

}  // namespace

PLUMB_EXPORT(plumb_boundary)(std::uint32_t size, plumb_answer judge, plumb_answer revise, void* user)->std::uint32_t {
  const std::string text(input(0, size));
  last_journal().clear();
  plumb::json::Arena arena;
  const Result<plumb::json::Value> request = plumb::json::parse(text, arena);
  if (!request) {
    return fail(request.error());
  }
  Result<BoundaryCall> called =
      call_boundary(request.value(), {}, {function_of(judge, user), function_of(revise, user), extracted}, now_ms);
  if (!called) {
    return fail(called.error());
  }
  last_journal() = std::move(called.value().journal);
  std::string& out = new_result();
  out = std::move(called.value().envelope);
  give(out);
  return 1;
}

PLUMB_EXPORT(plumb_boundary_journal)()->void { give(last_journal()); }
