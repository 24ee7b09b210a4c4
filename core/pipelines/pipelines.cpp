#include "core/pipelines/pipelines.hpp"

namespace plumb::pipelines {

std::span<const Known> known_pipelines() { return {}; }

const Known* known_pipeline(std::string_view name) {
  for (const Known& one : known_pipelines()) {
    if (one.pipeline.name == name) {
      return &one;
    }
  }
  return nullptr;
}

}  // namespace plumb::pipelines
