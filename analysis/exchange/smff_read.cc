#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "analysis/exchange/smff.h"
#include "analysis/exchange/tags.h"
#include "analysis/model/number_text.h"

namespace samcl::analysis {
namespace {

Result<std::string> text_of(const Tag& tag, const std::string& name) {
  const auto found = tag.attributes.find(name);
  if (found == tag.attributes.end()) return fail(where(tag) + name + ": missing");
  return found->second;
}

Result<Time> number_of(const Tag& tag, const std::string& name, Time unit = 1) {
  const auto text = text_of(tag, name);
  if (!text) return tl::unexpected(text.error());
  const auto value = whole_number(*text);
  if (!value || *value < 0 || *value > kLongest / unit)
    return fail(where(tag) + name + ": '" + *text + "', expected a whole number");
  return *value * unit;
}

// Constraints may have fractions.
Result<Time> rounded_down(const Tag& tag, const std::string& name, Time unit) {
  const auto text = text_of(tag, name);
  if (!text) return tl::unexpected(text.error());
  double value = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  const double time = std::floor(value * static_cast<double>(unit));
  if (error != std::errc() || stop != end || !(time >= 0 && time <= static_cast<double>(kLongest)))
    return fail(where(tag) + name + ": '" + *text + "', expected a number");
  return static_cast<Time>(time);
}

struct Place {
  std::string name;
  bool preemptive = false;
};

// A task, or a link between two.
struct Job {
  int line = 0;
  bool is_link = false;
  std::string name;
  Time from = 0, to = 0;  // of a link
  Time best = 0, worst = 0, priority = 0;
  bool has_profile = false;
  std::optional<Time> period, jitter;
  std::optional<Time> place;  // a link's: the communication resource
};

struct Constraint {
  int line = 0;
  Time from = 0, to = 0, deadline = 0;
};

struct Application {
  int line = 0;
  Time id = 0;
  std::map<Time, Job> tasks, links;  // by ID
  std::vector<Constraint> constraints;
};

// Who is ahead of whom on one resource.
struct Rank {
  Time priority = 0;
  size_t task = 0;
  int line = 0;
};

class SmffReader {
 public:
  explicit SmffReader(Time unit) : unit_(unit) {}

  Result<TaskSet> read(const std::vector<Tag>& tags) {
    for (const Tag& tag : tags)
      if (auto good = take(tag); !good) return tl::unexpected(good.error());
    if (applications_.empty()) return fail("no <Application>, expected an SMFF model");
    std::vector<Task> tasks;
    for (const Application& application : applications_) {
      auto task = task_of(application, tasks.size());
      if (!task) return tl::unexpected(task.error());
      tasks.push_back(std::move(*task));
    }
    if (auto good = give_priorities(tasks); !good) return tl::unexpected(good.error());
    return stations_.with(std::move(tasks));
  }

 private:
  Result<void> take(const Tag& tag) {
    if (tag.name == "Platform" || tag.name == "/Platform") in_platform_ = tag.name[0] != '/';
    if (in_platform_) return take_resource(tag);
    if (tag.name == "Application") {
      const auto id = number_of(tag, "appID");
      if (!id) return tl::unexpected(id.error());
      applications_.push_back({tag.line, *id, {}, {}, {}});
      return {};
    }
    if (applications_.empty()) return {};
    Application& application = applications_.back();
    if (tag.name == "Task" || tag.name == "TaskLink") return take_job(tag, application);
    if (tag.name == "/Task" || tag.name == "/TaskLink") job_ = nullptr;
    if (tag.name.starts_with("map")) return take_mapping(tag, application);
    if (tag.name == "Constraint") return take_constraint(tag, application);
    return job_ ? take_of_job(tag, *job_) : Result<void>();
  }

  Result<void> take_resource(const Tag& tag) {
    if (tag.name == "Resource" || tag.name == "CommResource") {
      const auto id = number_of(tag, "resID");
      const auto name = text_of(tag, "shortName");
      if (!id) return tl::unexpected(id.error());
      if (!name) return tl::unexpected(name.error());
      is_link_ = tag.name == "CommResource";
      place_ = &(is_link_ ? links_ : places_)[*id];
      place_->name = is_link_ ? "PCI_" + *name : *name;
    }
    if (tag.name != "Scheduler" || !place_) return {};
    const auto name = text_of(tag, "name");
    if (!name) return tl::unexpected(name.error());
    place_->preemptive = *name == "SPPScheduler";
    if (!place_->preemptive && *name != "SPNPScheduler")
      return fail(where(tag) + "name: '" + *name + "', expected SPPScheduler or SPNPScheduler");
    if (place_->preemptive && is_link_)
      return fail(where(tag) + "name: '" + *name +
                  "' of a CommResource, expected SPNPScheduler: transfers are not preempted");
    return {};
  }

