#include "kernel-translator/read/vendor_builtins.h"

#include <map>

namespace samcl::translator {
namespace {

// For each width of vectors: `declare` is a macro of the suffix.
constexpr char kWidths[] = R"(
#define SAMCL_FN __attribute__((overloadable))
#define SAMCL_PURE SAMCL_FN __attribute__((const))
#define SAMCL_CONV SAMCL_FN __attribute__((convergent))
#define SAMCL_WIDTHS(declare) declare() declare(2) declare(3) declare(4) declare(8) declare(16)
)";

// cl_amd_media_ops, cl_amd_media_ops2
constexpr char kAmd[] = R"(
#define SAMCL_THREE(name, n) SAMCL_PURE uint##n name(uint##n, uint##n, uint##n);
#define SAMCL_AMD(n)                                                                       \
  SAMCL_THREE(amd_bitalign, n) SAMCL_THREE(amd_bytealign, n) SAMCL_THREE(amd_lerp, n)       \
  SAMCL_THREE(amd_sad, n) SAMCL_THREE(amd_sadhi, n) SAMCL_THREE(amd_msad, n)               \
  SAMCL_THREE(amd_sadw, n) SAMCL_THREE(amd_sadd, n) SAMCL_THREE(amd_bfe, n)                \
  SAMCL_PURE int##n amd_bfe(int##n, uint##n, uint##n);                                     \
  SAMCL_PURE uint##n amd_bfm(uint##n, uint##n);                                            \
  SAMCL_PURE ulong##n amd_qsad(ulong##n, uint##n, ulong##n);                               \
  SAMCL_PURE ulong##n amd_mqsad(ulong##n, uint##n, ulong##n);                              \
  SAMCL_PURE float##n amd_unpack0(uint##n);                                                \
  SAMCL_PURE float##n amd_unpack1(uint##n);                                                \
  SAMCL_PURE float##n amd_unpack2(uint##n);                                                \
  SAMCL_PURE float##n amd_unpack3(uint##n);                                                \
  SAMCL_THREE(amd_min3, n) SAMCL_THREE(amd_max3, n) SAMCL_THREE(amd_median3, n)            \
  SAMCL_PURE int##n amd_min3(int##n, int##n, int##n);                                      \
  SAMCL_PURE int##n amd_max3(int##n, int##n, int##n);                                      \
  SAMCL_PURE int##n amd_median3(int##n, int##n, int##n);                                   \
  SAMCL_PURE float##n amd_min3(float##n, float##n, float##n);                              \
  SAMCL_PURE float##n amd_max3(float##n, float##n, float##n);                              \
  SAMCL_PURE float##n amd_median3(float##n, float##n, float##n);
SAMCL_WIDTHS(SAMCL_AMD)
SAMCL_PURE uint amd_pack(float4);
SAMCL_PURE uint amd_sad4(uint4, uint4, uint);
)";

// cl_intel_subgroups and its companions for short, char and long
constexpr char kIntel[] = R"(
#define SAMCL_SHUFFLES(type)                                                \
  SAMCL_CONV type intel_sub_group_shuffle(type, uint);                      \
  SAMCL_CONV type intel_sub_group_shuffle_down(type, type, uint);           \
  SAMCL_CONV type intel_sub_group_shuffle_up(type, type, uint);             \
  SAMCL_CONV type intel_sub_group_shuffle_xor(type, uint);
#define SAMCL_SHUFFLED(n)                                                                      \
  SAMCL_SHUFFLES(float##n) SAMCL_SHUFFLES(int##n) SAMCL_SHUFFLES(uint##n) SAMCL_SHUFFLES(short##n) \
  SAMCL_SHUFFLES(ushort##n) SAMCL_SHUFFLES(char##n) SAMCL_SHUFFLES(uchar##n)
SAMCL_WIDTHS(SAMCL_SHUFFLED)
SAMCL_SHUFFLES(long) SAMCL_SHUFFLES(ulong)
#ifdef cl_khr_fp64
SAMCL_SHUFFLES(double)
#endif
#define SAMCL_BLOCK(suffix, type, n)                                                     \
  SAMCL_CONV type##n intel_sub_group_block_read##suffix##n(const __global type*);        \
  SAMCL_CONV type##n intel_sub_group_block_read##suffix##n(const __local type*);         \
  SAMCL_CONV type##n intel_sub_group_block_read##suffix##n(read_only image2d_t, int2);   \
  SAMCL_CONV void intel_sub_group_block_write##suffix##n(__global type*, type##n);       \
  SAMCL_CONV void intel_sub_group_block_write##suffix##n(__local type*, type##n);        \
  SAMCL_CONV void intel_sub_group_block_write##suffix##n(write_only image2d_t, int2, type##n);
#define SAMCL_BLOCKS(suffix, type) \
  SAMCL_BLOCK(suffix, type, ) SAMCL_BLOCK(suffix, type, 2) SAMCL_BLOCK(suffix, type, 4) SAMCL_BLOCK(suffix, type, 8)
SAMCL_BLOCKS(, uint)
SAMCL_BLOCKS(_ui, uint)
SAMCL_BLOCKS(_us, ushort)
SAMCL_BLOCK(_us, ushort, 16)
SAMCL_BLOCKS(_uc, uchar)
SAMCL_BLOCK(_uc, uchar, 16)
SAMCL_BLOCKS(_ul, ulong)
)";

// cl_arm_integer_dot_product_*
constexpr char kArm[] = R"(
SAMCL_PURE uint arm_dot(uchar4, uchar4);
SAMCL_PURE int arm_dot(char4, char4);
SAMCL_PURE uint arm_dot_acc(uchar4, uchar4, uint);
SAMCL_PURE int arm_dot_acc(char4, char4, int);
SAMCL_PURE uint arm_dot_acc(ushort2, ushort2, uint);
SAMCL_PURE int arm_dot_acc(short2, short2, int);
SAMCL_PURE uint arm_dot_acc_sat(uchar4, uchar4, uint);
SAMCL_PURE int arm_dot_acc_sat(char4, char4, int);
)";

const std::map<std::string, const char*> kVendors = {{"amd_", kAmd}, {"arm_", kArm}, {"intel_", kIntel}};

}  // namespace

const std::vector<std::string>& vendors_with_builtins() {
  static const std::vector<std::string> prefixes = [] {
    std::vector<std::string> names;
    for (const auto& [prefix, declarations] : kVendors) names.push_back(prefix);
    return names;
  }();
  return prefixes;
}

std::string builtins_of_vendor(const std::string& prefix) {
  const auto vendor = kVendors.find(prefix);
  if (vendor == kVendors.end()) return "";
  return std::string("#ifndef SAMCL_FN") + kWidths + "#endif\n" + vendor->second;
}

}  // namespace samcl::translator
