// Packets from clients: messages, documents, and the tasks in them.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sam-manager/protocol/document.h"
#include "sam-manager/protocol/messages.h"
#include "sam-manager/registry/registry.h"

using namespace samcl;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (protocol::is_message(bytes)) {
    const auto message = protocol::parse_message(bytes);
    if (message && message->kind != protocol::MessageKind::attach_thread &&
        message->resource >= protocol::kMaxResources)
      std::abort();
    return 0;
  }
  const auto document = protocol::parse_document(bytes);
  if (!document) return 0;
  protocol::Fields fields(*document, "it");
  fields.text("task", 63);
  fields.integer_or("gpus", 0, 32, 0);
  fields.names("devices", 32, 63);
  fields.flag("strict");
  fields.end();
  if (const auto task = document->find("task"); task != document->end()) {
    const auto read = registry::task_from_json(*task);
    if (read && ((read->period_ns == 0) != (read->weight > 0) || read->name.empty())) std::abort();
    if (read && !registry::task_from_json(registry::to_json(*read))) std::abort();
  }
  protocol::format_document(*document);
  return 0;
}
