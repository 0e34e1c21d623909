#include "sam-manager/daemon/report_writer.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace samcl::daemon {

void ReportWriter::ask(uint64_t asker, const std::string& name, Begin begin) {
  const auto same = std::ranges::find(waiting_, name, &Report::name);
  if (same != waiting_.end()) {
    same->written.askers.push_back(asker);
    return;
  }
  waiting_.push_back({name, std::move(begin), {{asker}, {}}});
  begin_next();
}

void ReportWriter::begin_next() {
  if (under_way_ || waiting_.empty()) return;
  under_way_ = std::make_unique<Report>(std::move(waiting_.front()));
  waiting_.pop_front();
  background_.start([write = under_way_->begin(), &packet = under_way_->written.packet] {
    try {
      packet = write();
    } catch (const std::exception&) {
      packet = {};  // there is no memory for it
    }
  });
}

std::optional<ReportWriter::Written> ReportWriter::finish() {
  if (!background_.finished()) return std::nullopt;
  Written written = std::move(under_way_->written);
  under_way_.reset();
  begin_next();
  return written;
}

}  // namespace samcl::daemon
