// The address of a store on NATS: nats://HOST[:PORT][,HOST2[:PORT2]...]/NAME[?replicas=N][&sync=always], and tls:// for
// the same with TLS. NAME is letters, digits, '-' and '_', at most 32: streams and subjects begin with it.
//
// USER:PASSWORD@ or TOKEN@ before the first host is who asks. It is never in `shown`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace plumb::store {

struct NatsAddress {
  std::vector<std::string> servers;  // "nats://host:4222", without who asks
  std::string name;
  bool tls = false;
  int replicas = 0;          // 1, 3 or 5; 0: three where three servers are named, else one
  bool sync_always = false;  // said to be so by whoever wrote the address
  std::string user = {};
  std::string password = {};
  std::string token = {};
  std::string shown = {};  // for messages
};

bool is_nats_address(std::string_view text);
Result<NatsAddress> read_nats_address(std::string_view text);
// "USER:PASSWORD" or "TOKEN", as a variable or a file has it.
void set_login(NatsAddress& address, std::string_view login);

}  // namespace plumb::store
