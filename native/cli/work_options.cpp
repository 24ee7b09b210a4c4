#include "native/cli/work_setup.hpp"

namespace plumb::cli {

std::vector<OptionSpec> work_options() {
  return {
      {"--repository",
       0,
       "NAME=DIR",
       {},
       "",
       "A git repository that runs may work on under this name (`repositories` in plumb.yaml). Their work is done "
       "beside the store; in the repository only refs/plumb/ and branches plumb/... change. Where none is named, the "
       "project that the command is started in is `here`, if its plumb.yaml has `workflow`.",
       Completes::nothing,
       true},
      {"--isolation",
       0,
       "HOW",
       {"full", "partial"},
       "full",
       "How far commands of runs must be kept apart from this machine. full: what cannot be kept apart is not run; "
       "partial: it is run with what there is, and every reply says what that was.",
       Completes::choice,
       false},
  };
}

}  // namespace plumb::cli
