// Sources that are nearly OpenCL C: real ones with a few tokens gone, swapped, doubled or replaced.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace samcl::fuzz {

using Random = std::mt19937_64;

// Words, numbers, strings, operators and the white space between, which together are the source.
std::vector<std::string> tokens_of(const std::string& source);

// One to eight changes; tokens that come new are the source's own, or words that matter to the translator.
std::string mutated(const std::string& source, Random& random);

// Build options, some of which make no sense.
std::vector<std::string> random_options(Random& random);

}  // namespace samcl::fuzz
