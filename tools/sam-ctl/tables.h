// The manager's answers as tables for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace samcl::ctl {

std::string task_table(const nlohmann::json& list);
std::string status_tables(const nlohmann::json& status);
std::string policy_table(const nlohmann::json& plan);  // the bounds under each policy
std::string plan_table(const nlohmann::json& plan);
std::string term_table(const nlohmann::json& task);  // one of the plan's: what its bound is made of
std::string history_table(const nlohmann::json& history);
std::string miss_line(const nlohmann::json& event);

}  // namespace samcl::ctl
