// The particulars of each wire outside of its codecs, as one table: who sends or answers in a wire asks its row, and a
// new wire is a new row.
//
//   const Facet& facet = facet_of(endpoint.wire);
//   std::string target = endpoint.base.path + std::string(facet.call);
#pragma once

#include <span>
#include <string_view>

#include "core/wire/model.hpp"

namespace plumb::wire {

struct Facet {
  std::string_view name = {};   // in settings, logs and recordings
  std::string_view title = {};  // in messages
  // A provider.
  std::string_view base = {};            // its usual address
  std::string_view call = {};            // the path of a call, behind the address
  std::string_view list = {};            // the path of its list of models
  bool versioned = false;                // the paths begin with "/v1" where the address does not end with it
  std::string_view list_member = {};     // of the list: the models
  std::string_view key_header = {};      // the header of its key, in lower case
  std::string_view key_before = {};      // what the header has before the key
  std::string_view version_header = {};  // a header of every request, or nothing
  std::string_view version = {};
  std::span<const std::string_view> passed = {};  // headers of a client that a provider gets
  bool local = false;          // a program on one's own machine, which costs nothing and loads models itself
  bool embeds = true;          // it has embeddings, in OpenAI's form
  bool counts_tokens = false;  // it counts the tokens of a request (Anthropic's count_tokens)
  bool bare_schema = false;    // a request's format is a schema alone
  // An answer.
  bool lines = false;               // a stream is lines of JSON, without comments; else server-sent events
  std::string_view done = {};       // the event that ends a stream beside its own last event, or nothing
  std::string_view id_before = {};  // of an answer's id that we make
};

const Facet& facet_of(Wire wire);

// The content type of a stream.
std::string_view stream_type(const Facet& facet);

}  // namespace plumb::wire
