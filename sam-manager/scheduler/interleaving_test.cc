// One resource, its clients and the daemon, in every order in which they may come to its word: the daemon's own
// Scheduler and the clients' own steps (protocol/leasing.h), one access to shared memory at a time; clients die between
// any two of them, and so does the daemon. Whoever has the resource is the one that its word names, everyone who waits
// gets it or sees that the daemon ended, and nobody is left waiting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sam-manager/protocol/leasing.h"
#include "sam-manager/protocol/messages.h"
#include "sam-manager/scheduler/scheduler.h"
#include "sam-manager/scheduler/testing/interleavings.h"

namespace samcl::scheduler {
namespace {

using protocol::GiveBack;
using protocol::LookForGrant;
using protocol::MessageKind;
using protocol::owner_of;
using protocol::Word;

class Model;

// What the daemon does besides hearing of clients: once, at any time.
struct Event {
  std::string name;
  std::function<void(Model&)> happens;
};

// What one of them could do wrong: these tests have to find it.
enum class Defect : uint8_t {
  none,
  client_does_not_see_life,  // before it lies down
  end_wakes_nobody,          // the daemon's, by which who sleeps looks once more
  daemon_counts_no_grant,    // so that who is about to lie down does not see that there was one
  daemon_wakes_nobody,
  daemon_tells_of_no_grant,   // in the client's page
  holder_takes_back,          // what it has handed over is its own again when it comes to it
  holder_tells_of_no_release  // though its word says that it told
};

struct Setup {
  std::vector<Standing> clients;  // 1 and so on
  uint32_t rounds = 1;            // each asks for the resource so often
  int deaths = 0;                 // so many of them die at most
  Policy policy = kFixedPriority;
  std::vector<Event> events = {};
  bool daemon_dies = false;  // at any time, or never
  Defect defect = Defect::none;
};

// Out of whatever the daemon does.
struct DaemonDied {};

struct Said {
  MessageKind kind;
  uint32_t sequence;
};

// As Session (libsamcl/lease) does. It sleeps until it is woken: that it looks now and then all the same would hide
// what is to be found. What it tells the daemon is sent in one step with what comes before: if it dies between the two,
// that is as if the daemon heard of the end first. Whether the daemon lives it sees where that is in question; once it
// ended, who sleeps wakes once more and goes on without it.
struct Client {
  enum class At : uint8_t {
    begin,
    take,
    see_grants,
    look,
    see_life,
    lie_down,
    asleep,
    section,
    count_grant,
    wake,
    done,
    dead,
    forgotten
  };
  At at = At::take;
  uint32_t sequence = 1;  // of the request under way
  uint32_t seen = 0;
  std::optional<LookForGrant> look = {};
  std::optional<GiveBack> giving = {};
  std::string saw = {};          // the word, at each step since it began to look, or to give back
  uint32_t asked = 0, told = 0;  // the requests that it sent, and those that the daemon told of: a bit each
  bool woke_alone = false;       // since the daemon died
  bool was_taken = false;        // the daemon took what it has, and it goes on to the end of its section
  std::vector<Said> said = {};   // to the daemon, which has not heard it

  // What it does next is its own affair, now that it is `alone`: nobody sees it, and nothing changes what it sees.
  bool is_by_itself(bool alone) const { return alone && (at == At::begin || at == At::see_life); }

  bool lives() const { return at < At::dead; }
  bool is_at_it() const { return at > At::take && lives() && at != At::done; }  // it waits, or has it
};

// A step of one of them.
struct Step {
  enum class Kind : uint8_t { daemon_goes_on, daemon_hears, daemon_hears_end, event, daemon_death, client, death };
  Kind kind;
  size_t index = 0;  // of the client or event

