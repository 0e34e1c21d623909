#include "libsamcl/cost/imagined_machines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/duration.h"
#include "base/places.h"

namespace samcl {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 3> kRates{{{"GB/s", 1}, {"MB/s", 1e-3}, {"kB/s", 1e-6}}};

// To bytes/ns: a number above 0 with a unit.
std::optional<double> parse_rate(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !(number > 0)) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  const auto known = std::find_if(kRates.begin(), kRates.end(), [&](const auto& one) { return one.first == unit; });
  const double rate = known == kRates.end() ? 0 : number * known->second;
  if (!(rate > 0) || rate > 1e14) return std::nullopt;
  return rate;
}

Result<void> take_devices(const std::string& text, std::vector<unsigned>& devices) {
  unsigned count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count == 0 || count > kMostImagined)
    return fail("devices= expects numbers of devices from 1 to " + std::to_string(kMostImagined) + ", not '" + text +
                "'");
  devices.push_back(count);
  return {};
}

Result<void> take(const std::string& name, const std::string& value, ImaginedMachines& machines) {
  if (name == "devices") return take_devices(value, machines.devices);
  for (auto [known, to] : {std::pair{"link", &machines.link}, {"host", &machines.host}, {"uplink", &machines.uplink}}) {
    if (name != known) continue;
    *to = parse_rate(value);
    return *to ? Result<void>{} : fail(name + "= expects a rate such as 12GB/s or 800MB/s, not '" + value + "'");
  }
  for (auto [known, to] : {std::pair{"latency", &machines.latency_ns}, {"start", &machines.start_ns}}) {
    if (name != known) continue;
    constexpr int64_t kDay = 86'400'000'000'000;
    const auto ns = parse_duration(value);
    if (!ns || *ns > kDay) return fail(name + "= expects a time such as 60us or 1.5ms, not '" + value + "'");
    *to = static_cast<uint64_t>(*ns);
    return {};
  }
  return fail("expects devices=, link=, host=, uplink=, latency= or start=, not '" + name + "'");
}

}  // namespace

TransferRates ImaginedMachines::rates(unsigned count, TransferRates measured) const {
  TransferRates rates = measured;
  rates.exchange = link.value_or(measured.exchange);
  rates.host = host ? *host : link.value_or(measured.host);
  rates.uplink = uplink.value_or(measured.uplink);
  rates.latency = latency_ns.value_or(measured.latency);
  if (latency_ns) rates.hand_over = std::max(kHandOver, *latency_ns);
  if (count > 2) rates.hand_over += (count - 2) * start_ns.value_or(kStartNs);
  return rates;
}

Result<ImaginedMachines> parse_imagined_machines(const std::string& text) {
  ImaginedMachines machines;
  std::istringstream words(text);
  std::string name;
  for (std::string word; std::getline(words, word, ',');) {
    const size_t equals = word.find('=');
    // A number goes on with the list before it.
    const bool goes_on = equals == std::string::npos && name == "devices" && !word.empty();
    if (equals == std::string::npos && !goes_on)
      return fail("expects words such as devices=64, separated by commas, not '" + word + "'");
    if (!goes_on) name = word.substr(0, equals);
    const auto taken = take(name, goes_on ? word : word.substr(equals + 1), machines);
    if (!taken) return tl::unexpected(taken.error());
  }
  if (machines.devices.empty()) return fail("expects devices=, the numbers of devices, as in devices=2,8,link=12GB/s");
  return machines;
}

}  // namespace samcl
