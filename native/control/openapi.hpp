// openapi.json beside this file, compiled in: what GET /openapi.json gives.
#pragma once

#include <string_view>

namespace plumb::control {

std::string_view openapi_document();

}  // namespace plumb::control
