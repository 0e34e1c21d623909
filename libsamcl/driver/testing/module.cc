// A library that driver_test loads and unloads: a plugin of a program, or, with DRIVER, what looks like a driver.
extern "C" {

__attribute__((visibility("default"))) int inside() { return 1; }

#ifdef DRIVER
__attribute__((visibility("default"))) void* clGetExtensionFunctionAddress(const char*) { return nullptr; }
#endif

}  // extern "C"
