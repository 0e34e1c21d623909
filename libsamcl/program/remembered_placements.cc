#include "libsamcl/program/remembered_placements.h"

#include <sys/stat.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "base/json_document.h"
#include "base/json_text.h"
#include "kernel-translator/client/cache.h"
#include "libsamcl/driver/query.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

using Json = nlohmann::json;

// What tells this program, and what it is asked to do, from others. Arguments may hold what others should not read, and
// the question is kept.
std::string hash_of_program() {
  std::ifstream arguments("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(arguments), {}};
  struct stat program = {};
  if (stat("/proc/self/exe", &program) == 0) {
    for (const auto number : {static_cast<int64_t>(program.st_ino), static_cast<int64_t>(program.st_size),
                              static_cast<int64_t>(program.st_mtim.tv_sec)})
      text += std::to_string(number) + ' ';
  }
  return std::to_string(std::hash<std::string>()(text));
}

std::string question(const Context& context) {
  const cl_device_id first = context.devices[0]->id;
  return "placements of memory objects\n" + driver::text(first, CL_DEVICE_NAME) + "\n" +
         driver::text(first, CL_DRIVER_VERSION) + "\n" + std::to_string(context.devices_in_use().size()) + " of " +
         std::to_string(context.devices.size()) + " devices\n" + "context " + std::to_string(context.ordinal) + " of " +
         hash_of_program();
}

Json to_json(const Placements::ByNumber& all) {
  Json list = Json::array();
  for (const auto& [number, placement] : all) {
    Json needed = Json::array();
    for (const auto& [range, devices] : placement.needed)
      needed.push_back(Json::array({range.begin, range.end, devices}));
    Json object = Json::object();
    object["number"] = number;
    object["size"] = placement.size;
    object["devices"] = placement.devices;
    object["needed"] = std::move(needed);
    list.push_back(std::move(object));
  }
  return list;
}

// Throws where it is not what to_json() makes, or of more devices.
Placements::ByNumber from_json(const Json& list, size_t devices) {
  Placements::ByNumber all;
  for (const Json& object : list) {
    Placement placement{.size = object.at("size").get<uint64_t>(), .devices = object.at("devices").get<Places>()};
    const auto check = [&](bool holds) {
      if (!holds) throw std::out_of_range("a placement");
    };
    check((placement.devices & ~first_devices(static_cast<unsigned>(devices))) == 0);
    uint64_t end = 0;
    for (const Json& piece : object.at("needed")) {
      const Range range{piece.at(0).get<uint64_t>(), piece.at(1).get<uint64_t>()};
      const auto needed_on = piece.at(2).get<Places>();
      check(end <= range.begin && range.begin < range.end && range.end <= placement.size);
      check(needed_on != 0 && (needed_on & ~placement.devices) == 0);
      placement.needed.push_back({range, needed_on});
      end = range.end;
    }
    all[object.at("number").get<uint32_t>()] = std::move(placement);
  }
  return all;
}

void keep(const std::string& its_question, const Json& placements) {
  TranslationCache(Config::get().cache_directory).keep(its_question, json_text(placements), {});
}

}  // namespace

void recall_placements(Context& context) {
  if (context.devices_in_use().size() < 2 || context.shares_host_memory() || context.is_managed() ||
      context.survives() || context.device->is_mixed() || context.splits_always())
    return;
  try {
    const auto kept = TranslationCache(Config::get().cache_directory).find(question(context));
    const JsonDocument read(kept ? read_json(*kept) : Json::array());
    if (!read->is_null()) {
      context.placements.begin(from_json(*read, context.devices.size()));
      // Memory is going to be needed on them: who makes it waits for that, but not for what comes before.
      if (context.placements.foresees()) context.builder.post([&context] { context.open_devices_in_use(); });
    }
  } catch (const std::exception&) {  // a file that is damaged, or of another version
    context.placements.begin({});
  }
}

void remember_placements(const std::shared_ptr<Context>& context, Placements::ByNumber all) {
  context->builder.post([its_question = question(*context), its_all = std::move(all)] {
    try {
      keep(its_question, to_json(its_all));
    } catch (const std::exception&) {  // no memory
    }
  });
}

void forget_placements(const std::shared_ptr<Context>& context) {
  context->builder.post([its_question = question(*context)] { keep(its_question, nullptr); });
}

}  // namespace samcl
