// Headers that the folder of the process and one of the -I options both have. Drivers look for them in an order of
// their own (PoCL in the process's folder first, where nobody asked it to look), and so may read another one than is
// read here. Where both are the same, it does not matter which.
#pragma once

#include <string>
#include <vector>

namespace clang {
class Preprocessor;
}

namespace samcl::translator {

// Has each header of that kind that is included next be an error, unless they are the same. options: in Clang's
// spelling.
void refuse_headers_of_two_places(clang::Preprocessor& preprocessor, const std::vector<std::string>& options);

}  // namespace samcl::translator
