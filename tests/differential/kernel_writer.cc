#include "tests/differential/kernel_writer.h"

#include <array>
#include <cstdio>
#include <vector>

#include "tests/differential/slot_loop.h"

namespace differential {
namespace {

struct Type {
  const char* name;
  size_t bytes;
};
constexpr std::array kScalarTypes = {Type{"uchar", 1}, Type{"ushort", 2}, Type{"uint", 4}, Type{"ulong", 8}};

// How one field of a slot is stored and loaded. Loads use the type of the store, so that no two accesses of
// one place have types that C lets the compiler assume apart.
struct Field {
  enum class Style { scalar, vector, vstore, record, bits_of_float };
  Style style;
  Type type;       // of an element
  unsigned width;  // elements
  size_t offset;   // bytes from the start of the slot
};

class KernelWriter {
 public:
  KernelWriter(const KernelPlan& plan, bench::Random& random) : plan_(plan), random_(random) {}

  std::string write() {
    old_style_ = chance(50);
    for (unsigned i = 0; i < plan_.writers; ++i) {
      in_loops_.push_back(chance(25));
      fields_.push_back(in_loops_[i] ? std::vector<Field>() : fields());
    }
    text_ += "typedef struct { uchar small; ushort middle; uint large; } Record;\n";
    const unsigned helpers = 1 + pick(2);
    for (unsigned i = 0; i < helpers; ++i) helper(i);
    helpers_ = helpers;
    position_function();
    signature();
    body();
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  unsigned pick(unsigned bound) { return random_.below(bound); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  template <size_t N>
  const char* one_of(const std::array<const char*, N>& choices) {
    return choices[pick(N)];
  }
  static std::string number(uint64_t value) { return std::to_string(value); }
  std::string constant() {
    char text[16];
    std::snprintf(text, sizeof text, "0x%xu", static_cast<unsigned>(random_.next()) >> pick(32));
    return text;
  }
  void line(const std::string& statement) { text_ += "  " + statement + "\n"; }
  std::string qualifier(const char* word) const { return (old_style_ ? "__" : "") + std::string(word); }

  // A slot's fields: packed in order with gaps, none overlapping.
  std::vector<Field> fields() {
    std::vector<Field> made;
    size_t at = 0;
    while (at < plan_.slot_bytes && made.size() < 6) {
      Field field{Field::Style(pick(5)), kScalarTypes[pick(4)], 1, 0};
      size_t bytes = field.type.bytes, alignment = bytes;
      switch (field.style) {
        case Field::Style::scalar: break;
        case Field::Style::vector:
          field.width = chance(50) ? 2 : 4;
          bytes = alignment = field.width * field.type.bytes;
          break;
        case Field::Style::vstore:
          field.width = std::array{2u, 3u, 4u, 8u}[pick(4)];
          bytes = field.width * field.type.bytes;
          break;
        case Field::Style::record:
          bytes = 8;
          alignment = 4;
          break;
        case Field::Style::bits_of_float:
          field.type = {"float", 4};
          bytes = alignment = 4;
          break;
      }
      field.offset = (at + alignment - 1) / alignment * alignment;
      if (field.offset + bytes > plan_.slot_bytes) {
        at += 4;
        continue;
      }
      at = field.offset + bytes + (chance(30) ? pick(8) : 0);
      made.push_back(field);
    }
    return made;
  }

  // A dimension: a constant, or an expression the compiler cannot know.
  std::string dimension(const std::string& variable) {
    return chance(60) ? number(pick(3)) : "(" + variable + ") % 3u";
  }

  // A value of a work-item built-in as uint. Without a known local size: only what does not depend on it.
  std::string built_in(const std::string& variable) {
    static constexpr std::array free = {"get_global_id", "get_global_size"};
    static constexpr std::array all = {"get_global_id", "get_global_size", "get_local_id", "get_local_size",
                                       "get_group_id",  "get_num_groups",  "get_group_id", "get_num_groups"};
    const std::string d = dimension(variable);
    if (chance(10)) return "get_work_dim()";
    if (chance(10)) return "(uint)get_global_offset(" + (plan_.variable_offset_dimension ? d : number(pick(3))) + ")";
    if (plan_.known_local) {
      if (plan_.opencl_c_3 && chance(25))
        return chance(50)   ? "(uint)get_global_linear_id()"
               : chance(50) ? "(uint)get_local_linear_id()"
                            : "(uint)get_enqueued_local_size(" + d + ")";
      return std::string("(uint)") + one_of(all) + "(" + d + ")";
    }
    if (chance(25)) return "(uint)(get_num_groups(" + d + ") * get_local_size(" + d + "))";
    if (chance(25)) return "(uint)(get_group_id(" + d + ") * get_local_size(" + d + ") + get_local_id(" + d + "))";
    if (plan_.opencl_c_3 && chance(25)) return "(uint)get_global_linear_id()";
    return std::string("(uint)") + one_of(free) + "(" + d + ")";
  }

  // An expression over the given uint variables.
  std::string expression(const std::vector<std::string>& variables, unsigned depth) {
    const std::string& variable = variables[pick(static_cast<unsigned>(variables.size()))];
    if (depth == 0 || chance(10)) return chance(65) ? variable : chance(40) ? constant() : built_in(variable);
    static constexpr std::array operators = {"+", "-", "*", "^", "|", "&"};
    static constexpr std::array functions = {"min", "max", "abs_diff", "mul_hi", "rotate", "add_sat", "hadd"};
    static constexpr std::array unary = {"popcount", "clz", "~"};
    const std::string left = expression(variables, depth - 1);
    switch (pick(8)) {
      case 0: return "(" + left + (chance(50) ? " >> " : " << ") + number(1 + pick(31)) + "u)";
      case 1: return std::string(one_of(functions)) + "(" + left + ", " + expression(variables, depth - 1) + ")";
      case 2: return std::string(one_of(unary)) + "(" + left + ")";
      case 3: return "(" + left + (chance(50) ? " / " : " % ") + "(" + expression(variables, depth - 1) + " | 1u))";
      case 4:
        return "(" + left + " > " + expression(variables, depth - 1) + " ? " + variable + " : " + constant() + ")";
      default: return "(" + left + " " + one_of(operators) + " " + expression(variables, depth - 1) + ")";
    }
  }
  std::string value() { return expression({"a", "b", "c", "d"}, 2); }
  std::string variable() { return std::string(1, static_cast<char>('a' + pick(4))); }

  void helper(unsigned number_of_it) {
    text_ += "uint helper" + number(number_of_it) + "(uint x, uint y) {\n";
    if (chance(50)) {
      line("uint z = x ^ " + constant() + ";");
      line("for (uint i = 0; i < get_work_dim(); ++i) z = z * 31u + " + looped_built_in() + ";");
    } else {
      line("uint z = " + expression({"x", "y"}, 2) + ";");
    }
    if (number_of_it > 0 && chance(60)) line("z += helper0(z, x);");
    line("return " + expression({"x", "y", "z"}, 2) + ";\n}");
  }
  std::string looped_built_in() {
    if (plan_.known_local) return chance(50) ? "(uint)get_group_id(i)" : "(uint)get_num_groups(i)";
    return chance(50) ? "(uint)get_global_size(i)" : "(uint)(get_group_id(i) * get_local_size(i) + get_local_id(i))";
  }

  // uint position(): numbers the work-items of the launch 0, 1, 2, ... in one of several orders.
  void position_function() {
    text_ += "uint position(void) {\n";
    auto index = [&](const std::string& d) {
      const bool from_offset = d != "i" || plan_.variable_offset_dimension;
      return from_offset && chance(50)
                 ? "(get_global_id(" + d + ") - get_global_offset(" + d + "))"
                 : "(get_group_id(" + d + ") * get_local_size(" + d + ") + get_local_id(" + d + "))";
    };
    switch (pick(plan_.known_local ? 5 : 4)) {
      case 0:  // x fastest
        line("return (uint)(" + index("0") + " + get_global_size(0) * (" + index("1") + " + get_global_size(1) * " +
             index("2") + "));");
        break;
      case 1:  // z fastest
        line("return (uint)(" + index("2") + " + get_global_size(2) * (" + index("1") + " + get_global_size(1) * " +
             index("0") + "));");
        break;
      case 2:  // by a loop over the dimensions
        line("size_t at = 0;");
        line("for (int i = (int)get_work_dim() - 1; i >= 0; --i) at = at * get_global_size(i) + " + index("i") + ";");
        line("return (uint)at;");
        break;
      case 3:
        if (plan_.opencl_c_3) {
          line("return (uint)get_global_linear_id();");
        } else {
          line("return (uint)((" + index("1") + " * get_global_size(2) + " + index("2") + ") * get_global_size(0) + " +
               index("0") + ");");
        }
        break;
      case 4:  // group by group
        line(
            "size_t group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * "
            "get_group_id(2));");
        line(
            "size_t own = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * "
            "get_local_id(2));");
        line("return (uint)(group * get_local_size(0) * get_local_size(1) * get_local_size(2) + own);");
        break;
    }
    text_ += "}\n";
  }

  void signature() {
    const std::string global = qualifier("global");
    text_ += qualifier("kernel") + " void " + plan_.name + "(";
    for (unsigned i = 0; i < plan_.writers; ++i) {
      writer_types_.push_back(kScalarTypes[pick(4)]);
      text_ += global + " " + writer_types_.back().name + "* w" + number(i) + ", ";
    }
    for (unsigned i = 0; i < plan_.readers; ++i) {
      reader_types_.push_back(kScalarTypes[pick(4)]);
      text_ += global + " const " + reader_types_.back().name + "* r" + number(i) + ", ";
    }
    text_ += global + " const uint* permutation, " + qualifier("constant") + " uint* table, ";
    if (plan_.global_atomics) text_ += "volatile " + global + " uint* counters, ";
    text_ += "uint region_bytes, uint s, ulong t, uint4 q";
    if (plan_.exchange && plan_.local_argument) text_ += ", " + qualifier("local") + " uint* tile";
    text_ += ") {\n";
  }

  void body() {
    if (plan_.exchange && !plan_.local_argument)
      line(qualifier("local") + " uint tile[" + number(plan_.local_items) + "];");
    if (plan_.local_atomics) line(qualifier("local") + " uint bins[4];");
    line("const uint n = (uint)(get_global_size(0) * get_global_size(1) * get_global_size(2));");
    line("const uint g = position();");
    line("const uint slot = " + slot() + ";");
    line("uint a = s ^ g, b = (uint)t + slot, c = (uint)(t >> 32), d = q.x ^ q.w;");
    const unsigned statements = 3 + pick(5);
    for (unsigned i = 0; i < statements; ++i) statement();
    if (plan_.exchange) exchange();
    if (plan_.local_atomics) count_locally();
    statement();
    if (plan_.global_atomics) count_globally();
    line("a += rotate(d, 7u); b ^= a * 9u; c += b ^ g; d = d * 3u + rotate(c, 13u);");  // all depend on all
    for (unsigned w = 0; w < plan_.writers; ++w) stores(w);
  }

  std::string slot() {
    if (plan_.permuted) return "permutation[g]";
    switch (pick(4)) {
      case 0: return "n - 1u - g";
      case 1: return "(uint)(((ulong)g * 10007u + s) % n)";  // 10007 is prime and above every n: a permutation
      default: return "g";
    }
  }

  void statement() {
    switch (pick(11)) {
      case 0:
      case 1: line(variable() + (chance(50) ? " ^= " : " += ") + value() + ";"); break;
      case 2:
      case 3: {
        const unsigned r = pick(plan_.readers);
        line(variable() + " ^= (uint)r" + number(r) + "[(" + value() + ") % (region_bytes / " +
             number(reader_types_[r].bytes) + "u)];");
        break;
      }
      case 4: {
        const unsigned w = pick(plan_.writers);
        if (!fields_[w].empty())
          line(variable() + " += " + load(w, fields_[w][pick(static_cast<unsigned>(fields_[w].size()))]) + ";");
        break;
      }
      case 5:
        line(variable() + " ^= helper" + number(pick(helpers_)) + "(" + variable() + ", " + value() + ");");
        break;
      case 6:
        line("for (uint i = 0; i < (" + variable() + " & 3u) + 1u; ++i) a = a * 5u + " +
             expression({"a", "b", "c", "d", "i"}, 2) + ";");
        break;
      case 7:
        line("if ((" + value() + " & 1u) != 0u) " + variable() + " ^= " + value() + "; else " + variable() +
             " += " + value() + ";");
        break;
      case 8:
        line(
            "{ uint4 v = (uint4)(a, b, c, d); v = v.wxzy * 3u + (v ^ q); a = v.x; b = v.y; c = v.z; d = v.w; "
            "}");
        break;
      case 9:
        line(
            "{ ulong v = ((ulong)a << 32) | b; v = v * 0x9e3779b97f4a7c15ul ^ (v >> 17) ^ t; a = (uint)v; b "
            "= (uint)(v >> 32); }");
        break;
      case 10:
        if (chance(50))
          line(variable() + " ^= table[" + variable() + " & 15u];");
        else  // small integers: exact in float, however it is rounded or fused
          line("{ float f = (float)(a & 0xffffu) * 3.0f + 1.0f; " + variable() + " ^= (uint)f; }");
        break;
    }
  }

  void exchange() {
    line(
        "{ uint l = (uint)(get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * "
        "get_local_id(2)));");
    const unsigned rounds = 1 + pick(2);
    for (unsigned i = 0; i < rounds; ++i) {
      line("  tile[l] = " + value() + ";");
      line("  barrier(CLK_LOCAL_MEM_FENCE);");
      line("  " + variable() + " ^= tile[(l * " + number(1 + pick(7)) + "u + " + number(pick(16)) + "u) % " +
           number(plan_.local_items) + "u];");
      line("  barrier(CLK_LOCAL_MEM_FENCE);");
    }
    line("}");
  }

  void count_locally() {
    line(
        "if (get_local_id(0) + get_local_id(1) + get_local_id(2) == 0) for (uint i = 0; i < 4; ++i) bins[i] "
        "= i;");
    line("barrier(CLK_LOCAL_MEM_FENCE);");
    line(std::string(chance(50) ? "atomic_add" : "atomic_xor") + "(&bins[" + variable() + " & 3u], " + value() + ");");
    line("barrier(CLK_LOCAL_MEM_FENCE);");
    line(variable() + " += bins[" + variable() + " & 3u];");
    line("barrier(CLK_LOCAL_MEM_FENCE);");
  }

  // Each operation has four cells of its own: within a cell the order of the work-items makes no difference. Some are
  // made of compare-exchange, tried again until it succeeds. The last four cells are claimed bit by bit: whoever is
  // told that he came first does what any other would.
  void count_globally() {
    struct Operation {
      const char *name, *of_old_and_v;
    };
    static constexpr std::array<Operation, 6> operations = {{{"atomic_add", "old + v"},
                                                             {"atomic_xor", "old ^ v"},
                                                             {"atomic_min", "min(old, v)"},
                                                             {"atomic_max", "max(old, v)"},
                                                             {"atomic_and", "old & v"},
                                                             {"atomic_or", "old | v"}}};
    const unsigned count = 1 + pick(3);
    for (unsigned i = 0; i < count; ++i) {
      const unsigned operation = pick(operations.size());
      const auto& [name, of_old_and_v] = operations[operation];
      const std::string cell = "&counters[" + number(4 * operation) + "u + (" + variable() + " & 3u)]";
      if (plan_.compares_and_exchanges) {
        line("{ volatile " + qualifier("global") + " uint* at = " + cell + "; const uint v = " + value() + ";");
        if (chance(50))
          line(std::string("uint old; do { old = *at; } while (atomic_cmpxchg(at, old, ") + of_old_and_v +
               ") != old); }");
        else
          line(std::string("uint old = *at, found; while ((found = atomic_cmpxchg(at, old, ") + of_old_and_v +
               ")) != old) old = found; }");
      } else {
        line(std::string(name) + "(" + cell + ", " + value() + ");");
      }
    }
    if (plan_.compares_and_exchanges || chance(50)) return;
    line("{ const uint at = " + variable() + " & 3u, bit = 1u << (" + variable() + " & 31u);");
    line("if ((atomic_or(&counters[24u + at], bit) & bit) == 0u) atomic_add(&counters[at], bit * 5u); }");
  }

  // The address of a field, as a pointer to `type`.
  std::string place(unsigned w, const Field& field, const std::string& type) const {
    return "((" + qualifier("global") + " " + type + "*)((" + qualifier("global") + " uchar*)w" + number(w) +
           " + slot * " + number(plan_.slot_bytes) + "u + " + number(field.offset) + "u))";
  }
  // Whether the field can be reached by plain indexing of the argument.
  bool natural(unsigned w, const Field& field) const {
    return field.style == Field::Style::scalar && std::string(writer_types_[w].name) == field.type.name;
  }
  std::string indexed(unsigned w, const Field& field) const {
    return "w" + number(w) + "[slot * " + number(plan_.slot_bytes / field.type.bytes) + "u + " +
           number(field.offset / field.type.bytes) + "u]";
  }
  static std::string vector_type(const Field& field) { return field.type.name + number(field.width); }

  std::string load(unsigned w, const Field& field) const {
    switch (field.style) {
      case Field::Style::scalar:
        return "(uint)" + (natural(w, field) ? indexed(w, field) : "*" + place(w, field, field.type.name));
      case Field::Style::vector: return "(uint)(*" + place(w, field, vector_type(field)) + ").s1";
      case Field::Style::vstore:
        return "(uint)vload" + number(field.width) + "(0, " + place(w, field, field.type.name) + ").s1";
      case Field::Style::record: return place(w, field, "Record") + "->large";
      case Field::Style::bits_of_float: return "as_uint(*" + place(w, field, "float") + ")";
    }
    return "0u";
  }

  void stores(unsigned w) {
    if (in_loops_[w]) {
      const Type& type = writer_types_[w];
      line(write_slot_loop({"w" + number(w), type.name, plan_.slot_bytes / type.bytes, qualifier("global")}, random_));
    }
    for (const Field& field : fields_[w]) {
      if (chance(10)) continue;  // loaded at most
      std::string guard;
      if (chance(25)) guard = "if ((" + variable() + " & 3u) != " + number(pick(4)) + "u) ";
      if (plan_.known_local && chance(7)) guard = "if ((get_group_id(0) & 1u) == 0u) ";
      line(guard + store(w, field));
      if (chance(10)) line(store(w, field));  // and once more, over it
    }
  }
  std::string store(unsigned w, const Field& field) {
    switch (field.style) {
      case Field::Style::scalar: {
        const std::string stored = "(" + std::string(field.type.name) + ")(" + variable() + " ^ " + value() + ");";
        if (natural(w, field)) return indexed(w, field) + " = " + stored;
        return "*" + place(w, field, field.type.name) + " = " + stored;
      }
      case Field::Style::vector: return "*" + place(w, field, vector_type(field)) + " = " + vector_value(field) + ";";
      case Field::Style::vstore:
        return "vstore" + number(field.width) + "(" + vector_value(field) + ", 0, " + place(w, field, field.type.name) +
               ");";
      case Field::Style::record:
        return "{ " + qualifier("global") + " Record* record = " + place(w, field, "Record") +
               "; record->small = (uchar)(" + value() + "); " +
               (chance(50) ? "record->middle = (ushort)" + variable() + "; " : "") + "record->large = " + variable() +
               "; }";
      case Field::Style::bits_of_float: return "*" + place(w, field, "float") + " = as_float(" + value() + ");";
    }
    return ";";
  }
  std::string vector_value(const Field& field) {
    std::string text = "(" + vector_type(field) + ")(";
    for (unsigned i = 0; i < field.width; ++i)
      text += (i ? ", " : "") + ("(" + std::string(field.type.name) + ")" + variable());
    return text + ")";
  }

  const KernelPlan& plan_;
  bench::Random& random_;
  bool old_style_ = true;  // __kernel and not kernel
  unsigned helpers_ = 0;
  std::vector<std::vector<Field>> fields_;  // per writer
  std::vector<bool> in_loops_;              // per writer: its slots are filled in loops, and have no fields
  std::vector<Type> writer_types_, reader_types_;
  std::string text_;
};

}  // namespace

std::string write_kernel(const KernelPlan& plan, bench::Random& random) { return KernelWriter(plan, random).write(); }

}  // namespace differential
