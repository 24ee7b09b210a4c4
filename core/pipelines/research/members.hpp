// Members of JSON objects, read whatever they are, and objects written. Internal to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/run/data.hpp"

namespace plumb::pipelines::research {

using json::list_of;
using json::number_of;
using json::text_of;
using json::texts_of;

template <class Write>
run::Data object(Write write) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write(json);
  json.end_object();
  return run::Data::written(std::move(out));
}

}  // namespace plumb::pipelines::research