  // Sooner or later; false: or never.
  bool comes() const { return kind != Kind::event && kind != Kind::daemon_death && kind != Kind::death; }
};

class Model {
 public:
  // tells: a log is written.
  Model(Interleavings& all, const Setup& setup, bool tells)
      : all_(all),
        setup_(setup),
        tells_(tells),
        clients_(setup.clients.size()),
        page_(setup.clients.size()),
        deaths_left_(setup.deaths),
        has_happened_(setup.events.size(), false),
        scheduler_(
            words_, [this](ResourceId, const Waiter& waiter) { grant(waiter); }, {},
            [this](Scheduler::Access access) { look(access); }) {
    scheduler_.set_policy(setup.policy);
    for (size_t i = 0; i < clients_.size(); ++i) scheduler_.add_client(id(i), setup.clients[i]);
    for (Client& client : clients_) client.at = first_step();
    starts_ = true;
  }

  void run() {
    while (!all_.is_over()) {
      check();
      for (size_t i = 0; i < clients_.size(); ++i)
        if (clients_[i].is_by_itself(is_alone_)) go_on(i);
      Steps steps;
      if (!is_alone_) add_daemons(steps);
      for (size_t i = 0; i < clients_.size(); ++i) add_clients(steps, i);
      if (std::ranges::none_of(steps, &Step::comes)) check_end();
      if (steps.empty()) return;
      const Step step = choose(steps);
      if (all_.is_over()) return;
      if (step.kind >= Step::Kind::client) {
        act(step);
        continue;
      }
      handling_ = waiters() + std::to_string(static_cast<int>(step.kind)) + "," + std::to_string(step.index);
      if (step.kind == Step::Kind::daemon_hears)
        handling_ += std::to_string(static_cast<int>(clients_[step.index].said.front().kind));
      try {
        act(step);
      } catch (const DaemonDied&) {
        is_alone_ = true;
      }
      if (shares_time()) history_ += handling_ + observed_;
      handling_.clear();
      observed_.clear();
      if (taken_from_) taken_from_->was_taken = taken_from_->is_at_it();
      taken_from_ = nullptr;
    }
  }

  Scheduler& scheduler() { return scheduler_; }

  // From whoever has it now, whatever he does meanwhile: as Broker does with one that was stopped.
  void take_from_owner() {
    const ClientId owner = scheduler_.owner(0);
    if (owner == 0) return;
    taken_from_ = &clients_[owner - 1];
    scheduler_.reclaim(owner, 0);
  }

  // When the daemon has to look again, if it has to.
  void look_when_due() {
    if (scheduler_.next_tick_ns() == UINT64_MAX) return;
    scheduler_.advance_time(scheduler_.next_tick_ns());
    scheduler_.tick();
  }

  const std::string& problem() const { return problem_; }
  const std::string& log() const { return log_; }

 private:
  using Steps = std::vector<Step>;

  bool has(Defect defect) const { return setup_.defect == defect; }
  static ClientId id(size_t index) { return static_cast<ClientId>(index + 1); }
  std::atomic<Word>& word() { return words_[0]; }
  bool shares_time() const {
    return std::ranges::any_of(setup_.clients, [](const Standing& one) { return one.level == Level::shares; });
  }

  Step choose(const Steps& steps) {
    const Step step = steps[all_.choose([this] { return state(); }, steps.size())];
    if (tells_ && !all_.is_over()) log_ += describe(step) + ", where the word is " + describe(word().load()) + "\n";
    return step;
  }

  // Before the daemon comes to the word. What does not matter to it, without shares, it need not see.
  void look(Scheduler::Access access) {
    if (!starts_ || (access == Scheduler::Access::sharing_owner && !shares_time())) return;
    interleave();
    const Word now = word().load();
    observed_ += std::to_string(access == Scheduler::Access::owner ? owner_of(now) : now) + ",";
  }

  // Before the daemon comes to the memory that it shares: all that clients may do meanwhile.
  void interleave() {
    while (!all_.is_over()) {
      check();
      Steps steps = {{Step::Kind::daemon_goes_on}};
      if (setup_.daemon_dies) steps.push_back({Step::Kind::daemon_death});
      for (size_t i = 0; i < clients_.size(); ++i) add_clients(steps, i);
      const Step step = choose(steps);
      if (all_.is_over() || step.kind == Step::Kind::daemon_goes_on) break;
      act(step);
    }
  }
  // Before it writes there.
  void change() {
    interleave();
    observed_ += "-,";
  }

