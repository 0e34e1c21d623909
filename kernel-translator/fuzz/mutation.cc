#include "kernel-translator/fuzz/mutation.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace samcl::fuzz {
namespace {

// clang-format off
const char* const kWords[] = {
    "__kernel", "kernel", "__global", "__local", "__constant", "__private", "volatile", "const", "restrict", "static",
    "inline", "struct", "union", "typedef", "enum", "goto", "switch", "case", "break", "continue", "return", "while",
    "do", "for", "if", "else", "sizeof", "void", "uint4", "long", "double", "half", "float16", "size_t", "bool",
    "image2d_t", "sampler_t", "event_t", "read_only", "write_only", "get_group_id", "get_global_id", "get_num_groups",
    "get_global_size", "get_global_offset", "get_local_id", "get_global_linear_id", "barrier", "atomic_add",
    "atomic_cmpxchg", "vload4", "vstore3", "async_work_group_copy", "mul24", "as_float4", "printf", "__attribute__",
    "((reqd_work_group_size(8, 8, 1)))", "#pragma unroll 4\n", "#define get_group_id(x) x\n", "#line 7\n", "#if 1\n",
    "#else\n", "#endif\n", "#include \"none.h\"\n", "samcl_nd", "asm", "0", "1", "-1", "0x7fffffff", "0xffffffffffffffff",
    "1e38f", "'", "\"", "\\\n", "(", ")", "{", "}", "[", "]", ";", ",", "*", "&", "->", ".", "<<", ">>=", "++", "?", ":",
    "=", "==", "%", "/", "/*", "*/", "//", "\xef\xbb\xbf", "\r\n", "\xff"};
// clang-format on

const char* const kOptions[] = {"-cl-std=CL1.0",
                                "-cl-std=CL1.1",
                                "-cl-std=CL2.0",
                                "-cl-std=CL3.0",
                                "-cl-std=CLC++",
                                "-cl-std=CL9.9",
                                "-cl-fast-relaxed-math",
                                "-cl-mad-enable",
                                "-w",
                                "-Werror",
                                "-DN=16",
                                "-DN",
                                "-D",
                                "-D=",
                                "-DN(x)=x",
                                "-UN",
                                "-I.",
                                "-I",
                                "-cl-opt-disable",
                                "-x",
                                "-g",
                                "",
                                "-Dget_group_id=get_local_id",
                                "-Dint=long",
                                "-D__kernel="};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)); }

size_t below(size_t end, Random& random) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); }

std::string new_token(const std::vector<std::string>& tokens, Random& random) {
  if (below(2, random) == 0) return tokens[below(tokens.size(), random)];
  return std::string(" ") + kWords[below(std::size(kWords), random)] + " ";
}

// Changes a number's digits, or doubles a word's first letter.
std::string twisted(const std::string& token, Random& random) {
  if (!std::isdigit(static_cast<unsigned char>(token[0]))) return token.substr(0, 1) + token;
  return std::to_string(random() >> below(64, random));
}

void change(std::vector<std::string>& tokens, Random& random) {
  const size_t at = below(tokens.size(), random), other = below(tokens.size(), random);
  const auto place = [&](size_t index) { return tokens.begin() + static_cast<long>(index); };
  switch (below(7, random)) {
    case 0: tokens[at].clear(); return;
    case 1: return std::swap(tokens[at], tokens[other]);
    case 2: tokens.insert(place(at), new_token(tokens, random)); return;
    case 3: tokens[at] = new_token(tokens, random); return;
    case 4: tokens[at] = tokens[at].empty() ? "" : twisted(tokens[at], random); return;
    case 5: {  // a stretch goes
      const size_t end = std::min(tokens.size(), at + 1 + below(20, random));
      for (size_t i = at; i < end; ++i) tokens[i].clear();
      return;
    }
    default: {  // a stretch comes twice
      const std::vector<std::string> copy(place(at), place(std::min(tokens.size(), at + 1 + below(20, random))));
      tokens.insert(place(other), copy.begin(), copy.end());
    }
  }
}

}  // namespace

std::vector<std::string> tokens_of(const std::string& source) {
  std::vector<std::string> tokens;
  for (size_t at = 0; at < source.size();) {
    size_t end = at + 1;
    const auto run = [&](bool (*belongs)(char)) {
      while (end < source.size() && belongs(source[end])) ++end;
    };
    if (is_word(source[at])) run(is_word);
    if (is_space(source[at])) run(is_space);
    tokens.push_back(source.substr(at, end - at));
    at = end;
  }
  return tokens;
}

std::string mutated(const std::string& source, Random& random) {
  std::vector<std::string> tokens = tokens_of(source);
  if (tokens.empty()) return source;
  for (size_t changes = 1 + below(8, random); changes > 0; --changes) change(tokens, random);
  std::string text;
  for (const std::string& token : tokens) text += token;
  return text;
}

std::vector<std::string> random_options(Random& random) {
  std::vector<std::string> options;
  while (below(3, random) == 0) options.push_back(kOptions[below(std::size(kOptions), random)]);
  return options;
}

}  // namespace samcl::fuzz
