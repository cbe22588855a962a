// The table of functions that extensions get: sqlite3_api_routines, in SQLite's order.
//
// Functions are referred to by weak symbols, so that one that the library does not have is null and has
// a stand-in of its type, which fails.
#include "api/api_routines.h"

#include <type_traits>

namespace godwit::api {

namespace {

// What a function that does not exist does.
template <typename Function>
struct StandIn;

template <typename R, typename... Args>
struct StandIn<R (*)(Args...)> {
  static R call(Args...) {
    if constexpr (std::is_same_v<R, int>) return SQLITE_ERROR;
    if constexpr (!std::is_void_v<R>) return R();
  }
};

template <typename R, typename... Args>
struct StandIn<R (*)(Args..., ...)> {
  static R call(Args..., ...) {
    if constexpr (std::is_same_v<R, int>) return SQLITE_ERROR;
    if constexpr (!std::is_void_v<R>) return R();
  }
};

using AnyFunction = void (*)();

template <typename Function>
void set(Function* entry, AnyFunction function) {
  *entry = function != nullptr ? reinterpret_cast<Function>(function) : StandIn<Function>::call;
}

}  // namespace

#define GODWIT_ROUTINES(X) \
  X(aggregate_context, sqlite3_aggregate_context) \
  X(aggregate_count, sqlite3_aggregate_count) \
  X(bind_blob, sqlite3_bind_blob) \
  X(bind_double, sqlite3_bind_double) \
  X(bind_int, sqlite3_bind_int) \
  X(bind_int64, sqlite3_bind_int64) \
  X(bind_null, sqlite3_bind_null) \
  X(bind_parameter_count, sqlite3_bind_parameter_count) \
  X(bind_parameter_index, sqlite3_bind_parameter_index) \
  X(bind_parameter_name, sqlite3_bind_parameter_name) \
  X(bind_text, sqlite3_bind_text) \
  X(bind_text16, sqlite3_bind_text16) \
  X(bind_value, sqlite3_bind_value) \
  X(busy_handler, sqlite3_busy_handler) \
  X(busy_timeout, sqlite3_busy_timeout) \
  X(changes, sqlite3_changes) \
  X(close, sqlite3_close) \
  X(collation_needed, sqlite3_collation_needed) \
  X(collation_needed16, sqlite3_collation_needed16) \
  X(column_blob, sqlite3_column_blob) \
  X(column_bytes, sqlite3_column_bytes) \
  X(column_bytes16, sqlite3_column_bytes16) \
  X(column_count, sqlite3_column_count) \
  X(column_database_name, sqlite3_column_database_name) \
  X(column_database_name16, sqlite3_column_database_name16) \
  X(column_decltype, sqlite3_column_decltype) \
  X(column_decltype16, sqlite3_column_decltype16) \
  X(column_double, sqlite3_column_double) \
  X(column_int, sqlite3_column_int) \
  X(column_int64, sqlite3_column_int64) \
  X(column_name, sqlite3_column_name) \
  X(column_name16, sqlite3_column_name16) \
  X(column_origin_name, sqlite3_column_origin_name) \
  X(column_origin_name16, sqlite3_column_origin_name16) \
  X(column_table_name, sqlite3_column_table_name) \
  X(column_table_name16, sqlite3_column_table_name16) \
  X(column_text, sqlite3_column_text) \
  X(column_text16, sqlite3_column_text16) \
  X(column_type, sqlite3_column_type) \
  X(column_value, sqlite3_column_value) \
  X(commit_hook, sqlite3_commit_hook) \
  X(complete, sqlite3_complete) \
  X(complete16, sqlite3_complete16) \
  X(create_collation, sqlite3_create_collation) \
  X(create_collation16, sqlite3_create_collation16) \
  X(create_function, sqlite3_create_function) \
  X(create_function16, sqlite3_create_function16) \
  X(create_module, sqlite3_create_module) \
  X(data_count, sqlite3_data_count) \
  X(db_handle, sqlite3_db_handle) \
  X(declare_vtab, sqlite3_declare_vtab) \
  X(enable_shared_cache, sqlite3_enable_shared_cache) \
  X(errcode, sqlite3_errcode) \
  X(errmsg, sqlite3_errmsg) \
  X(errmsg16, sqlite3_errmsg16) \
  X(exec, sqlite3_exec) \
  X(expired, sqlite3_expired) \
  X(finalize, sqlite3_finalize) \
  X(free, sqlite3_free) \
  X(free_table, sqlite3_free_table) \
  X(get_autocommit, sqlite3_get_autocommit) \
  X(get_auxdata, sqlite3_get_auxdata) \
  X(get_table, sqlite3_get_table) \
  X(global_recover, sqlite3_global_recover) \
  X(interruptx, sqlite3_interrupt) \
  X(last_insert_rowid, sqlite3_last_insert_rowid) \
  X(libversion, sqlite3_libversion) \
  X(libversion_number, sqlite3_libversion_number) \
  X(malloc, sqlite3_malloc) \
  X(mprintf, sqlite3_mprintf) \
  X(open, sqlite3_open) \
  X(open16, sqlite3_open16) \
  X(prepare, sqlite3_prepare) \
  X(prepare16, sqlite3_prepare16) \
  X(profile, sqlite3_profile) \
  X(progress_handler, sqlite3_progress_handler) \
  X(realloc, sqlite3_realloc) \
  X(reset, sqlite3_reset) \
  X(result_blob, sqlite3_result_blob) \
  X(result_double, sqlite3_result_double) \
  X(result_error, sqlite3_result_error) \
  X(result_error16, sqlite3_result_error16) \
  X(result_int, sqlite3_result_int) \
  X(result_int64, sqlite3_result_int64) \
  X(result_null, sqlite3_result_null) \
  X(result_text, sqlite3_result_text) \
  X(result_text16, sqlite3_result_text16) \
  X(result_text16be, sqlite3_result_text16be) \
  X(result_text16le, sqlite3_result_text16le) \
  X(result_value, sqlite3_result_value) \
  X(rollback_hook, sqlite3_rollback_hook) \
  X(set_authorizer, sqlite3_set_authorizer) \
  X(set_auxdata, sqlite3_set_auxdata) \
  X(xsnprintf, sqlite3_snprintf) \
  X(step, sqlite3_step) \
  X(table_column_metadata, sqlite3_table_column_metadata) \
  X(thread_cleanup, sqlite3_thread_cleanup) \
  X(total_changes, sqlite3_total_changes) \
  X(trace, sqlite3_trace) \
  X(transfer_bindings, sqlite3_transfer_bindings) \
  X(update_hook, sqlite3_update_hook) \
  X(user_data, sqlite3_user_data) \
  X(value_blob, sqlite3_value_blob) \
  X(value_bytes, sqlite3_value_bytes) \
  X(value_bytes16, sqlite3_value_bytes16) \
  X(value_double, sqlite3_value_double) \
  X(value_int, sqlite3_value_int) \
  X(value_int64, sqlite3_value_int64) \
  X(value_numeric_type, sqlite3_value_numeric_type) \
  X(value_text, sqlite3_value_text) \
  X(value_text16, sqlite3_value_text16) \
  X(value_text16be, sqlite3_value_text16be) \
  X(value_text16le, sqlite3_value_text16le) \
  X(value_type, sqlite3_value_type) \
  X(vmprintf, sqlite3_vmprintf) \
  X(overload_function, sqlite3_overload_function) \
  X(prepare_v2, sqlite3_prepare_v2) \
  X(prepare16_v2, sqlite3_prepare16_v2) \
  X(clear_bindings, sqlite3_clear_bindings) \
  X(create_module_v2, sqlite3_create_module_v2) \
  X(bind_zeroblob, sqlite3_bind_zeroblob) \
  X(blob_bytes, sqlite3_blob_bytes) \
  X(blob_close, sqlite3_blob_close) \
  X(blob_open, sqlite3_blob_open) \
  X(blob_read, sqlite3_blob_read) \
  X(blob_write, sqlite3_blob_write) \
  X(create_collation_v2, sqlite3_create_collation_v2) \
  X(file_control, sqlite3_file_control) \
  X(memory_highwater, sqlite3_memory_highwater) \
  X(memory_used, sqlite3_memory_used) \
  X(mutex_alloc, sqlite3_mutex_alloc) \
  X(mutex_enter, sqlite3_mutex_enter) \
  X(mutex_free, sqlite3_mutex_free) \
  X(mutex_leave, sqlite3_mutex_leave) \
  X(mutex_try, sqlite3_mutex_try) \
  X(open_v2, sqlite3_open_v2) \
  X(release_memory, sqlite3_release_memory) \
  X(result_error_nomem, sqlite3_result_error_nomem) \
  X(result_error_toobig, sqlite3_result_error_toobig) \
  X(sleep, sqlite3_sleep) \
  X(soft_heap_limit, sqlite3_soft_heap_limit) \
  X(vfs_find, sqlite3_vfs_find) \
  X(vfs_register, sqlite3_vfs_register) \
  X(vfs_unregister, sqlite3_vfs_unregister) \
  X(xthreadsafe, sqlite3_threadsafe) \
  X(result_zeroblob, sqlite3_result_zeroblob) \
  X(result_error_code, sqlite3_result_error_code) \
  X(test_control, sqlite3_test_control) \
  X(randomness, sqlite3_randomness) \
  X(context_db_handle, sqlite3_context_db_handle) \
  X(extended_result_codes, sqlite3_extended_result_codes) \
  X(limit, sqlite3_limit) \
  X(next_stmt, sqlite3_next_stmt) \
  X(sql, sqlite3_sql) \
  X(status, sqlite3_status) \
  X(backup_finish, sqlite3_backup_finish) \
  X(backup_init, sqlite3_backup_init) \
  X(backup_pagecount, sqlite3_backup_pagecount) \
  X(backup_remaining, sqlite3_backup_remaining) \
  X(backup_step, sqlite3_backup_step) \
  X(compileoption_get, sqlite3_compileoption_get) \
  X(compileoption_used, sqlite3_compileoption_used) \
  X(create_function_v2, sqlite3_create_function_v2) \
  X(db_config, sqlite3_db_config) \
  X(db_mutex, sqlite3_db_mutex) \
  X(db_status, sqlite3_db_status) \
  X(extended_errcode, sqlite3_extended_errcode) \
  X(log, sqlite3_log) \
  X(soft_heap_limit64, sqlite3_soft_heap_limit64) \
  X(sourceid, sqlite3_sourceid) \
  X(stmt_status, sqlite3_stmt_status) \
  X(strnicmp, sqlite3_strnicmp) \
  X(unlock_notify, sqlite3_unlock_notify) \
  X(wal_autocheckpoint, sqlite3_wal_autocheckpoint) \
  X(wal_checkpoint, sqlite3_wal_checkpoint) \
  X(wal_hook, sqlite3_wal_hook) \
  X(blob_reopen, sqlite3_blob_reopen) \
  X(vtab_config, sqlite3_vtab_config) \
  X(vtab_on_conflict, sqlite3_vtab_on_conflict) \
  X(close_v2, sqlite3_close_v2) \
  X(db_filename, sqlite3_db_filename) \
  X(db_readonly, sqlite3_db_readonly) \
  X(db_release_memory, sqlite3_db_release_memory) \
  X(errstr, sqlite3_errstr) \
  X(stmt_busy, sqlite3_stmt_busy) \
  X(stmt_readonly, sqlite3_stmt_readonly) \
  X(stricmp, sqlite3_stricmp) \
  X(uri_boolean, sqlite3_uri_boolean) \
  X(uri_int64, sqlite3_uri_int64) \
  X(uri_parameter, sqlite3_uri_parameter) \
  X(xvsnprintf, sqlite3_vsnprintf) \
  X(wal_checkpoint_v2, sqlite3_wal_checkpoint_v2) \
  X(auto_extension, sqlite3_auto_extension) \
  X(bind_blob64, sqlite3_bind_blob64) \
  X(bind_text64, sqlite3_bind_text64) \
  X(cancel_auto_extension, sqlite3_cancel_auto_extension) \
  X(load_extension, sqlite3_load_extension) \
  X(malloc64, sqlite3_malloc64) \
  X(msize, sqlite3_msize) \
  X(realloc64, sqlite3_realloc64) \
  X(reset_auto_extension, sqlite3_reset_auto_extension) \
  X(result_blob64, sqlite3_result_blob64) \
  X(result_text64, sqlite3_result_text64) \
  X(strglob, sqlite3_strglob) \
  X(value_dup, sqlite3_value_dup) \
  X(value_free, sqlite3_value_free) \
  X(result_zeroblob64, sqlite3_result_zeroblob64) \
  X(bind_zeroblob64, sqlite3_bind_zeroblob64) \
  X(value_subtype, sqlite3_value_subtype) \
  X(result_subtype, sqlite3_result_subtype) \
  X(status64, sqlite3_status64) \
  X(strlike, sqlite3_strlike) \
  X(db_cacheflush, sqlite3_db_cacheflush) \
  X(system_errno, sqlite3_system_errno) \
  X(trace_v2, sqlite3_trace_v2) \
  X(expanded_sql, sqlite3_expanded_sql) \
  X(set_last_insert_rowid, sqlite3_set_last_insert_rowid) \
  X(prepare_v3, sqlite3_prepare_v3) \
  X(prepare16_v3, sqlite3_prepare16_v3) \
  X(bind_pointer, sqlite3_bind_pointer) \
  X(result_pointer, sqlite3_result_pointer) \
  X(value_pointer, sqlite3_value_pointer) \
  X(vtab_nochange, sqlite3_vtab_nochange) \
  X(value_nochange, sqlite3_value_nochange) \
  X(vtab_collation, sqlite3_vtab_collation) \
  X(keyword_count, sqlite3_keyword_count) \
  X(keyword_name, sqlite3_keyword_name) \
  X(keyword_check, sqlite3_keyword_check) \
  X(str_new, sqlite3_str_new) \
  X(str_finish, sqlite3_str_finish) \
  X(str_appendf, sqlite3_str_appendf) \
  X(str_vappendf, sqlite3_str_vappendf) \
  X(str_append, sqlite3_str_append) \
  X(str_appendall, sqlite3_str_appendall) \
  X(str_appendchar, sqlite3_str_appendchar) \
  X(str_reset, sqlite3_str_reset) \
  X(str_errcode, sqlite3_str_errcode) \
  X(str_length, sqlite3_str_length) \
  X(str_value, sqlite3_str_value) \
  X(create_window_function, sqlite3_create_window_function) \
  X(normalized_sql, sqlite3_normalized_sql) \
  X(stmt_isexplain, sqlite3_stmt_isexplain) \
  X(value_frombind, sqlite3_value_frombind) \
  X(drop_modules, sqlite3_drop_modules) \
  X(hard_heap_limit64, sqlite3_hard_heap_limit64) \
  X(uri_key, sqlite3_uri_key) \
  X(filename_database, sqlite3_filename_database) \
  X(filename_journal, sqlite3_filename_journal) \
  X(filename_wal, sqlite3_filename_wal) \
  X(create_filename, sqlite3_create_filename) \
  X(free_filename, sqlite3_free_filename) \
  X(database_file_object, sqlite3_database_file_object) \
  X(txn_state, sqlite3_txn_state) \
  X(changes64, sqlite3_changes64) \
  X(total_changes64, sqlite3_total_changes64) \
  X(autovacuum_pages, sqlite3_autovacuum_pages) \
  X(error_offset, sqlite3_error_offset) \
  X(vtab_rhs_value, sqlite3_vtab_rhs_value) \
  X(vtab_distinct, sqlite3_vtab_distinct) \
  X(vtab_in, sqlite3_vtab_in) \
  X(vtab_in_first, sqlite3_vtab_in_first) \
  X(vtab_in_next, sqlite3_vtab_in_next) \
  X(deserialize, sqlite3_deserialize) \
  X(serialize, sqlite3_serialize) \
  X(db_name, sqlite3_db_name) \
  X(value_encoding, sqlite3_value_encoding) \
  X(is_interrupted, sqlite3_is_interrupted) \
  X(stmt_explain, sqlite3_stmt_explain) \
  X(get_clientdata, sqlite3_get_clientdata) \
  X(set_clientdata, sqlite3_set_clientdata) \
  X(setlk_timeout, sqlite3_setlk_timeout) \
  X(set_errmsg, sqlite3_set_errmsg) \
  X(db_status64, sqlite3_db_status64) \
  X(str_truncate, sqlite3_str_truncate) \
  X(str_free, sqlite3_str_free) \
  X(carray_bind, sqlite3_carray_bind) \
  X(carray_bind_v2, sqlite3_carray_bind_v2)

// Under names of their own, so that their types are none of this file's business.
#define GODWIT_DECLARE(entry, function)                                   \
  extern "C" void routine_##entry() __asm__(#function)                    \
      __attribute__((weak, visibility("default")));
GODWIT_ROUTINES(GODWIT_DECLARE)
#undef GODWIT_DECLARE

const sqlite3_api_routines* api_routines() {
  static const sqlite3_api_routines routines = [] {
    sqlite3_api_routines r;
#define GODWIT_SET(entry, function) set(&r.entry, routine_##entry);
    GODWIT_ROUTINES(GODWIT_SET)
#undef GODWIT_SET
    return r;
  }();
  return &routines;
}

}  // namespace godwit::api
