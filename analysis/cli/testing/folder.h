// An empty folder that goes with the test, for what a command reads and writes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace samcl::analysis {

class InFolder : public testing::Test {
 protected:
  InFolder() : folder_(testing::TempDir() + "sam_analyze_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~InFolder() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string written(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  std::string text(const std::string& name) const {
    std::ifstream in(path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string folder_;
};

}  // namespace samcl::analysis
