#include "tools/sam-profile/profile.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace samcl::profile {
namespace {

struct ModeJobs {
  const Measurement* measurement;
  std::vector<JobStages> jobs;
};

// One place in the task: what every job has there, if it is that long.
struct Slot {
  analysis::Resource resource;
  std::string fixed_name;  // empty: the launches' names
};

Time mean_of(const std::vector<Time>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), Time{0}) / static_cast<Time>(values.size());
}

Time longest_told(Time a, Time b) { return a == kNotTold || b == kNotTold ? kNotTold : std::max(a, b); }

template <typename Value>
Time mean_over(const std::vector<JobStages>& jobs, Value value) {
  std::vector<Time> values;
  for (const JobStages& job : jobs) values.push_back(value(job));
  return mean_of(values);
}

ModeProfile mode_profile(const ModeJobs& mode) {
  const Measurement& measurement = *mode.measurement;
  ModeProfile profile;
  profile.gpus = measurement.gpus;
  profile.jobs = mode.jobs.size();
  profile.boundaries = measurement.segmentation.how;
  profile.boundary_words = measurement.segmentation.words;
  profile.why_not_more = measurement.why_not_more;
  profile.managed = measurement.managed;
  profile.dropped = measurement.dropped;
  profile.beside = measurement.beside;
  profile.realtime = measurement.realtime;
  std::vector<Time> lengths;
  const auto kernels_of = [](const JobStages& job) {
    std::vector<std::string> kernels;
    for (const Launch& launch : job.launches) kernels.push_back(launch.kernel);
    return kernels;
  };
  for (const JobStages& job : mode.jobs) {
    lengths.push_back(job.length);
    profile.work = std::max(profile.work, job.work());
    profile.same_launches &= kernels_of(job) == kernels_of(mode.jobs.front());
    for (const Launch& launch : job.launches) profile.gpus_used = std::max(profile.gpus_used, launch.devices);
  }
  profile.length = samples_of(std::move(lengths));
  profile.host = mean_over(mode.jobs, [](const JobStages& job) { return job.host_time(); });
  profile.transfers = mean_over(mode.jobs, [](const JobStages& job) { return job.transfer_time(); });
  profile.kernels = mean_over(mode.jobs, [](const JobStages& job) { return job.launch_time(); });
  profile.overlap = mean_over(mode.jobs, [](const JobStages& job) { return job.overlap; });
  return profile;
}

// Makes the stages, slot by slot, over all jobs of all modes.
class Layers {
 public:
  explicit Layers(const std::vector<ModeJobs>& modes) : modes_(modes) {
    for (const ModeJobs& mode : modes) {
      for (const JobStages& job : mode.jobs) launches_ = std::max(launches_, job.launches.size());
    }
  }

  std::vector<StageProfile> stages() {
    for (size_t i = 0; i <= launches_; ++i) {
      interval(i);
      if (i < launches_) launch(i);
    }
    return std::move(stages_);
  }

 private:
  void interval(size_t i) {
    add(analysis::Resource::cpu, "host", i, [i](const JobStages& job) { return Work{job.intervals[i].host_before}; });
    add(analysis::Resource::link, "transfers", i, [i](const JobStages& job) { return job.intervals[i].transfers; });
    add(analysis::Resource::cpu, "merging", i, [i](const JobStages& job) { return job.intervals[i].merging; });
    add(analysis::Resource::cpu, "host", i, [i](const JobStages& job) { return Work{job.intervals[i].host_after}; });
  }

  void launch(size_t i) {
    add(analysis::Resource::gpu, "", i + 1, [i](const JobStages& job) { return job.launches[i].work; });
    if (stages_.empty() || stages_.back().resource != analysis::Resource::gpu) return;
    std::set<std::string> kernels;
    for_each_job(i + 1, [&](unsigned, const JobStages& job) { kernels.insert(job.launches[i].kernel); });
    std::string& what = stages_.back().what;
    for (const std::string& kernel : kernels) what += (what.empty() ? "" : " | ") + kernel;
  }

  // Jobs with at least that many launches.
  template <typename Visit>
  void for_each_job(size_t launches, Visit visit) const {
    for (const ModeJobs& mode : modes_) {
      for (const JobStages& job : mode.jobs) {
        if (job.launches.size() >= launches) visit(mode.measurement->gpus, job);
      }
    }
  }

  // A stage of that work, unless no job needs any time for it. It needs none in jobs with fewer launches.
  template <typename Value>
  void add(analysis::Resource resource, const char* what, size_t launches, Value value) {
    std::map<unsigned, std::vector<Time>> times;
    StageProfile stage;
    stage.resource = resource;
    stage.what = what;
    bool needed = false;
    for_each_job(launches, [&](unsigned gpus, const JobStages& job) {
      const Work work = value(job);
      times[gpus].push_back(work.time);
      stage.section[gpus] = std::max(stage.section[gpus], work.section);
      stage.requests = std::max(stage.requests, work.requests);
      stage.between[gpus] = std::max(stage.between[gpus], work.between);
      stage.threads[gpus] = std::max(stage.threads[gpus], work.threads);
      stage.host[gpus] = longest_told(stage.host[gpus], work.host);
      stage.host_section[gpus] = longest_told(stage.host_section[gpus], work.host_section);
      if (resource == analysis::Resource::link)
        stage.transfers = std::max(stage.transfers, job.intervals[launches].transfer_count);
      needed |= work.time > 0;
    });
    if (!needed) return;
    for (const ModeJobs& mode : modes_) {
      std::vector<Time>& values = times[mode.measurement->gpus];
      const bool in_all_jobs = values.size() == mode.jobs.size();
      for (auto* const times : {&stage.section, &stage.between, &stage.host, &stage.host_section})
        times->try_emplace(mode.measurement->gpus, 0);
      stage.threads.try_emplace(mode.measurement->gpus, 1);
      Samples samples = samples_of(std::move(values));
      if (!in_all_jobs) samples.best = 0;
      stage.by_mode[mode.measurement->gpus] = samples;
    }
    stages_.push_back(std::move(stage));
  }

  const std::vector<ModeJobs>& modes_;
  size_t launches_ = 0;
  std::vector<StageProfile> stages_;
};

}  // namespace

Samples samples_of(std::vector<Time> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {values.size(), values.back(), mean_of(values), values[(values.size() - 1) / 2], values.front()};
}

Result<Profile> make_profile(const std::vector<Measurement>& measurements, size_t warmup) {
  std::vector<ModeJobs> modes;
  for (const Measurement& measurement : measurements) {
    const std::vector<Job>& jobs = measurement.segmentation.jobs;
    if (jobs.size() <= warmup)
      return fail("on " + std::to_string(measurement.gpus) + " GPUs " + std::to_string(jobs.size()) +
                  " jobs were seen, and " + std::to_string(warmup) +
                  " of them are warm-up: let the program run more, or give " + "a smaller --warmup");
    ModeJobs mode{&measurement, {}};
    for (size_t i = warmup; i < jobs.size(); ++i) mode.jobs.push_back(stages_of(jobs[i]));
    modes.push_back(std::move(mode));
  }
  std::sort(modes.begin(), modes.end(),
            [](const ModeJobs& a, const ModeJobs& b) { return a.measurement->gpus < b.measurement->gpus; });
  Profile profile;
  for (const ModeJobs& mode : modes) profile.modes.push_back(mode_profile(mode));
  profile.stages = Layers(modes).stages();
  if (profile.stages.empty()) return fail("the program gave no command that took any time");
  return profile;
}

}  // namespace samcl::profile