  // As Broker::grant() and Words::wake_granted() do.
  void grant(const Waiter& waiter) {
    const size_t index = waiter.client - 1;
    const uint32_t bit = uint32_t{1} << waiter.ticket;
    if (clients_[index].told & bit) fails("the daemon tells " + std::to_string(waiter.client) + " of one grant twice");
    clients_[index].told |= bit;
    change();
    if (!has(Defect::daemon_tells_of_no_grant)) page_[index] = static_cast<uint32_t>(waiter.ticket);
    change();
    if (!has(Defect::daemon_counts_no_grant)) ++grants_;
    change();
    if (!has(Defect::daemon_wakes_nobody)) wake(waiter.client);
  }

  void wake(ClientId client) {
    if (Client& sleeper = clients_[client - 1]; sleeper.at == Client::At::asleep) sleeper.at = Client::At::see_grants;
  }

  void add_daemons(Steps& steps) {
    for (size_t i = 0; i < clients_.size(); ++i) add_heard(steps, i);
    for (size_t event = 0; event < has_happened_.size(); ++event)
      if (!has_happened_[event]) steps.push_back({Step::Kind::event, event});
    if (setup_.daemon_dies) steps.push_back({Step::Kind::daemon_death});
  }

  // What the daemon may hear next of a client.
  void add_heard(Steps& steps, size_t index) {
    const Client& client = clients_[index];
    if (client.at != Client::At::forgotten && !client.said.empty()) steps.push_back({Step::Kind::daemon_hears, index});
    if (client.at == Client::At::dead) steps.push_back({Step::Kind::daemon_hears_end, index});
  }

  void add_clients(Steps& steps, size_t index) {
    const Client& client = clients_[index];
    if (!client.lives() || client.at == Client::At::done) return;
    const bool wakes_alone = is_alone_ && !client.woke_alone && !has(Defect::end_wakes_nobody);
    const bool sleeps = client.at == Client::At::asleep && !wakes_alone;
    if (!sleeps) steps.push_back({Step::Kind::client, index});
    if (deaths_left_ > 0) steps.push_back({Step::Kind::death, index});
  }

  void act(const Step& step) {
    switch (step.kind) {
      case Step::Kind::daemon_hears: {
        const Said said = clients_[step.index].said.front();
        clients_[step.index].said.erase(clients_[step.index].said.begin());
        return hear(id(step.index), said);
      }
      case Step::Kind::daemon_hears_end:
        clients_[step.index].at = Client::At::forgotten;
        clients_[step.index].said.clear();
        return scheduler_.remove_client(id(step.index));
      case Step::Kind::event: has_happened_[step.index] = true; return setup_.events[step.index].happens(*this);
      case Step::Kind::daemon_death: throw DaemonDied();
      case Step::Kind::client: return go_on(step.index);
      case Step::Kind::death:
        --deaths_left_;
        clients_[step.index].at = Client::At::dead;
        return;
      case Step::Kind::daemon_goes_on: return;
    }
  }

  void hear(ClientId client, const Said& said) {
    switch (said.kind) {
      case MessageKind::acquire: return scheduler_.acquire(client, 0, said.sequence);
      case MessageKind::release: return scheduler_.release(client, 0);
      default: return scheduler_.handed(0);
    }
  }

