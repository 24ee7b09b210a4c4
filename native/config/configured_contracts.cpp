#include "native/config/configured_contracts.hpp"

#include <algorithm>

#include "native/base/file_bytes.hpp"
#include "native/base/near_miss.hpp"

namespace plumb {

namespace {

constexpr std::uint64_t contract_bytes_max = std::uint64_t{16} << 20;

}  // namespace

Result<ConfiguredContracts> ConfiguredContracts::of(const ConfigFile& config) {
  ConfiguredContracts out;
  out.directory_ = config.directory;
  out.types_ = config.artifacts;
  for (const auto& [uri, path] : config.documents) {
    Result<std::string> text = read_file(path, contract_bytes_max);
    if (!text) {
      return text.error();
    }
    out.documents_.emplace_back(uri, std::move(text).value());
  }
  return out;
}

Result<ConfiguredContract> ConfiguredContracts::find(const std::string& said, const std::string& name) const {
  ConfiguredContract out;
  if (const contract::BuiltIn* built_in = contract::built_in_contract(said)) {
    out.text = built_in->text;
  } else {
    const auto type = std::find_if(types_.begin(), types_.end(), [&](const auto& one) { return one.first == said; });
    const std::string file = type != types_.end() ? type->second : said;
    out.path = absolute_path(!file.empty() && file.front() == '/' ? file : directory_ + file);
    Result<std::string> found = read_file(out.path, contract_bytes_max);
    if (!found) {
      std::vector<std::string_view> names;
      for (const contract::BuiltIn& one : contract::built_in_contracts()) {
        names.push_back(one.name);
      }
      return Error{ErrorCode::not_found,
                   "'" + said + "' is neither a built-in contract nor a file that can be read (" + out.path + ": " +
                       found.error().message + ")" + did_you_mean(said, names),
                   "", 0, 0};
    }
    out.text = std::move(found).value();
  }
  contract::ReadOptions options;
  for (const auto& [uri, text] : documents_) {
    options.documents.push_back({uri, text});
  }
  options.name = name;
  Result<contract::Contract> read = contract::Contract::read(out.text, options);
  if (!read) {
    const Error& why = read.error();
    return Error{ErrorCode::invalid_contract,
                 "'" + said + "' is not a contract: " + why.message +
                     (why.where.empty() ? "" : " (at " + why.where + ", line " + std::to_string(why.line) + ")"),
                 "", 0, 0};
  }
  out.contract = std::make_shared<provider::KnownContract>(std::move(read).value());
  return out;
}

}  // namespace plumb
