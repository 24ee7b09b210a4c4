// Members of JSON objects, read where they may be missing or of another kind, and the tables of records. Internal to
// this folder.
#pragma once

#include "core/json/members.hpp"
#include "core/json/record.hpp"

namespace plumb::pipelines::discovery {

using Fields = std::span<const json::Field>;

using json::Field;
using json::field;
using json::field_if_set;
using json::flag_of;
using json::list_of;
using json::number_of;
using json::text_of;
using json::texts_of;

}  // namespace plumb::pipelines::discovery