  void go_on(size_t index) {
    using At = Client::At;
    Client& client = clients_[index];
    switch (client.at) {
      case At::begin: client.at = is_alone_ ? At::done : At::take; return;
      case At::take:
        if (protocol::take(word(), id(index))) return begin_section(index);
        client.asked |= uint32_t{1} << client.sequence;
        client.said.push_back({MessageKind::acquire, client.sequence});
        client.at = At::see_grants;
        return;
      case At::see_grants:
        client.seen = grants_;
        client.look.emplace(id(index), client.sequence);
        client.saw.clear();
        client.at = At::look;
        return;
      case At::look:
        client.saw += std::to_string(word().load()) + ".";
        switch (client.look->step(word(), page_[index])) {
          case LookForGrant::Outcome::undecided: return;
          case LookForGrant::Outcome::granted: return begin_section(index);
          case LookForGrant::Outcome::not_granted: client.at = setup_.daemon_dies ? At::see_life : At::lie_down; return;
        }
        return;
      case At::see_life:
        client.at = is_alone_ && !has(Defect::client_does_not_see_life) ? At::done : At::lie_down;
        return;
      case At::asleep:
        client.woke_alone = true;
        client.at = At::see_grants;
        return;
      case At::lie_down: client.at = client.seen == grants_ ? At::asleep : At::see_grants; return;
      case At::section:
        client.saw += std::to_string(word().load()) + ".";
        switch (client.giving->step(word())) {
          case GiveBack::Outcome::undecided: return;
          case GiveBack::Outcome::idle:
          case GiveBack::Outcome::taken: return next_round(client);
          case GiveBack::Outcome::handed:
            if (has(Defect::holder_takes_back)) word().store(id(index));
            client.at = At::count_grant;
            return;
          case GiveBack::Outcome::told:
            if (!has(Defect::holder_tells_of_no_release)) client.said.push_back({MessageKind::release, 0});
            return next_round(client);
        }
        return;
      case At::count_grant:
        ++grants_;
        client.at = At::wake;
        return;
      case At::wake:
        wake(client.giving->next());
        client.said.push_back({MessageKind::handed, 0});
        return next_round(client);
      default: return;
    }
  }

  void begin_section(size_t index) {
    clients_[index].giving.emplace(id(index));
    clients_[index].saw.clear();
    clients_[index].at = Client::At::section;
  }

  Client::At first_step() const { return setup_.daemon_dies ? Client::At::begin : Client::At::take; }

  void next_round(Client& client) {
    client.was_taken = false;
    client.at = client.sequence == setup_.rounds ? Client::At::done : first_step();
    ++client.sequence;
  }

  // All that the rest of a run depends on: what clients and daemon remember, and what stands in memory, as far as
  // anybody will still look at it. The daemon remembers who waits, and, where time is shared, all that ever was; in the
  // midst of what it does, who waited when it began, and what it has seen since. Once it has died nobody hears of
  // anything.
  std::string state() {
    std::string text = handling_ + "|" + observed_ + "|" + history_ + "|" + std::to_string(word().load());
    for (size_t i = 0; i < clients_.size(); ++i) text += ";" + state(i);
    text += is_alone_ ? "|alone" : "|";
    if (handling_.empty() && !is_alone_) text += waiters();
    for (const bool has : has_happened_) text += has ? "x" : ".";
    return text + std::to_string(deaths_left_);
  }

  std::string state(size_t index) const {
    using At = Client::At;
    const Client& client = clients_[index];
    if (is_alone_ && (!client.lives() || client.at == At::done)) return "";
    std::string text = std::to_string(static_cast<int>(client.at)) + ",";
    if (client.lives()) {
      const bool looks = client.at >= At::look && client.at <= At::lie_down;
      const bool saw = client.at == At::look || client.at == At::section;
      text += std::to_string(client.sequence) + "," + (looks && client.seen == grants_ ? "=" : "") +
              (saw ? client.saw : "") + (page_[index].load() == client.sequence ? "g" : "") +
              (client.woke_alone ? "w" : "");
      if (client.at == At::count_grant || client.at == At::wake) text += "n" + std::to_string(client.giving->next());
    }
    text += client.was_taken ? "t" : &client == taken_from_ ? "T" : "";
    if (is_alone_) return text;
    text += "," + std::to_string((client.asked & ~client.told) << (31 - client.sequence)) + ",";
    for (const Said& said : client.said) text += std::to_string(static_cast<int>(said.kind));
    return text;
  }

  // Who waits, as the daemon has it.
  std::string waiters() const {
    std::string text;
    for (const Waiter& waiter : scheduler_.waiters(0))
      text += std::to_string(waiter.client) + ":" + std::to_string(waiter.place) + ",";
    return text;
  }

