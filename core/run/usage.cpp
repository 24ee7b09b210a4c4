#include "core/run/usage.hpp"

namespace plumb::run {

std::span<const json::Field> Usage::fields() {
  static constexpr json::Field table[] = {json::field<&Usage::input_tokens>("input_tokens"),
                                          json::field<&Usage::output_tokens>("output_tokens"),
                                          json::field<&Usage::reasoning_tokens>("reasoning_tokens")};
  return table;
}

Usage usage_of(const json::Value& reply) {
  const json::Value* usage = reply.find("usage");
  return usage == nullptr ? Usage() : json::record_of<Usage>(*usage);
}

}  // namespace plumb::run
