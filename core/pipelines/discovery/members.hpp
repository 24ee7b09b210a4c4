// Members of JSON objects, read where they may be missing or of another kind. Internal to this folder.
#pragma once

#include "core/json/members.hpp"

namespace plumb::pipelines::discovery {

using json::flag_of;
using json::list_of;
using json::number_of;
using json::text_of;
using json::texts_of;

}  // namespace plumb::pipelines::discovery