  void check() {
    const Word now = word().load();
    if (now != 0 && protocol::next_of(now) == owner_of(now)) fails("the owner is named the next one");
    for (size_t i = 0; i < clients_.size(); ++i) {
      const Client& client = clients_[i];
      if (client.at == Client::At::section && !client.was_taken && &client != taken_from_ && owner_of(now) != id(i))
        fails("client " + std::to_string(id(i)) + " has it, and its word names " + std::to_string(owner_of(now)));
    }
  }

  // Nobody does anything any more.
  void check_end() {
    for (size_t i = 0; i < clients_.size(); ++i)
      if (clients_[i].at == Client::At::asleep) fails("client " + std::to_string(id(i)) + " waits for ever");
    if (is_alone_) return;
    for (size_t i = 0; i < clients_.size(); ++i) {
      if (clients_[i].at == Client::At::done && clients_[i].asked != clients_[i].told)
        fails("the daemon never told of a grant of client " + std::to_string(id(i)));
    }
    if (word().load() != 0) fails("the resource is left to " + std::to_string(owner_of(word().load())));
    if (scheduler_.has_waiters(0)) fails("the daemon takes somebody for a waiter");
  }

  std::string describe(const Step& step) const {
    if (step.kind == Step::Kind::daemon_goes_on) return "daemon goes on";
    if (step.kind == Step::Kind::daemon_death) return "daemon dies";
    if (step.kind == Step::Kind::event) return "daemon: " + setup_.events[step.index].name + "";
    const Client& client = clients_[step.index];
    const std::string who = std::to_string(id(step.index));
    if (step.kind == Step::Kind::death) return "  " + who + " dies";
    if (step.kind == Step::Kind::daemon_hears_end) return "daemon hears that " + who + " died";
    if (step.kind == Step::Kind::daemon_hears) {
      const MessageKind kind = client.said.front().kind;
      return "daemon hears that " + who +
             (kind == MessageKind::acquire   ? " asks"
              : kind == MessageKind::release ? " gave it back"
                                             : " handed it over");
    }
    constexpr std::array kSteps = {"begins",    "takes", "counts the grants", "looks",        "sees whether it lives",
                                   "lies down", "wakes", "gives back",        "adds a grant", "wakes the next one"};
    return "  " + who + " " + kSteps[static_cast<size_t>(client.at)] + "";
  }

  static std::string describe(Word word) {
    std::string text = std::to_string(owner_of(word));
    if (word & protocol::kWaiters) text += ", next " + std::to_string(protocol::next_of(word));
    for (const auto& [flag, name] : {std::pair{protocol::kRevoke, ", revoked"},
                                     {protocol::kTurn, ", turn"},
                                     {protocol::kHanded, ", handed"},
                                     {protocol::kGivenBack, ", given back"}})
      if (word & flag) text += name;
    return text;
  }

  void fails(const std::string& problem) {
    if (all_.is_over()) return;
    problem_ = problem;
    all_.fails();
  }

