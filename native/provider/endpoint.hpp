// Where a provider listens, and what each kind of provider wants to be sent there.
//
//   Result<BaseUrl> base = read_base_url("http://127.0.0.1:8000/v1");
//   Endpoint endpoint{wire::Wire::openai, base.value(), key};
//   endpoint.target()           "/v1/chat/completions"
//   endpoint.headers(true)      authorization, content-type, accept, ...
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/wire/model.hpp"

namespace plumb::provider {

// Scheme, host and port: what a connection is made to.
struct Origin {
  bool tls = false;
  std::string host;  // a name or an address; IPv6 without brackets
  std::uint16_t port = 80;

  bool operator==(const Origin&) const = default;
  // "api.openai.com", "127.0.0.1:11434": as in the header `host`.
  std::string text() const;
  void append_to(std::string& out) const;
};

struct HeaderField {
  std::string name;
  std::string value;
};

struct BaseUrl {
  Origin origin;
  std::string path;  // "" or "/v1", without a slash at its end
  // "https://api.openai.com/v1"
  std::string text() const;
};

// An address of http or https. Refused: user names in it, a query, a fragment, blanks and controls. The error quotes
// nothing of it but its host, since there are people who write keys into addresses.
Result<BaseUrl> read_base_url(std::string_view text);
// What Ollama's own OLLAMA_HOST may say: "host", "host:port", ":port" or an address. 0.0.0.0 is 127.0.0.1.
Result<BaseUrl> read_ollama_host(std::string_view text);

// A key as read from a variable or a file: blanks around it are taken away. Refused: an empty one, and what a header
// cannot hold. The error does not quote it.
Result<std::string> read_key(std::string_view text);

struct Endpoint {
  wire::Wire wire = wire::Wire::openai;
  BaseUrl base;
  std::string key;         // empty: none is sent
  bool responses = false;  // of OpenAI's wire: it has responses too

  // What a client of that wire is answered in: its own where the provider has it.
  wire::Wire wire_for(wire::Wire client) const { return client == wire::Wire::responses && responses ? client : wire; }
  // The path of a model call, in its own wire or in responses.
  std::string target() const { return target(wire); }
  std::string target(wire::Wire in) const;
  // "/v1/embeddings" behind the address, as OpenAI's wire has it, of Ollama too; of Anthropic "/v1/messages/...".
  std::string target_of(std::string_view operation) const;
  // The path of the cheapest request that shows that provider and key work: its list of models.
  std::string list_target() const;
  std::vector<HeaderField> headers(bool stream) const;
};

// The address of a provider where nobody says another.
std::string_view usual_base(wire::Wire wire);

}  // namespace plumb::provider
