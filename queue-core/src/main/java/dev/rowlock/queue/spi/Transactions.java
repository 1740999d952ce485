package dev.rowlock.queue.spi;

/** Runs work in transactions of Rowlock's DataSource. Thread-safe. */
@FunctionalInterface
public interface Transactions {

    /** In a new transaction, which commits when the work returns and rolls back when it throws. Throws what the work throws. */
    void run(Runnable work);
}
