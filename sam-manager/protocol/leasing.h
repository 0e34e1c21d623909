// What a client does to a resource's word to get the resource and to give it back (words.h), one access after the
// other: each step() is one access at most, so that a test can put all that others do between any two of them.
#pragma once

#include <atomic>
#include <cstdint>

#include "sam-manager/protocol/words.h"

namespace samcl::protocol {

// The resource if it is idle.
inline bool take(std::atomic<Word>& word, uint32_t client) {
  Word idle = 0;
  return word.compare_exchange_strong(idle, client);
}

// Whether a request was granted: by the owner before, who wrote the word, or by the daemon, who told us
// (ClientPage::grants). Not granted: who waits sleeps until Words::grants is another than before the first step.
class LookForGrant {
 public:
  enum class Outcome : uint8_t { undecided, granted, not_granted };

  // sequence: the request's number, low 32 bits.
  LookForGrant(uint32_t client, uint32_t sequence) : client_(client), sequence_(sequence) {}

  Outcome step(std::atomic<Word>& word, const std::atomic<uint32_t>& granted) {
    switch (at_) {
      case At::word: {
        const Word now = word.load();
        at_ = owner_of(now) == client_ && (now & kHanded) != 0 ? At::handed : At::told;
        return Outcome::undecided;
      }
      case At::handed: word.fetch_and(~kHanded); return Outcome::granted;
      case At::told: break;
    }
    return granted.load() == sequence_ ? Outcome::granted : Outcome::not_granted;
  }

 private:
  enum class At : uint8_t { word, handed, told };

  uint32_t client_, sequence_;
  At at_ = At::word;
};

// To nobody, to who is next, or to the daemon where none is named.
class GiveBack {
 public:
  enum class Outcome : uint8_t {
    undecided,
    idle,    // nobody waits
    handed,  // next() has it, is to be woken (Words::wake_granted), and then the daemon told (MessageKind::handed)
    told,    // the word says that it is given back; the daemon is to be told, and decides (MessageKind::release)
    taken,   // it was taken from us, while we were stopped or because we held it for too long: not ours to give
  };

  explicit GiveBack(uint32_t client) : client_(client), seen_(client) {}

  Outcome step(std::atomic<Word>& word) {
    if (owner_of(seen_) != client_) return Outcome::taken;
    if (seen_ == client_) return replace(word, 0, Outcome::idle);
    if (next() == 0) return replace(word, seen_ | kGivenBack, Outcome::told);
    return replace(word, handed_over(seen_), Outcome::handed);
  }
  uint32_t next() const { return next_of(seen_); }

 private:
  Outcome replace(std::atomic<Word>& word, Word by, Outcome outcome) {
    return word.compare_exchange_strong(seen_, by) ? outcome : Outcome::undecided;
  }

  uint32_t client_;
  Word seen_;
};

}  // namespace samcl::protocol
