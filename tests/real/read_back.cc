// Preloaded before libsamcl, or alone: writes down a checksum of all bytes that a program reads back from its device,
// so that two runs of a program that prints little can be compared to the last byte.
//
//   LD_PRELOAD=libread_back.so READ_BACK=bare.txt ./app
//   LD_PRELOAD=libread_back.so:libsamcl.so READ_BACK=split.txt ./app
//
// The file has a line for each read and each map that is not for writing alone, in the order of the calls: the
// function, how many bytes, their checksum. What does not block is looked at when the program can first know of its
// end: in the next call that waits or asks. With READ_BACK_ZEROS buffers begin as zeros: for programs that read bytes
// which nobody wrote. A program that asks dlsym for OpenCL's functions is not seen; then the file is
// missing.
#include <CL/cl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/host/checksum.h"
#include "tests/real/behind.h"

namespace {

// Bytes that a command brings to the program's memory, as rows and slices of rows.
struct Region {
  const std::byte* begin = nullptr;
  size_t row = 0, rows = 1, slices = 1;
  size_t row_pitch = 0, slice_pitch = 0;

  const std::byte* end() const { return begin + (slices - 1) * slice_pitch + (rows - 1) * row_pitch + row; }
  size_t bytes() const { return row * rows * slices; }
  uint64_t checksum() const {
    uint64_t sum = 0;
    for (size_t slice = 0; slice < slices; ++slice)
      for (size_t r = 0; r < rows; ++r) sum = bench::checksum({begin + slice * slice_pitch + r * row_pitch, row}, sum);
    return sum;
  }
};

struct Entry {
  const char* function;
  Region region;
  cl_event event = nullptr;  // not ended yet
  std::string outcome;       // empty: not known yet
};

// All that was read back, in the order of the calls. Never destroyed: programs read in handlers of their end, too.
class Record {
 public:
  static Record& only() {
    static Record* const record = new Record;
    return *record;
  }

  void add(const char* function, const Region& region, cl_event event, bool ended) {
    const std::lock_guard lock(mutex_);
    // What a later command writes over cannot be told apart any more.
    for (Entry& each : entries_)
      if (each.event && region.begin < each.region.end() && each.region.begin < region.end()) {
        each.outcome = "written over before its end was known";
        release(std::exchange(each.event, nullptr));
      }
    entries_.push_back({function, region, event, {}});
    if (!ended) return;
    look_at(entries_.back(), CL_COMPLETE);
  }

  // Looks at what has ended.
  void look() {
    const std::lock_guard lock(mutex_);
    NEXT(clGetEventInfo);
    for (Entry& each : entries_) {
      cl_int status = CL_QUEUED;
      if (each.event &&
          behind(each.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) == CL_SUCCESS &&
          status <= CL_COMPLETE)
        look_at(each, status);
    }
  }

  void write() {
    const char* const path = std::getenv("READ_BACK");
    const std::lock_guard lock(mutex_);
    std::FILE* const file = path && !entries_.empty() ? std::fopen(path, "w") : nullptr;
    if (!file) return;
    for (const Entry& each : entries_)
      std::fprintf(file, "%s %zu %s\n", each.function, each.region.bytes(),
                   each.outcome.empty() ? "not awaited" : each.outcome.c_str());
    std::fclose(file);
  }

 private:
  Record() {
    std::atexit([] { only().write(); });
  }

  static void release(cl_event event) {
    NEXT(clReleaseEvent);
    if (event) behind(event);
  }

  static void look_at(Entry& entry, cl_int status) {
    char sum[32];
    std::snprintf(sum, sizeof sum, "%016llx", static_cast<unsigned long long>(entry.region.checksum()));
    entry.outcome = status == CL_COMPLETE ? sum : "failed with " + std::to_string(status);
    release(std::exchange(entry.event, nullptr));
  }

  std::mutex mutex_;
  std::vector<Entry> entries_;
};

// Enters what a call that succeeded brings, with its event if it does not block; is_program_s: who holds that.
void enter(const char* function, const Region& region, bool blocks, const cl_event* event, bool is_program_s) {
  NEXT(clRetainEvent);
  if (!blocks && is_program_s) behind(*event);
  Record::only().add(function, region, blocks ? nullptr : *event, blocks);
  if (blocks) Record::only().look();
}

// Calls enqueue(event), and enters what it brings.
template <typename Enqueue>
cl_int recorded(const char* function, const Region& region, bool blocks, cl_event* wanted, Enqueue enqueue) {
  cl_event own = nullptr;
  cl_event* const event = wanted ? wanted : blocks ? nullptr : &own;
  const cl_int status = enqueue(event);
  if (status == CL_SUCCESS) enter(function, region, blocks, event, event == wanted);
  return status;
}

// The same for map(event, status), which brings region_at(what it returns).
template <typename Map, typename RegionAt>
void* mapped(const char* function, bool blocks, cl_map_flags flags, cl_event* wanted, cl_int* error, Map map,
             RegionAt region_at) {
  if (!(flags & CL_MAP_READ)) return map(wanted, error);
  cl_int status = CL_SUCCESS;
  cl_event own = nullptr;
  cl_event* const event = wanted ? wanted : blocks ? nullptr : &own;
  void* const at = map(event, &status);
  if (error) *error = status;
  if (status == CL_SUCCESS) enter(function, region_at(at), blocks, event, event == wanted);
  return at;
}

size_t image_info(cl_mem image, cl_image_info what) {
  NEXT(clGetImageInfo);
  size_t value = 0;
  behind(image, what, sizeof value, &value, nullptr);
  return value;
}

cl_mem_object_type type_of(cl_mem memory) {
  NEXT(clGetMemObjectInfo);
  cl_mem_object_type type = 0;
  behind(memory, CL_MEM_TYPE, sizeof type, &type, nullptr);
  return type;
}

Region image_region(cl_mem image, const void* begin, const size_t* region, size_t row_pitch, size_t slice_pitch) {
  const size_t row = region[0] * image_info(image, CL_IMAGE_ELEMENT_SIZE);
  if (!row_pitch) row_pitch = row;
  Region made{static_cast<const std::byte*>(begin),
              row,
              region[1],
              region[2],
              row_pitch,
              slice_pitch ? slice_pitch : row_pitch * region[1]};
  if (type_of(image) == CL_MEM_OBJECT_IMAGE1D_ARRAY)
    made = {made.begin, row, 1, region[1], row_pitch, slice_pitch ? slice_pitch : row_pitch};
  return made;
}

}  // namespace

