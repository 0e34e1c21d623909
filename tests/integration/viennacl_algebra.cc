// Linear algebra by ViennaCL's OpenCL kernels, which it writes for the device at run time: vectors, dense and
// sparse matrices, direct and iterative solvers. Prints a hash of each result's bytes.

#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <vector>

#define VIENNACL_WITH_OPENCL
#include <viennacl/compressed_matrix.hpp>
#include <viennacl/linalg/bicgstab.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/direct_solve.hpp>
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/lu.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/norm_inf.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/vector.hpp>

namespace {

namespace linalg = viennacl::linalg;
using Vector = viennacl::vector<float>;
using Matrix = viennacl::matrix<float>;
using Rows = std::vector<std::vector<float>>;

void show(const char* name, const std::vector<float>& values) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  for (std::size_t i = 0; i < values.size() * sizeof(float); ++i) hash = (hash ^ bytes[i]) * 1099511628211u;
  std::printf("%-20s %016lx, in the middle %.9g\n", name, hash, values[values.size() / 2]);
}

void show(const char* name, const Vector& vector) {
  std::vector<float> values(vector.size());
  viennacl::copy(vector, values);
  show(name, values);
}

void show(const char* name, const Matrix& matrix) {
  Rows rows(matrix.size1(), std::vector<float>(matrix.size2()));
  viennacl::copy(matrix, rows);
  std::vector<float> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  show(name, values);
}

std::mt19937 numbers(7);

float random_number() { return std::uniform_real_distribution<float>(0, 1)(numbers); }

Vector random_vector(std::size_t size) {
  std::vector<float> values(size);
  for (float& value : values) value = random_number();
  Vector vector(size);
  viennacl::copy(values, vector);
  return vector;
}

Matrix random_dominant_matrix(std::size_t size) {
  Rows rows(size, std::vector<float>(size));
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) rows[i][j] = random_number() + (i == j ? 40.0f : 0.0f);
  Matrix matrix(size, size);
  viennacl::copy(rows, matrix);
  return matrix;
}

// The five-point stencil on a grid of the given width, made definite.
viennacl::compressed_matrix<float> stencil(std::size_t size, std::size_t width) {
  std::vector<std::map<unsigned, float>> rows(size);
  for (std::size_t i = 0; i < size; ++i) {
    rows[i][static_cast<unsigned>(i)] = 6;
    for (std::size_t step : {std::size_t{1}, width}) {
      if (i >= step) rows[i][static_cast<unsigned>(i - step)] = -1;
      if (i + step < size) rows[i][static_cast<unsigned>(i + step)] = -1;
    }
  }
  viennacl::compressed_matrix<float> matrix(size, size);
  viennacl::copy(rows, matrix);
  return matrix;
}

void vectors() {
  Vector x = random_vector(100003), y = random_vector(100003), z(100003);
  show("axpy", z = x + 2.0f * y);
  show("element product", z = linalg::element_prod(x, y));
  const float inner = linalg::inner_prod(x, y), euclidean = linalg::norm_2(x), largest = linalg::norm_inf(x);
  show("reductions", std::vector<float>{inner, euclidean, largest});
  linalg::plane_rotation(x, y, 0.6f, 0.8f);
  show("plane rotation", x);
}

void dense() {
  const Matrix a = random_dominant_matrix(131), b = random_dominant_matrix(131);
  const Vector v = random_vector(131);
  Matrix c(131, 131);
  Vector w(131);
  show("product", c = linalg::prod(a, b));
  show("transposed product", c = linalg::prod(trans(a), b));
  show("matrix by vector", w = linalg::prod(a, v));
  show("outer product", c = linalg::outer_prod(v, w));
  show("triangular solve", w = linalg::solve(a, v, linalg::upper_tag()));
  linalg::lu_factorize(c = a);
  linalg::lu_substitute(c, w = v);
  show("LU", w);
}

void sparse() {
  const auto a = stencil(10007, 100);
  const Vector b = random_vector(10007);
  Vector x(10007);
  show("sparse product", x = linalg::prod(a, b));
  show("conjugate gradients", x = linalg::solve(a, b, linalg::cg_tag(1e-5, 20)));
  show("BiCGStab", x = linalg::solve(a, b, linalg::bicgstab_tag(1e-5, 20)));
}

}  // namespace

int main() {
  vectors();
  dense();
  sparse();
}
