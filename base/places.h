// Where the bytes of a memory object can be.
#pragma once

#include <bit>
#include <bitset>
#include <cstdint>

namespace samcl {

// A place that can hold a buffer's bytes: devices are 0, 1, ...; then the host copy, and "zeros", which is
// nowhere and can be made anywhere by a fill.
using Place = unsigned;
constexpr Place kMaxDevices = 30;
constexpr Place kHost = 30;
constexpr Place kZeros = 31;

// A set of places, one bit each.
using Places = uint32_t;
constexpr Places only(Place place) { return Places{1} << place; }
constexpr bool contains(Places places, Place place) { return (places >> place) & 1; }
// The set of devices 0 .. count-1.
constexpr Places first_devices(unsigned count) { return (Places{1} << count) - 1; }
constexpr Places kAnyDevice = first_devices(kMaxDevices);

inline unsigned lowest(Places places) { return static_cast<unsigned>(std::countr_zero(places)); }

// Calls visit(place) for each, from the lowest on.
template <typename Visit>
void for_each_place(Places places, Visit visit) {
  for (; places != 0; places &= places - 1) visit(lowest(places));
}

// The same for machines that are only imagined, of more devices than a mask has bits: those that a mask has no place
// for come after "zeros".
constexpr unsigned kMostImagined = 1024;
class ManyPlaces {
 public:
  ManyPlaces() = default;
  explicit ManyPlaces(Place place) { bits_.set(place); }
  static constexpr Place of_device(unsigned device) { return device < kMaxDevices ? device : device + 2; }

  ManyPlaces& operator|=(const ManyPlaces& other) {
    bits_ |= other.bits_;
    return *this;
  }
  ManyPlaces& operator-=(Place place) {
    bits_.reset(place);
    return *this;
  }
  bool none() const { return bits_.none(); }
  bool operator==(const ManyPlaces&) const = default;
  friend bool contains(const ManyPlaces& places, Place place) { return places.bits_[place]; }

 private:
  std::bitset<kMostImagined + 2> bits_;
};

}  // namespace samcl
