// What the process takes of its machine, under the names that Prometheus' own clients use: CPU, memory, open files,
// threads, when it began. From /proc; what cannot be read is left out.
#pragma once

#include <string>

namespace plumb::control {

void append_process_metrics(std::string& out);

}  // namespace plumb::control
