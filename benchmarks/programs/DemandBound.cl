// One row of Algorithm 1 (analysis/dbf/intervals.h): a work-item per demand. A row holds the demands that its
// paths reach; entries are distances from a path's first trigger to its last, FAR where there is no path.
#define FAR (1 << 30)

// What a row needs to know of a predecessor: an entry for demand e of this row comes from table[base + e], if
// begin <= e < end, and costs `separation` more.
typedef struct {
  int base, begin, end, separation;
} Predecessor;

inline int least(__global const int* table, Predecessor from, int demand, int known) {
  if (demand < from.begin || demand >= from.end) return known;
  return min(known, table[from.base + demand] + from.separation);
}

// Its entry, and the shortest interval of all rows so far for the demand.
inline void finish(__global int* table, __global int* shortest, int start, int demand, int first, int part,
                   int deadline, int found) {
  found = min(found, FAR);
  table[start + (demand - first)] = found;
  shortest[part + demand] = min(shortest[part + demand], min(found + deadline, FAR));
}

// first, count: the demands that the row's paths reach; part: where in `shortest` those of its kind of walks
// begin; begins_at: the demand of a path that begins with the row, negative if none may.
__kernel void row_by_local(__global int* table, __global int* shortest,
                           __global const Predecessor* predecessors, int predecessor, int predecessor_count,
                           int start, int first, int count, int part, int begins_at, int deadline,
                           __local Predecessor* row) {
  for (int n = get_local_id(0); n < predecessor_count; n += get_local_size(0))
    row[n] = predecessors[predecessor + n];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int column = get_global_id(0);
  if (column >= count) return;
  const int demand = first + column;
  int found = demand == begins_at ? 0 : FAR;
  for (int n = 0; n < predecessor_count; ++n) found = least(table, row[n], demand, found);
  finish(table, shortest, start, demand, first, part, deadline, found);
}

// Without local memory.
__kernel void row_by_global(__global int* table, __global int* shortest,
                            __global const Predecessor* predecessors, int predecessor, int predecessor_count,
                            int start, int first, int count, int part, int begins_at, int deadline) {
  const int column = get_global_id(0);
  if (column >= count) return;
  const int demand = first + column;
  int found = demand == begins_at ? 0 : FAR;
  for (int n = 0; n < predecessor_count; ++n)
    found = least(table, predecessors[predecessor + n], demand, found);
  finish(table, shortest, start, demand, first, part, deadline, found);
}
