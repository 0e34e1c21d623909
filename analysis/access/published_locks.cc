// What GCAPS' authors compare with (ECRTS 2024, Section 7.1), in the letters of tasks.h. MPCP and FMLP+ are as in their
// program (analysis/mpcp.py and fmlp.py of its artifact): Patel et al., RTAS 2018, with Lakshmanan et al., RTSS
// 2009, for the time that a request takes; Brandenburg, RTAS 2014. The server is Kim et al., "A server-based approach
// for predictable GPU access with improved analysis", Journal of Systems Architecture 88 (2018). Not all are safe
// under the rules of testing/simulator.h: README.md.
#include <algorithm>
#include <functional>

#include "analysis/access/forms.h"

namespace samcl::analysis::access {
namespace {

Time whole(const Segment& segment) { return segment.misc + segment.pure; }  // G_(i,j)

struct Published {
  const TaskSet& set;
  const size_t i;
  const Responses& response;
  const Task& tau = set.tasks[i];

  bool local(size_t h) const { return set.tasks[h].cpu == tau.cpu; }

  // Preemption by more urgent tasks of the CPU, which compute for C + G^m, or keep it for C + G.
  Wide preemption(Wide R) const {
    Wide sum = 0;
    for (size_t h = 0; h < i; ++h) {
      const Task& other = set.tasks[h];
      const Time computing = other.cpu_time() + other.misc() + (other.busy ? other.pure() : 0);
      if (local(h)) sum += jobs_in(R, response[h] - computing, other.period) * computing;
    }
    return sum;
  }

  Bound least(const std::function<Wide(Wide)>& blocking) const {
    const Time own = tau.cpu_time() + tau.misc() + tau.pure();
    return least_window(own, tau.deadline, [&](Wide R) { return own + preemption(R) + blocking(R); });
  }
};

// W_(x,k): a segment and the longest one of each more urgent task, whose boosted parts come first.
Wide once_it_holds(const TaskSet& set, size_t x, const Segment& segment) {
  Wide sum = whole(segment);
  for (size_t h = 0; h < x; ++h) sum += set.tasks[h].uses_gpu() ? set.tasks[h].longest_segment() : 0;
  return sum;
}

struct Piece {
  size_t task;
  Wide length;
};

// Longest first, as many of each as its task can have jobs in R, `count` in all.
Wide longest(const TaskSet& set, std::vector<Piece> pieces, Wide count, Wide R) {
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.length > b.length; });
  Wide sum = 0;
  for (const Piece& piece : pieces) {
    const Task& task = set.tasks[piece.task];
    const Wide taken = std::min(count, jobs_in(R, task.period - task.cpu_time() - task.misc(), task.period));
    sum += taken * piece.length;
    count -= taken;
  }
  return sum;
}

Wide max_behind(const TaskSet& set, size_t i, const std::function<Wide(size_t, const Segment&)>& length) {
  Wide most = 0;
  for (size_t l = i + 1; l < set.tasks.size(); ++l)
    for (const Segment& segment : set.tasks[l].segments) most = std::max(most, length(l, segment));
  return most;
}

// Direct blocking of one request: one less urgent segment, then jobs of more urgent tasks, each of which asks for all
// its segments. Nothing where it is longer than the deadline.
std::optional<Time> one_request(const TaskSet& set, size_t i, const std::function<Wide(size_t, const Segment&)>& length,
                                const std::function<Wide(Wide, size_t)>& jobs) {
  const Wide behind = max_behind(set, i, length);
  return least_window(0, set.tasks[i].deadline, [&](Wide B) {
    Wide sum = behind;
    for (size_t h = 0; h < i; ++h)
      for (const Segment& segment : set.tasks[h].segments) sum += (jobs(B, h) + 1) * length(h, segment);
    return sum;
  });
}

}  // namespace

