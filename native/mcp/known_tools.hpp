// The tools that a server has listed, with their schemas, each compiled when its tool is first called.
//
//   KnownTools tools(steps_max);
//   tools.learn(message, told);                  // a result of tools/list
//   if (!tools.known()) ... the server is to be asked first
//   Schema schema = tools.schema("search", Side::arguments);
//
// A schema that is none, that refers to another document, or that takes too much work cannot be used: `problem` says
// why, once. For any number of threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/contract/contract.hpp"
#include "native/mcp/message.hpp"

namespace plumb::mcp {

enum class Side : std::uint8_t { arguments, result };
std::string_view side_name(Side side);    // "arguments"
std::string_view schema_name(Side side);  // "inputSchema"

struct Schema {
  bool there = false;                                       // the server has said one
  std::shared_ptr<const contract::Contract> contract = {};  // null: it cannot be used
  std::string problem = {};                                 // why; only the first time that it is asked for
};

class KnownTools {
 public:
  static constexpr std::size_t tools_max = 10'000;

  explicit KnownTools(std::uint64_t steps_max) : steps_max_(steps_max) {}

  // A page of the list: what it names replaces what was known by that name.
  void learn(const Message& listed, std::uint64_t now_ms);
  // The whole list has been read, and it is not too old.
  bool known(std::uint64_t now_ms) const;
  // It has changed: the next call asks for it again.
  void stale();
  Schema schema(std::string_view tool, Side side);

 private:
  struct Kept {
    std::string text;
    bool compiled = false;
    std::shared_ptr<const contract::Contract> contract;
  };
  struct Tool {
    Kept sides[2];
  };

  const std::uint64_t steps_max_;
  mutable std::mutex mutex_;
  std::map<std::string, Tool, std::less<>> tools_;
  bool known_ = false;
  std::uint64_t until_ms_ = 0;  // 0: for ever
};

}  // namespace plumb::mcp
