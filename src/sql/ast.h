// The syntax tree: plain structs in an Arena, told apart by a kind, shaped like the grammar of
// SQLite 3.53. The parser (sql/parser.h) builds it, the binder and the catalog read it, the printer
// (sql/printer.h) turns it back into SQL.
#pragma once

#include "sql/ast_expr.h"
#include "sql/ast_select.h"
#include "sql/ast_statement.h"