Bound mpcp_published(const TaskSet& set, size_t i, const Responses& response) {
  const Published form{set, i, response};
  const Time requests = form.tau.count();
  const auto length = [&](size_t x, const Segment& segment) { return once_it_holds(set, x, segment); };
  const auto jobs = [&](Wide window, size_t h) {
    const Task& task = set.tasks[h];
    return jobs_in(window, response[h] - task.cpu_time() - task.misc(), task.period);
  };
  const auto request = requests > 0 ? one_request(set, i, length, jobs) : std::optional<Time>(0);
  std::vector<Piece> behind, boosted;
  for (size_t l = i + 1; l < set.tasks.size(); ++l)
    for (const Segment& segment : set.tasks[l].segments) {
      behind.push_back({l, length(l, segment)});
      if (form.local(l)) boosted.push_back({l, segment.misc});
    }
  return form.least([&](Wide R) {
    Wide sum = longest(set, behind, requests, R);
    for (size_t h = 0; h < i && requests > 0; ++h)
      for (const Segment& segment : set.tasks[h].segments) {
        const Wide by_job = jobs(R, h);
        sum += (request ? std::min(by_job, requests * (jobs(*request, h) + 1)) : by_job) * length(h, segment);
      }
    for (size_t l = i + 1; l < set.tasks.size(); ++l) {
      std::vector<Piece> of_one;
      for (const Piece& piece : boosted)
        if (piece.task == l) of_one.push_back(piece);
      sum += longest(set, of_one, requests + 1, R);
    }
    return sum;
  });
}

Bound fmlp_published(const TaskSet& set, size_t i, const Responses& response) {
  const Published form{set, i, response};
  const auto in_window = [&](size_t x, Wide R) {
    const Task& task = set.tasks[x];
    return task.count() * jobs_in(R, task.period, task.period);
  };
  return form.least([&](Wide R) {
    Wide remote = 0, sum = 0;
    for (size_t x = 0; x < set.tasks.size(); ++x) {
      if (form.local(x) || !set.tasks[x].uses_gpu()) continue;
      const Wide ahead = std::min<Wide>(form.tau.count(), in_window(x, R));
      remote += ahead;
      sum += ahead * set.tasks[x].longest_segment();
    }
    const Wide suspensions = std::min<Wide>(form.tau.count(), remote);
    for (size_t l = i + 1; l < set.tasks.size(); ++l)
      if (form.local(l) && set.tasks[l].uses_gpu())
        sum += std::min(1 + suspensions, in_window(l, R)) * set.tasks[l].longest_segment();
    return sum;
  });
}

Bound server_published(const TaskSet& set, size_t i, const Responses& response, Time update, int server_cpu) {
  const Published form{set, i, response};
  const Task& tau = form.tau;
  const auto length = [&](size_t, const Segment& segment) { return Wide{whole(segment)} + update; };
  const auto jobs = [&](Wide window, size_t h) { return jobs_in(window, 0, set.tasks[h].period); };
  const auto request = tau.uses_gpu() ? one_request(set, i, length, jobs) : std::optional<Time>(0);
  const Wide behind = tau.count() * max_behind(set, i, length);
  const Time own = tau.cpu_time() + tau.misc() + tau.pure() + 2 * tau.count() * update;
  return least_window(own, tau.deadline, [&](Wide W) {
    Wide by_job = behind, sum = own;
    for (size_t h = 0; h < i; ++h) {
      const Task& other = set.tasks[h];
      if (tau.uses_gpu())
        for (const Segment& segment : other.segments) by_job += (jobs(W, h) + 1) * length(h, segment);
      if (form.local(h)) sum += jobs_in(W, response[h] - other.cpu_time(), other.period) * other.cpu_time();
    }
    for (size_t j = 0; j < set.tasks.size() && tau.cpu == server_cpu; ++j) {
      const Task& other = set.tasks[j];
      const Time served = other.misc() + 2 * other.count() * update;
      if (j != i && other.uses_gpu()) sum += jobs_in(W, other.deadline - served, other.period) * served;
    }
    return sum + (request ? std::min(by_job, Wide{tau.count()} * *request) : by_job);
  });
}

}  // namespace samcl::analysis::access