  Result<void> take_job(const Tag& tag, Application& application) {
    const bool link = tag.name == "TaskLink";
    const auto id = number_of(tag, "ID");
    if (!id) return tl::unexpected(id.error());
    Job job;
    job.line = tag.line;
    job.is_link = link;
    if (const auto name = text_of(tag, "shortName")) job.name = *name;
    for (const auto& [end, name] : {std::pair{&job.from, "src"}, {&job.to, "trgt"}}) {
      if (!link) continue;
      const auto value = number_of(tag, name);
      if (!value) return tl::unexpected(value.error());
      *end = *value;
    }
    const auto [at, is_new] = (link ? application.links : application.tasks).emplace(*id, std::move(job));
    if (!is_new) return fail(where(tag) + "ID: " + std::to_string(*id) + ", expected one that no other has");
    job_ = tag.closed ? nullptr : &at->second;
    return {};
  }

  Result<void> take_of_job(const Tag& tag, Job& job) {
    if (tag.name == "SchedulingParameter") {
      const auto priority = number_of(tag, "priority");
      if (!priority) return tl::unexpected(priority.error());
      job.priority = *priority;
    }
    if (tag.name == "Profile") {
      const auto best = number_of(tag, "bcet", unit_), worst = number_of(tag, "wcet", unit_);
      const auto active = text_of(tag, "active");
      if (!best) return tl::unexpected(best.error());
      if (!worst) return tl::unexpected(worst.error());
      if (!active || *active != "true" || job.has_profile)
        return fail(where(tag) + "expected one, and active=\"true\"");
      job.best = *best;
      job.worst = *worst;
      job.has_profile = true;
    }
    if (tag.name != "ActivationPattern") return {};
    const auto name = text_of(tag, "name");
    if (!name) return tl::unexpected(name.error());
    if (*name == "EventActivation") return {};
    if (*name != "PJActivation")
      return fail(where(tag) + "name: '" + *name + "', expected PJActivation or EventActivation");
    const auto period = number_of(tag, "activationPeriod", unit_), jitter = number_of(tag, "activationJitter", unit_);
    if (!period) return tl::unexpected(period.error());
    if (!jitter) return tl::unexpected(jitter.error());
    job.period = *period;
    job.jitter = *jitter;
    return {};
  }

  Result<void> take_mapping(const Tag& tag, Application& application) {
    const bool link = tag.name == "mapLink";
    if (link && !tag.attributes.contains("crid")) return {};  // between tasks of one resource: takes no time
    const auto id = number_of(tag, link ? "lid" : "tid"), place = number_of(tag, link ? "crid" : "rid");
    if (!id) return tl::unexpected(id.error());
    if (!place) return tl::unexpected(place.error());
    auto& jobs = link ? application.links : application.tasks;
    const auto found = jobs.find(*id);
    if (found == jobs.end()) return fail(where(tag) + "expected an ID that was described before");
    if (!(link ? links_ : places_).contains(*place)) return fail(where(tag) + "expected a resource of the platform");
    found->second.place = *place;
    return {};
  }

  Result<void> take_constraint(const Tag& tag, Application& application) {
    const auto from = number_of(tag, "StartTaskId"), to = number_of(tag, "EndTaskId"),
               deadline = rounded_down(tag, "Constraint", unit_);
    for (const auto& value : {from, to, deadline})
      if (!value) return tl::unexpected(value.error());
    application.constraints.push_back({tag.line, *from, *to, *deadline});
    return {};
  }

