// BEGIN, COMMIT, ROLLBACK, SAVEPOINT and RELEASE as statements.
#include "engine/compile.h"
#include "engine/connection.h"

namespace godwit {

namespace {

class TransactionBody final : public ActionBody {
 public:
  TransactionBody(Connection* connection, const ast::Statement& statement)
      : connection_(connection), statement_(statement) {
    controls_transaction_ = true;
  }

 protected:
  Status run() override {
    using Kind = ast::StatementKind;
    switch (statement_.kind) {
      case Kind::kBegin:
        return connection_->begin(statement_.as<ast::BeginStatement>()->mode);
      case Kind::kCommit:
        return connection_->commit();
      case Kind::kRollback: {
        const ast::Name& savepoint = statement_.as<ast::RollbackStatement>()->savepoint;
        return savepoint.present() ? connection_->rollback_to(savepoint.text)
                                   : connection_->rollback();
      }
      case Kind::kSavepoint:
        return connection_->savepoint(statement_.as<ast::SavepointStatement>()->name.text);
      default:
        return connection_->release(statement_.as<ast::ReleaseStatement>()->name.text);
    }
  }

 private:
  Connection* connection_;
  const ast::Statement& statement_;
};

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_transaction(const CompileInput& input) {
  return std::unique_ptr<StatementBody>(
      std::make_unique<TransactionBody>(input.connection, *input.parsed->statement));
}

}  // namespace godwit
