#include "modules/rtree_geometry.h"

#include <new>

namespace godwit::modules {

namespace {

constexpr const char* kPointerType = "RtreeMatchArg";

void make_arguments(sqlite3_context* context, int count, sqlite3_value** values) {
  auto* made = new (std::nothrow) GeometryArguments;
  if (made == nullptr) return sqlite3_result_error_nomem(context);
  made->function = static_cast<const GeometryFunction*>(sqlite3_user_data(context));
  for (int i = 0; i < count; ++i) {
    made->numbers.push_back(sqlite3_value_double(values[i]));
    made->values.push_back(sqlite3_value_dup(values[i]));
  }
  sqlite3_result_pointer(context, made, kPointerType,
                         [](void* pointer) { delete static_cast<GeometryArguments*>(pointer); });
}

void destroy_function(void* pointer) {
  auto* function = static_cast<GeometryFunction*>(pointer);
  if (function->destroy != nullptr) function->destroy(function->context);
  delete function;
}

int add_function(sqlite3* db, const char* name, const GeometryFunction& function) {
  auto* kept = new (std::nothrow) GeometryFunction(function);
  if (kept == nullptr) return SQLITE_NOMEM;
  return sqlite3_create_function_v2(db, name, -1, SQLITE_ANY, kept, make_arguments, nullptr, nullptr,
                                    destroy_function);
}

}  // namespace

GeometryArguments::GeometryArguments(const GeometryArguments& other)
    : function(other.function), numbers(other.numbers) {
  for (sqlite3_value* value : other.values) values.push_back(sqlite3_value_dup(value));
}

GeometryArguments::~GeometryArguments() {
  for (sqlite3_value* value : values) sqlite3_value_free(value);
}

const GeometryArguments* geometry_of(sqlite3_value* value) {
  return static_cast<const GeometryArguments*>(sqlite3_value_pointer(value, kPointerType));
}

GeometryCall::GeometryCall(const GeometryArguments& given) : arguments(given) {
  info.pContext = arguments.function->context;
  info.nParam = static_cast<int>(arguments.numbers.size());
  info.aParam = arguments.numbers.data();
  info.apSqlParam = arguments.values.data();
}

GeometryCall::~GeometryCall() {
  if (info.xDelUser != nullptr) info.xDelUser(info.pUser);
}

}  // namespace godwit::modules

using namespace godwit::modules;

int sqlite3_rtree_geometry_callback(sqlite3* db, const char* name,
                                    int (*geometry)(sqlite3_rtree_geometry*, int,
                                                    sqlite3_rtree_dbl*, int*),
                                    void* context) {
  GeometryFunction function;
  function.geometry = geometry;
  function.context = context;
  return add_function(db, name, function);
}

int sqlite3_rtree_query_callback(sqlite3* db, const char* name,
                                 int (*query)(sqlite3_rtree_query_info*), void* context,
                                 void (*destroy)(void*)) {
  GeometryFunction function;
  function.query = query;
  function.context = context;
  function.destroy = destroy;
  return add_function(db, name, function);
}