  // The application's tasks, and its links that take time, one after the other.
  Result<std::vector<const Job*>> chain_of(const Application& application) {
    const std::string at = "line " + std::to_string(application.line) + ", <Application>: ";
    std::map<Time, const Job*> behind;  // the link behind a task
    std::map<Time, int> ahead;          // how many links lead to it
    for (const auto& [id, link] : application.links) {
      if (!application.tasks.contains(link.from) || !application.tasks.contains(link.to))
        return fail("line " + std::to_string(link.line) + ", <TaskLink>: expected two tasks of its application");
      if (!behind.emplace(link.from, &link).second || ++ahead[link.to] > 1)
        return fail("line " + std::to_string(link.line) + ", <TaskLink>: expected tasks one after the other");
    }
    const auto first = std::find_if(application.tasks.begin(), application.tasks.end(),
                                    [&](const auto& task) { return !ahead.contains(task.first); });
    if (first == application.tasks.end()) return fail(at + "expected a first task");
    std::vector<const Job*> chain = {&first->second};
    size_t tasks = 1;
    Time last = first->first;
    for (auto next = behind.find(last); next != behind.end(); next = behind.find(last), ++tasks) {
      if (next->second->place) chain.push_back(next->second);
      last = next->second->to;
      chain.push_back(&application.tasks.at(last));
    }
    if (tasks != application.tasks.size()) return fail(at + "expected tasks one after the other");
    for (const Constraint& constraint : application.constraints)
      if (constraint.from != first->first || constraint.to != last || application.constraints.size() > 1)
        return fail("line " + std::to_string(constraint.line) +
                    ", <Constraint>: expected one, from the first task to the last");
    return chain;
  }

  Result<Task> task_of(const Application& application, size_t index) {
    const auto chain = chain_of(application);
    if (!chain) return tl::unexpected(chain.error());
    const Job& first = *chain->front();
    Task task;
    task.name =
        first.name.ends_with(".1") ? first.name.substr(0, first.name.size() - 2) : "A" + std::to_string(application.id);
    if (!first.period)
      return fail("line " + std::to_string(first.line) + ", <Task>: expected a PJActivation of the first one");
    task.period = task.deadline = *first.period;
    task.jitter = *first.jitter;
    if (!application.constraints.empty()) task.deadline = application.constraints.front().deadline;
    for (const Job* job : *chain) {
      const std::string at = "line " + std::to_string(job->line) + ", " + (job->is_link ? "<TaskLink>: " : "<Task>: ");
      if (!job->has_profile) return fail(at + "Profile: missing");
      if (!job->place) return fail(at + "expected to be mapped to a resource");
      if (job != &first && job->period) return fail(at + "expected an EventActivation of all but the first task");
      const Place& place = (job->is_link ? links_ : places_).at(*job->place);
      if (auto good = stations_.add_stage(task, place.name, place.preemptive, job->best, job->worst); !good)
        return fail(at + good.error().message);
      ranks_[place.name].push_back({job->priority, index, job->line});
    }
    return task;
  }

  // An order that is that of all resources: who is ahead of nobody left is the last of those left.
  Result<void> give_priorities(std::vector<Task>& tasks) {
    std::vector<std::vector<bool>> ahead(tasks.size(), std::vector<bool>(tasks.size()));
    for (const auto& [name, ranks] : ranks_)
      for (const Rank& one : ranks)
        for (const Rank& other : ranks) {
          if (one.task == other.task) continue;
          if (one.priority == other.priority)
            return fail("line " + std::to_string(other.line) + ", priority: " + std::to_string(other.priority) +
                        ", expected one that no other application has on '" + name + "'");
          if (one.priority < other.priority) ahead[one.task][other.task] = true;
        }
    std::vector<bool> done(tasks.size());
    for (int priority = 1; priority <= static_cast<int>(tasks.size()); ++priority) {
      size_t last = tasks.size();
      while (last-- > 0) {
        bool least = !done[last];
        for (size_t other = 0; other < tasks.size(); ++other) least = least && (done[other] || !ahead[last][other]);
        if (least) break;
      }
      if (last >= tasks.size()) return fail("priorities: expected one order of the applications on all resources");
      tasks[last].priority = priority;
      done[last] = true;
    }
    return {};
  }

  const Time unit_;
  std::map<Time, Place> places_, links_;  // by resID: of tasks, and of links between them
  std::vector<Application> applications_;
  std::map<std::string, std::vector<Rank>> ranks_;  // by resource
  FromStations stations_;
  // What tags are inside of.
  bool in_platform_ = false, is_link_ = false;
  Place* place_ = nullptr;
  Job* job_ = nullptr;
};

}  // namespace

Result<TaskSet> parse_smff(const std::string& text, Time unit) {
  const auto tags = parse_tags(text);
  if (!tags) return tl::unexpected(tags.error());
  const bool says_unit = text.find(kSmffNanoseconds) != std::string::npos;
  return SmffReader(says_unit ? 1 : unit).read(*tags);
}

}  // namespace samcl::analysis
