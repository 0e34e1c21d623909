// What sam-translate under the address sanitizer needs: only our own objects are built with it. LLVM's headers mark the
// memory of its allocators as not to be touched until it is given out; LLVM's own objects, built without the sanitizer,
// give it out unmarked.
extern "C" const char* __asan_default_options() { return "allow_user_poisoning=0"; }
