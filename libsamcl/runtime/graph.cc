#include "libsamcl/runtime/graph.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "libsamcl/atomic_max.h"
#include "libsamcl/coherence/storage.h"
#include "libsamcl/runtime/queue.h"
#include "libsamcl/runtime/trace.h"

namespace samcl {

void Graph::submit(const std::shared_ptr<Event>& event, std::unique_ptr<Command> command,
                   std::span<const std::shared_ptr<Event>> waits, Order order, bool blocking) {
  Outcome outcome;
  {
    std::lock_guard lock(mutex_);
    event->command_ = std::move(command);
    event->starter_ = blocking ? Starter::waiting_program : Starter::program;
    auto depend = [&](const std::shared_ptr<Event>& on, bool passes_errors) {
      if (!on->ended()) {
        on->dependents_.push_back({event, passes_errors});
        ++event->unmet_;
        event->unissued_ += on->issued_ ? 0 : 1;
      } else if (passes_errors && on->status() < 0) {
        event->inherited_ = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
      }
    };
    for (const auto& on : waits) depend(on, true);
    for (const auto& on : event->queue->enter(event, order, !waits.empty())) depend(on, false);
    if (event->unmet_ == 0) {
      make_ready(event, outcome);
    } else {
      follow(event, outcome);
    }
    if (outcome.startable.empty()) event->starter_ = Starter::another_command;
  }
  start(std::move(outcome.startable));
}

std::vector<std::shared_ptr<Event>> Graph::outstanding(const Queue& queue) {
  std::lock_guard lock(mutex_);
  return queue.outstanding();
}

void Graph::issued(const std::shared_ptr<Event>& event) {
  Outcome outcome;
  {
    std::lock_guard lock(mutex_);
    event->issued_ = true;
    for (const Use& use : event->held_) use.storage->hold_is_issued(use.exclusive);
    for (const Event::Dependent& dependent : event->dependents_) {
      --dependent.event->unissued_;
      follow(dependent.event, outcome);
    }
    retry_blocked(outcome);
  }
  start(std::move(outcome.startable));
}

void Graph::finish(const std::shared_ptr<Event>& event, cl_int status) {
  Outcome outcome;
  {
    std::lock_guard lock(mutex_);
    // Something it followed failed meanwhile.
    if (status >= CL_COMPLETE && event->inherited_ < 0) status = event->inherited_;
    // It may be over before what it followed, on another device; it ends after that.
    if (event->unmet_ > 0) {
      event->result_ = status;
      return;
    }
    end(event, status, outcome);
    retry_blocked(outcome);
  }
  start(std::move(outcome.startable));
}

// Ends an event and, where an error passes on, those that waited for it, without recursion: a chain may be
// thousands of commands long.
void Graph::end(const std::shared_ptr<Event>& event, cl_int status, Outcome& outcome) {
  std::deque<std::pair<std::shared_ptr<Event>, cl_int>> ending{{event, status}};
  while (!ending.empty()) {
    auto [current, result] = std::move(ending.front());
    ending.pop_front();
    for (const Use& use : current->held_) use.storage->release_hold(use.exclusive, current->issued_);
    current->held_.clear();
    if (current->command_) outcome.ended.push_back(std::move(current->command_));
    if (current->queue) current->queue->ended(*current);
    current->set_status(result);
    trace::command_ended(*current);
    for (const Event::Dependent& dependent : std::exchange(current->dependents_, {})) {
      if (result < 0 && dependent.passes_errors) {
        dependent.event->inherited_ = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
      }
      dependent.event->unissued_ -= current->issued_ ? 0 : 1;
      --dependent.event->unmet_;
      if (dependent.event->started_) {
        raise(dependent.event->followed_until_, current->time(CL_PROFILING_COMMAND_END));
        const auto& over = dependent.event->result_;
        if (dependent.event->unmet_ > 0 || !over) continue;
        ending.emplace_back(dependent.event, dependent.event->inherited_ < 0 ? dependent.event->inherited_ : *over);
      } else if (dependent.event->unmet_ > 0) {
        follow(dependent.event, outcome);
      } else if (dependent.event->inherited_ < 0) {
        ending.emplace_back(dependent.event, dependent.event->inherited_);
      } else {
        make_ready(dependent.event, outcome);
      }
    }
  }
}

void Graph::make_ready(const std::shared_ptr<Event>& event, Outcome& outcome) {
  if (event->inherited_ < 0) {
    end(event, event->inherited_, outcome);
  } else if (!start_if_free(event, outcome)) {
    event->starter_ = Starter::another_command;
    blocked_.push_back(event);
  }
}

// Starts a command early if everything that it still waits for is issued.
void Graph::follow(const std::shared_ptr<Event>& event, Outcome& outcome) {
  if (event->started_ || event->unissued_ > 0 || event->inherited_ < 0 || !event->command_) return;
  start_if_free(event, outcome);
}

bool Graph::start_if_free(const std::shared_ptr<Event>& event, Outcome& outcome) {
  if (!take_buffers(event)) return false;
  event->started_ = true;
  outcome.startable.push_back(event);
  return true;
}

bool Graph::take_buffers(const std::shared_ptr<Event>& event) {
  std::vector<Use> uses = event->command_->uses();
  // The same storage may be named several times (a buffer as two arguments): one hold, the stronger.
  std::vector<Use> distinct;
  for (Use& use : uses) {
    auto same = std::find_if(distinct.begin(), distinct.end(), [&](const Use& d) { return d.storage == use.storage; });
    if (same == distinct.end()) {
      distinct.push_back(std::move(use));
    } else {
      same->exclusive |= use.exclusive;
    }
  }
  const bool follows = event->command_->may_follow();
  if (event->unmet_ > 0 && !follows) return false;
  for (const Use& use : distinct) {
    const bool is_free = follows ? use.storage->can_hold_behind(use.exclusive) : use.storage->can_hold(use.exclusive);
    if (!is_free) return false;
  }
  // Nobody overtakes a command that has waited longer for the same buffer.
  for (const auto& earlier : blocked_) {
    if (earlier == event) break;
    for (const Use& wanted : earlier->command_->uses()) {
      for (const Use& use : distinct) {
        if (use.storage == wanted.storage && (use.exclusive || wanted.exclusive)) return false;
      }
    }
  }
  for (const Use& use : distinct) use.storage->hold(use.exclusive);
  event->held_ = std::move(distinct);
  return true;
}

void Graph::retry_blocked(Outcome& outcome) {
  for (auto it = blocked_.begin(); it != blocked_.end();) {
    if (start_if_free(*it, outcome)) {
      it = blocked_.erase(it);
    } else {
      ++it;
    }
  }
}

// Commands that end at once (markers) finish inside start(), which would recurse once per command of a
// chain: the outermost call on a thread starts what the inner ones found.
void Graph::start(std::vector<std::shared_ptr<Event>> startable) {
  thread_local std::deque<std::shared_ptr<Event>>* pending = nullptr;
  if (startable.empty()) return;
  if (pending) {
    pending->insert(pending->end(), startable.begin(), startable.end());
    return;
  }
  std::deque<std::shared_ptr<Event>> mine(startable.begin(), startable.end());
  pending = &mine;
  struct AtEnd {
    ~AtEnd() { pending = nullptr; }  // also where memory is short and a command's start throws
  } at_end;
  while (!mine.empty()) {
    std::shared_ptr<Event> event = std::move(mine.front());
    mine.pop_front();
    event->set_status(CL_SUBMITTED);
    std::shared_ptr<Command> command = event->command_;  // it may end, and be dropped, inside start()
    const trace::OnBehalfOf this_command(*event);
    command->start(event, event->starter_);
  }
}

}  // namespace samcl
