// Who may talk to the control port: the address it listens on, the token, and the Host and Origin of a request.
//
// It answers for this machine unless told otherwise. Where others can reach it a token is wanted, sent as
// `Authorization: Bearer TOKEN`, or as the password of any user, which is how browsers can send it. In its place a
// client key of a project may be sent, which opens the runs of that project and nothing else. A page of another
// site that the user has open must not talk to it: such a request carries a foreign Origin, or a Host that is not ours
// (a name that was made to point here).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace plumb::control {

inline constexpr std::size_t token_bytes_min = 16;
inline constexpr std::size_t token_bytes_max = 1024;

// What is known of a text that may be a client key. Neither member is set: it is none of a project, and counts as if it
// had not been sent, unless it is the token.
struct FoundKey {
  std::string project = {};  // whose key it is, and accepted
  std::string refused = {};  // why it is not
  bool client = false;       // an accepted client key, of a project or not
};
using FindKey = std::function<FoundKey(std::string_view text)>;  // from any thread

struct Admitted {
  bool yes = false;
  std::string project = {};  // empty: the operator's
  std::string why = {};      // not
};

class Access {
 public:
  // `host` is the address to listen on, `names` those it has from outside (a proxy's). Refused: another address than
  // this machine's own without a token, and a token that is too short or holds what a header cannot.
  static Result<Access> make(const std::string& host, const std::string& token,
                             const std::vector<std::string>& names = {});

  bool wants_token() const { return !token_digest_.empty(); }
  // A second token, that reads metrics and nothing else. The error: one that is too short, or the first one.
  std::optional<Error> set_metrics_token(const std::string& token);
  bool allows_metrics(std::string_view authorization) const;
  // The whole header: whether it is of the operator. Takes the same time whatever the token is.
  bool allows(std::string_view authorization) const;
  // Client keys are looked up here from now on. Before the first request.
  void set_keys(FindKey find) { find_key_ = std::move(find); }
  // Who asks. A key that is refused is never taken for nobody's, where no token is wanted either.
  Admitted admit(std::string_view authorization) const;

  // The same for a route that client keys of any kind may ask. `key`: that was sent; empty: the operator's token was.
  struct AdmittedClient {
    bool yes = false;
    std::string key = {};
    std::string why = {};
  };
  AdmittedClient admit_client(std::string_view authorization) const;

  // Pages of these origins may use the port, with the token. Before the first request. The error: there is no token, or
  // one of them is no origin.
  std::optional<Error> set_origins(std::vector<std::string> origins);
  bool allows_origin(std::string_view origin) const;

  bool is_our_host(std::string_view host_header) const;
  // An empty origin is one that was not sent.
  static bool is_our_origin(std::string_view origin_header, std::string_view host_header);

 private:
  Access() = default;
  std::string host_;
  std::vector<std::string> names_;
  std::string token_digest_;    // SHA-256; empty where there is no token
  std::string metrics_digest_;  // the same of the one for metrics
  std::vector<std::string> origins_;
  FindKey find_key_;
};

// 127.x.x.x, ::1, localhost.
bool is_loopback(std::string_view host);

}  // namespace plumb::control
