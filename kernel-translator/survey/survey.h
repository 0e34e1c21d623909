// What sam-translate makes of a source: whether it is parsed, which kernels may run in parts, and what is known of
// their footprints. Kernels are judged with a launch that is made up, so that a footprint counts as known where its
// evaluation has an end, not where its formula looks like it.
#pragma once

#include <string>
#include <vector>

#include "kernel-translator/client/translation.h"

namespace samcl::survey {

// How much is known of the bytes that a part of a launch touches.
enum class Extent {
  none,   // it touches nothing
  known,  // some ranges, not the whole buffer
  whole,  // anything
};

struct ArgumentVerdict {
  std::string name;
  Extent reads = Extent::none, writes = Extent::none;
};

struct KernelVerdict {
  std::string name;
  bool may_split = false;
  std::string why_not_split;
  bool gathers = false;                  // launches that differ in integers alone may be made as one
  std::vector<ArgumentVerdict> buffers;  // and images
  // Every write is known, and there is a dimension along which two halves of the launch write different bytes.
  bool writes_known = true;
  bool writes_disjoint = false;
  double microseconds = 0;  // to evaluate the footprint of the launch
};

struct SourceVerdict {
  std::string file;
  std::string error;                 // empty: it was translated
  std::vector<std::string> guessed;  // macros that had to be guessed, as build options
  double milliseconds = 0;
  std::vector<KernelVerdict> kernels;
};

// Takes the time by the clock; all else depends on the kernel alone.
KernelVerdict judge(const KernelTranslation& kernel);

struct Question {
  std::string translator;            // path of sam-translate
  std::vector<std::string> options;  // build options, taken apart
  bool guess_macros = false;         // names that the source lacks become macros
  int timeout_ms = 5000;
};

// Runs sam-translate on the file, in a process of its own. The file's folder is searched for what it includes. If
// there is a file of that name with ".options" after it, it holds further build options, separated by white space.
SourceVerdict survey_source(const std::string& file, const Question& question);

// The files below `path` that end in ".cl", in order; `path` itself if it is a file.
std::vector<std::string> sources_below(const std::string& path);

}  // namespace samcl::survey
