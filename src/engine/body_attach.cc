// ATTACH and DETACH.
#include "engine/compile.h"
#include "engine/connection.h"
#include "exec/expression.h"

namespace godwit {

namespace {

// The operand of ATTACH and DETACH: a name written plainly is that name.
class NameOperand {
 public:
  Status compile(const CompileInput& input, const ast::Expr& expr) {
    const auto* column = expr.try_as<ast::ColumnExpr>();
    if (column != nullptr && !column->table.present()) {
      plain_ = std::string(column->column.text);
      return Status();
    }
    CompileTools tools(input);
    Binder binder(tools.bind);
    GW_ASSIGN(BoundExpr* bound, binder.bind_limit(expr));
    GW_ASSIGN(expression_, compile_expression(*bound, Layout{}, input.context, nullptr));
    return Status();
  }
  Result<std::string> evaluate() {
    if (expression_ == nullptr) return std::string(plain_);
    ValueView value;
    GW_TRY(evaluate_scalar(expression_.get(), &value));
    return value.is_text() || value.is_blob() ? std::string(value.text()) : std::string();
  }

 private:
  std::string plain_;
  std::unique_ptr<Expression> expression_;
};

class AttachBody final : public ActionBody {
 public:
  explicit AttachBody(Connection* connection) : connection_(connection) {
    controls_transaction_ = true;
  }
  NameOperand file, name;
  bool detach = false;

 protected:
  Status run() override {
    GW_ASSIGN(std::string schema, name.evaluate());
    if (detach) return connection_->detach(schema);
    GW_ASSIGN(std::string path, file.evaluate());
    int64_t limit = connection_->limits.get(Limit::kAttached);
    if (static_cast<int64_t>(connection_->databases().size()) >= limit + 2) {
      return Status::error("too many attached databases - max " + std::to_string(limit));
    }
    if (connection_->find_database(schema) >= 0) {
      return Status::error("database " + schema + " is already in use");
    }
    Status status = connection_->attach(path, schema);
    if (!status.ok() && status.primary() == code::kCantOpen) {
      return Status(status.code(), "unable to open database: " + path);
    }
    return status;
  }

 private:
  Connection* connection_;
};

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_attach(const CompileInput& input) {
  auto body = std::make_unique<AttachBody>(input.connection);
  if (const auto* attach = input.parsed->statement->try_as<ast::AttachStatement>()) {
    GW_TRY(body->file.compile(input, *attach->file));
    GW_TRY(body->name.compile(input, *attach->schema));
  } else {
    body->detach = true;
    GW_TRY(body->name.compile(input, *input.parsed->statement->as<ast::DetachStatement>()->schema));
  }
  return std::unique_ptr<StatementBody>(std::move(body));
}

}  // namespace godwit
