// What programs and administrators say one after another, to all of the daemon but its sockets: each line of the input
// is a letter for who speaks (a to d) and a document, or "!" and a message: who, what (a: acquire, r: release, h:
// handed, which is done, too, where the word says so, b, g, e: a job begins, asks for a GPU, ends, d: attach_thread)
// and which resource (0 to 9), or "x" and who ends.
#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "sam-manager/daemon/fake_processes.h"
#include "sam-manager/daemon/report.h"
#include "sam-manager/daemon/requests.h"
#include "sam-manager/protocol/document.h"

using namespace samcl;
using namespace samcl::daemon;

namespace {

Processes nobody() {
  Processes processes = fake_processes();
  processes.is_stopped = [](pid_t pid) { return pid == 3; };
  return processes;
}

class Session {
 public:
  Session() : board_(Board::make()), broker_(*board_, *registry::Registry::open(""), {}, nobody()) {}

  void line(const std::string& text) {
    now_ns_ += 100'000'000;
    if (text.size() < 2) return;
    if (text[0] == 'x') return leave(index_of(text, 1));
    if (text[0] == '!') return message(text);
    const size_t who = index_of(text, 0);
    const auto document = protocol::parse_document(std::string_view(text).substr(1));
    if (!document) return;
    protocol::Peer peer;
    peer.pid = static_cast<pid_t>(who + 1);
    peer.user = 0;
    Caller caller{who + 1, peer, rights_of(0, {}, 0, {}), programs_[who]};
    const auto outcome = daemon::handle(broker_, *board_, "fuzz", caller, *document);
    if (outcome && outcome->program != 0) programs_[who] = outcome->program;
    if (outcome && outcome->answer) protocol::format_document(*outcome->answer);
    if (outcome && outcome->report) return protocol::format_document(outcome->report->begin()()), void();
    if (outcome && !outcome->answer) decide();
  }

  // Nobody keeps anything who is not there, and nobody waits for what is idle.
  void check() {
    broker_.heartbeat(now_ns_);
    show_status(broker_)();
    show_metrics(broker_)();
    for (uint32_t resource = 0; resource < protocol::kMaxResources; ++resource) {
      const uint32_t owner = broker_.scheduler().owner(resource);
      if (owner != 0 && !broker_.programs().contains(owner)) std::abort();
      if (owner == 0 && broker_.scheduler().has_waiters(resource)) std::abort();
    }
    for (int gpu = 0; gpu < static_cast<int>(broker_.devices().names().size()); ++gpu) {
      const uint32_t owner = broker_.own_gpus().owner(gpu);
      if (owner != 0 && broker_.programs().at(owner).own_gpu != gpu) std::abort();
    }
  }

 private:
  static size_t index_of(const std::string& text, size_t at) { return static_cast<unsigned char>(text[at] - 'a') % 4u; }

  void message(const std::string& text) {
    protocol::Message message;
    const char kind = text.size() > 2 ? text[2] : 'a';
    message.kind = kind == 'r'   ? protocol::MessageKind::release
                   : kind == 'h' ? protocol::MessageKind::handed
                   : kind == 'd' ? protocol::MessageKind::attach_thread
                   : kind == 'b' ? protocol::MessageKind::begin_job
                   : kind == 'g' ? protocol::MessageKind::request_gpu
                   : kind == 'e' ? protocol::MessageKind::end_job
                   : kind == 'w' ? protocol::MessageKind::wake
                                 : protocol::MessageKind::acquire;
    message.resource = text.size() > 3 ? static_cast<unsigned char>(text[3] - '0') : 0u;
    message.sequence = ++sequence_;
    message.tid = static_cast<int32_t>(message.resource);
    if (!protocol::parse_message(message.bytes())) return;
    auto& word = board_->words().words[message.resource];
    if (kind == 'h' && protocol::owner_of(word) != 0 && protocol::next_of(word) != 0)
      word = protocol::handed_over(word);
    broker_.handle(programs_[index_of(text, 1)], message, now_ns_);
  }

  void leave(size_t who) {
    if (programs_[who] != 0) broker_.on_client_exit(programs_[who]);
    programs_[who] = 0;
  }

  // A plan is made, then the tasks are kept.
  void decide() {
    for (int i = 0; i < 10; ++i) {
      pollfd ready{broker_.decided(), POLLIN, 0};
      int polled;
      do polled = poll(&ready, 1, 2000);
      while (polled < 0 && errno == EINTR);  // libFuzzer's own alarm
      if (polled != 1) std::abort();
      if (const auto decision = broker_.complete_change()) {
        if (decision->change.asker != 0) return answer_to(broker_, *decision), void();
      }
    }
  }

  Result<Board> board_;
  Broker broker_;
  std::array<uint32_t, 4> programs_{};
  uint64_t now_ns_ = 1'000'000'000'000;
  uint64_t sequence_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  spdlog::set_level(spdlog::level::off);
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  Session session;
  int count = 0;
  for (std::string line; std::getline(lines, line) && count < 200; ++count) {
    session.line(line);
    session.check();
  }
  return 0;
}
