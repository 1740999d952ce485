package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.chaos.load.Ways.Call;
import dev.rowlock.queue.chaos.load.Ways.Side;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A moment of a transaction in which people enqueue, and what an answer then means once all is over. */
public enum Way {
    /** As a listener of the phase BEFORE_COMMIT: part of the transaction. */
    BEFORE_COMMIT {
        @Override
        Fate go(Call call, Side side, TransactionTemplate foreign) {
            return side.transactions()
                    .execute(status -> register(new TransactionSynchronization() {
                        @Override
                        public void beforeCommit(boolean readOnly) {
                            call.enqueue();
                        }
                    }));
        }
    },
    /** There is nothing left to wait for: the answer itself is the promise. */
    AFTER_COMMIT {
        @Override
        Fate go(Call call, Side side, TransactionTemplate foreign) {
            return side.transactions()
                    .execute(status -> register(new TransactionSynchronization() {
                        @Override
                        public void afterCommit() {
                            call.enqueue();
                        }
                    }));
        }
    },
    /** As each transactional event listener that says nothing of its phase. */
    AFTER_COMPLETION {
        @Override
        Fate go(Call call, Side side, TransactionTemplate foreign) {
            return side.transactions().execute(status -> {
                side.sql().sql("SELECT 1").query().singleValue();
                return register(afterCompletion(call));
            });
        }
    },
    /** As a listener of the phase AFTER_ROLLBACK: what is rolled back is the transaction before. */
    AFTER_ROLLBACK {
        @Override
        Fate go(Call call, Side side, TransactionTemplate foreign) {
            return side.transactions().execute(status -> {
                status.setRollbackOnly();
                return register(afterCompletion(call));
            });
        }
    },
    /** Commits with the inner transaction, whatever becomes of the outer. */
    REQUIRES_NEW {
        @Override
        Fate go(Call call, Side side, TransactionTemplate foreign) {
            return side.transactions().execute(status -> {
                within(side, TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                        .executeWithoutResult(inner -> call.enqueue());
                status.setRollbackOnly();
                return Fate.COMMITTED;
            });
        }
    },
    NESTED {
        @Override
        Fate go(Call call, Side side, TransactionTemplate foreign) {
            return side.transactions().execute(status -> {
                within(side, TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(inner -> call.enqueue());
                return Fate.COMMITTED;
            });
        }
    },
    NESTED_UNDONE {
        @Override
        Fate go(Call call, Side side, TransactionTemplate foreign) {
            return side.transactions().execute(status -> {
                within(side, TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(inner -> {
                    call.enqueue();
                    inner.setRollbackOnly();
                });
                return Fate.ROLLED_BACK;
            });
        }
    },
    /** As a trigger does, or a program in another language: by the function for SQL. */
    SQL_FUNCTION {
        @Override
        Fate go(Call call, Side side, TransactionTemplate foreign) {
            return side.transactions().execute(status -> {
                call.enqueueByFunction();
                return Fate.COMMITTED;
            });
        }
    },
    SQL_FUNCTION_UNDONE {
        @Override
        Fate go(Call call, Side side, TransactionTemplate foreign) {
            return side.transactions().execute(status -> {
                call.enqueueByFunction();
                status.setRollbackOnly();
                return Fate.ROLLED_BACK;
            });
        }
    },
    /** Who enqueues in the transaction of another database believes that both commit together: it must be refused. */
    FOREIGN_COMMITTED {
        @Override
        Fate go(Call call, Side side, TransactionTemplate foreign) {
            return foreign.execute(status -> {
                side.sql().sql("SELECT 1").query().singleValue();
                call.enqueue();
                return Fate.COMMITTED;
            });
        }
    },
    FOREIGN_ROLLED_BACK {
        @Override
        Fate go(Call call, Side side, TransactionTemplate foreign) {
            return foreign.execute(status -> {
                side.sql().sql("SELECT 1").query().singleValue();
                call.enqueue();
                status.setRollbackOnly();
                return Fate.ROLLED_BACK;
            });
        }
    };

    /** Lets the call happen there. Returns what became of it, if it was answered. */
    abstract Fate go(Call call, Side side, TransactionTemplate foreign);

    private static Fate register(TransactionSynchronization synchronization) {
        TransactionSynchronizationManager.registerSynchronization(synchronization);
        return Fate.COMMITTED;
    }

    private static TransactionSynchronization afterCompletion(Call call) {
        return new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                call.enqueue();
            }
        };
    }

    private static TransactionTemplate within(Side side, int propagation) {
        TransactionTemplate template = side.transactions();
        template.setPropagationBehavior(propagation);
        return template;
    }
}