extern "C" {

time_t time(time_t* now) noexcept {
  constexpr time_t kAlways = 1'700'000'000;
  if (now) *now = kAlways;
  return kAlways;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* from, cl_int* error) {
  NEXT(clCreateBuffer);
  if (from || flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) || !std::getenv("READ_BACK_ZEROS"))
    return behind(context, flags, size, from, error);
  const std::vector<std::byte> zeros(size);
  void* const begin = const_cast<std::byte*>(zeros.data());
  return behind(context, flags | CL_MEM_COPY_HOST_PTR, size, begin, error);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
                           void* to, cl_uint count, const cl_event* waits, cl_event* event) {
  NEXT(clEnqueueReadBuffer);
  return recorded("read", {static_cast<std::byte*>(to), size}, blocking, event, [&](cl_event* ours) {
    return behind(queue, buffer, blocking, offset, size, to, count, waits, ours);
  });
}

cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t* from,
                               const size_t* at, const size_t* region, size_t row_pitch, size_t slice_pitch,
                               size_t host_row_pitch, size_t host_slice_pitch, void* to, cl_uint count,
                               const cl_event* waits, cl_event* event) {
  NEXT(clEnqueueReadBufferRect);
  Region read;
  if (to && region && at) {
    const size_t row = host_row_pitch ? host_row_pitch : region[0],
                 slice = host_slice_pitch ? host_slice_pitch : row * region[1];
    read = {
        static_cast<std::byte*>(to) + at[2] * slice + at[1] * row + at[0], region[0], region[1], region[2], row, slice};
  }
  return recorded("read rectangle", read, blocking, event, [&](cl_event* ours) {
    return behind(queue, buffer, blocking, from, at, region, row_pitch, slice_pitch, host_row_pitch, host_slice_pitch,
                  to, count, waits, ours);
  });
}

cl_int clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* from,
                          const size_t* region, size_t row_pitch, size_t slice_pitch, void* to, cl_uint count,
                          const cl_event* waits, cl_event* event) {
  NEXT(clEnqueueReadImage);
  const Region read = region ? image_region(image, to, region, row_pitch, slice_pitch) : Region();
  return recorded("read image", read, blocking, event, [&](cl_event* ours) {
    return behind(queue, image, blocking, from, region, row_pitch, slice_pitch, to, count, waits, ours);
  });
}

void* clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
                         size_t size, cl_uint count, const cl_event* waits, cl_event* event, cl_int* error) {
  NEXT(clEnqueueMapBuffer);
  const auto map = [&](cl_event* ours, cl_int* status) {
    return behind(queue, buffer, blocking, flags, offset, size, count, waits, ours, status);
  };
  return mapped("map", blocking, flags, event, error, map,
                [&](const void* at) { return Region{static_cast<const std::byte*>(at), size}; });
}

void* clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags, const size_t* from,
                        const size_t* region, size_t* row_pitch, size_t* slice_pitch, cl_uint count,
                        const cl_event* waits, cl_event* event, cl_int* error) {
  NEXT(clEnqueueMapImage);
  const auto map = [&](cl_event* ours, cl_int* status) {
    return behind(queue, image, blocking, flags, from, region, row_pitch, slice_pitch, count, waits, ours, status);
  };
  return mapped("map image", blocking, flags, event, error, map, [&](const void* at) {
    return image_region(image, at, region, *row_pitch, slice_pitch ? *slice_pitch : 0);
  });
}

// Whoever returns from these, or is told of an event's status, may look at what was read.
cl_int clFinish(cl_command_queue queue) {
  NEXT(clFinish);
  const cl_int status = behind(queue);
  Record::only().look();
  return status;
}

cl_int clWaitForEvents(cl_uint count, const cl_event* events) {
  NEXT(clWaitForEvents);
  const cl_int status = behind(count, events);
  Record::only().look();
  return status;
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void* value, size_t* size_ret) {
  NEXT(clGetEventInfo);
  const cl_int status = behind(event, what, size, value, size_ret);
  Record::only().look();
  return status;
}

}  // extern "C"
