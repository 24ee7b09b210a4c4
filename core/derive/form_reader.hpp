// Reads forms from a graph of schemas: form_reader.cpp makes and finds them, form_parts.cpp fills them. Private to
// core/derive.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "core/derive/form.hpp"
#include "core/derive/schema_graph.hpp"

namespace plumb::derive {

// A union that is chosen already.
struct Settled {
  SchemaId schema = 0;
  std::string_view key;
};

class FormReader {
 public:
  FormReader(SchemaGraph& graph, const Limits& limits) : graph_(graph), limits_(limits) {}

  bool read(Forms& out);
  const Error& error() const { return error_; }

 private:
  struct Pending {
    FormId form = 0;
    std::vector<Settled> settled;
  };
  struct Union {
    SchemaId schema = 0;
    std::vector<FormId> branches;
  };

  FormId form_for(const std::vector<SchemaId>& starts, const std::vector<Settled>& settled);
  bool only_refers(SchemaId id) const;
  void fill(FormId id, const std::vector<Settled>& settled);
  bool branch(FormId id, const std::vector<Settled>& settled);
  void own_checks(SchemaId id, Form& form);
  void values(Form& form);
  void items(Form& form);
  SchemaId written_for(const Form& form, std::string_view key) const;
  void members(Form& form);
  void imply(Form& form);
  void compare_unions(const Forms& forms);

  SchemaGraph& graph_;
  const Limits& limits_;
  std::vector<Form> forms_;
  std::map<std::vector<std::uint32_t>, FormId> by_key_;
  std::vector<Pending> todo_;
  std::vector<Union> unions_;
  std::size_t parts_ = 0;
  bool failed_ = false;
  Error error_;
};

}  // namespace plumb::derive
