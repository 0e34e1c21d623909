// The daemon's event loop: one thread that sleeps until somebody connects, says something or ends, a signal
// comes, or the process we belong to ends. Nothing a connection says or does not read ends or delays it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sam-manager/daemon/board.h"
#include "sam-manager/daemon/broker.h"
#include "sam-manager/daemon/config.h"
#include "sam-manager/daemon/endpoint.h"
#include "sam-manager/daemon/metrics.h"
#include "sam-manager/daemon/rate_limit.h"
#include "sam-manager/daemon/report_writer.h"
#include "sam-manager/daemon/requests.h"
#include "sam-manager/daemon/service_notice.h"
#include "sam-manager/protocol/socket.h"

namespace samcl::daemon {

class Server {
 public:
  // `reload`: reads the configuration again; none: it has mistakes, and the old one stays.
  using Reload = std::function<std::optional<Config>()>;

  Server(Endpoint& endpoint, Board& board, Broker& broker, const Config& config, const ServiceNotice& service,
         Reload reload);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Until SIGTERM or SIGINT, the end of the process behind `exit_with` (a pidfd; -1: none), or the loss of
  // our endpoint. SIGTERM, SIGINT and SIGHUP must be blocked.
  void run(int exit_with);

 private:
  struct ClientConnection {
    protocol::Descriptor socket;
    protocol::Peer peer;
    uint32_t program = 0;  // 0: none
    bool watches = false;
    bool may_administrate = false;
    RateLimit rate_limit{};
    bool is_paused = false;  // it has asked too much
  };
  // What a user's connections have together.
  struct User {
    unsigned connections = 0;
    RateLimit accepted{};   // how often he connects
    RateLimit documents{};  // those of no program share it, unless they may administrate
  };
  enum class State { goes_on, ends };

  State handle_event(uint64_t tag);
  State handle_signal();
  void reload();
  void accept_all();
  bool accept_one(protocol::Descriptor socket);
  void stop_accepting(bool stop);
  RateLimit& limit_of(ClientConnection& client);
  bool is_program(uint64_t tag) const;
  void receive(uint64_t id);
  void pause(uint64_t id, ClientConnection& client, bool pause);
  void resume_paused();
  State handle(uint64_t id, ClientConnection& client, const std::string& bytes);
  nlohmann::json ask(uint64_t id, ClientConnection& client, const std::string& bytes, std::vector<int>& attached);
  bool send(ClientConnection& client, const nlohmann::json& document, const std::vector<int>& attached = {});
  void begin_report(uint64_t asker, Report report);
  void begin_metrics();
  void finish_report();
  void drop(uint64_t id);
  void complete_change();
  State heartbeat();
  void tell_watchers(const std::vector<DeadlineMiss>& misses);
  void watch(int fd, uint64_t tag);
  uint64_t timeout_ns() const;
  Rights rights_of_peer(const protocol::Peer& peer) const;

  Endpoint& endpoint_;
  Board& board_;
  Broker& broker_;
  Config config_;
  const ServiceNotice& service_;
  Reload reload_;
  protocol::Descriptor events_;   // epoll
  protocol::Descriptor signals_;  // signalfd
  std::unique_ptr<Metrics> metrics_;
  ReportWriter reports_;
  std::map<uint64_t, ClientConnection> connections_;  // by id
  std::map<uid_t, User> users_;                       // who has connections, or had some a moment ago
  uint64_t last_id_ = 0;
  bool accepting_ = true;
  uint64_t accept_again_ns_ = 0;  // 0: with the next heartbeat
  unsigned paused_ = 0;           // connections
  uint64_t resumed_ = 0;          // the connection that was heard last of those
};

}  // namespace samcl::daemon