  Interleavings& all_;
  const Setup& setup_;
  const bool tells_;
  std::array<std::atomic<Word>, 1> words_{};
  uint32_t grants_ = 0;  // Words::grants
  std::vector<Client> clients_;
  std::vector<std::atomic<uint32_t>> page_;  // ClientPage::grants
  int deaths_left_;
  std::vector<bool> has_happened_;
  Client* taken_from_ = nullptr;  // by what the daemon does now
  bool starts_ = false;
  bool is_alone_ = false;                      // the daemon died
  std::string handling_, observed_, history_;  // what the daemon does, and what it saw since it began to
  std::string problem_, log_;
  Scheduler scheduler_;
};

// The first problem that is found, if there is one.
std::string problem_of(const Setup& setup) {
  Interleavings all;
  std::string problem;
  all.explore([&] {
    Model model(all, setup, false);
    model.run();
    problem = model.problem();
  });
  return problem;
}

void expect_right_in_every_order(const Setup& setup) {
  Interleavings all;
  const bool is_right = all.explore([&] { Model(all, setup, false).run(); });
  std::cout << all.states() << " states, " << all.runs() << " runs\n";
  if (is_right) return;
  std::string problem, log;
  all.repeat([&] {
    Model model(all, setup, true);
    model.run();
    problem = model.problem();
    log = model.log();
  });
  ADD_FAILURE() << problem << ", after\n" << log;
}

constexpr Standing kAtFive = {5}, kAtNine = {9}, kShare = {0, Level::shares};

Event less_urgent(ClientId client) {
  return {std::to_string(client) + " is less urgent now",
          [client](Model& model) { model.scheduler().set_standing(client, {1}); }};
}
const Event kLooks = {"looks", [](Model& model) { model.scheduler().tick(); }};
const Event kTakes = {"takes it from its owner", [](Model& model) { model.take_from_owner(); }};
const Event kLooksWhenDue = {"looks when it is time to", [](Model& model) { model.look_when_due(); }};

TEST(Interleavings, BothMayDieAtAnyStep) {
  expect_right_in_every_order({.clients = {kAtFive, kAtNine}, .rounds = 2, .deaths = 2});
}

TEST(Interleavings, PrioritiesChangeAndTheDaemonLooks) {
  expect_right_in_every_order({.clients = {kAtFive, kAtFive}, .events = {kLooks, less_urgent(1)}});
}

TEST(Interleavings, PlacesInOrderOfArrival) {
  expect_right_in_every_order({.clients = {kAtFive, kAtNine, kAtFive}, .policy = omlp(1)});
}

TEST(Interleavings, SharesOfTime) {
  expect_right_in_every_order({.clients = {kShare, kShare}, .events = {kLooksWhenDue}});
  expect_right_in_every_order({.clients = {kShare, kAtFive}, .deaths = 1, .events = {kLooksWhenDue}});
}

TEST(Interleavings, OneOfThreeDiesAtAnyStep) {
  expect_right_in_every_order({.clients = {kAtFive, kAtNine, kAtFive}, .deaths = 1});
}

// It takes what a stopped or greedy program has, or an administrator does: nobody else loses anything by it.
TEST(Interleavings, TheDaemonTakesItAndOneDiesAtAnyStep) {
  expect_right_in_every_order({.clients = {kAtFive, kAtFive}, .rounds = 2, .deaths = 1, .events = {kTakes}});
}

// Also in the midst of what it does, and what it did until then stays in memory.
TEST(Interleavings, TheDaemonDiesAtAnyStepAndOneOfBoth) {
  expect_right_in_every_order({.clients = {kAtFive, kAtNine}, .rounds = 2, .deaths = 1, .daemon_dies = true});
}

const Setup kDaemonOfThreeDies = {.clients = {kAtFive, kAtNine, kAtFive}, .daemon_dies = true};

TEST(Interleavings, TheDaemonOfThreeDiesAtAnyStep) { expect_right_in_every_order(kDaemonOfThreeDies); }

Setup with(Setup setup, Defect defect) {
  setup.defect = defect;
  return setup;
}

TEST(Interleavings, WhereTheDaemonOfThreeDiesDefectsAreFound) {
  const auto problem_with = [](Defect defect) { return problem_of(with(kDaemonOfThreeDies, defect)); };
  const auto waits_for_ever = ::testing::HasSubstr("waits for ever");
  EXPECT_THAT(problem_with(Defect::client_does_not_see_life), waits_for_ever);
  EXPECT_THAT(problem_with(Defect::end_wakes_nobody), waits_for_ever);
  EXPECT_THAT(problem_with(Defect::daemon_counts_no_grant), waits_for_ever);
  EXPECT_THAT(problem_with(Defect::daemon_wakes_nobody), waits_for_ever);
  EXPECT_THAT(problem_with(Defect::daemon_tells_of_no_grant), waits_for_ever);
  EXPECT_THAT(problem_with(Defect::holder_takes_back), waits_for_ever);
  EXPECT_THAT(problem_with(Defect::holder_tells_of_no_release), ::testing::HasSubstr("the resource is left to"));
}

TEST(Interleavings, TheDaemonDiesWhileItTakesIt) {
  expect_right_in_every_order({.clients = {kAtFive, kAtFive}, .events = {kTakes}, .daemon_dies = true});
}

}  // namespace
}  // namespace samcl::scheduler
