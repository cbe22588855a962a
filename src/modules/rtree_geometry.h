// Geometry functions of applications: `column MATCH circle(45, 3, 5)`. The function's value is a
// pointer to its name's registration and the arguments; the cursor asks the application with them about
// boxes.
#pragma once

#include <memory>
#include <vector>

#include "sqlite3.h"

namespace godwit::modules {

struct GeometryFunction {
  int (*geometry)(sqlite3_rtree_geometry*, int, sqlite3_rtree_dbl*, int*) = nullptr;
  int (*query)(sqlite3_rtree_query_info*) = nullptr;
  void* context = nullptr;
  void (*destroy)(void*) = nullptr;
};

struct GeometryArguments {
  const GeometryFunction* function = nullptr;
  std::vector<double> numbers;
  std::vector<sqlite3_value*> values;

  GeometryArguments() = default;
  GeometryArguments(const GeometryArguments& other);
  GeometryArguments& operator=(const GeometryArguments&) = delete;
  ~GeometryArguments();
};

// Null: the value is none of a geometry function.
const GeometryArguments* geometry_of(sqlite3_value* value);

// A geometry function in use by a cursor, with what the application keeps for it.
struct GeometryCall {
  explicit GeometryCall(const GeometryArguments& given);
  GeometryCall(const GeometryCall&) = delete;
  ~GeometryCall();

  GeometryArguments arguments;
  sqlite3_rtree_query_info info = {};
};

}  // namespace godwit::modules
