/**
 * The only door to the tables: one statement, one class. Here are the transactions and plans that all statements use; the
 * statements themselves lie in packages by what they move.
 *
 * <p>Each class holds its SQL (for the default schema {@code rowlock}; what two statements share stands once), its
 * parameters and its rows. A move between rooms is one statement ({@link dev.rowlock.queue.internal.store.Move}), so a job can be neither in two
 * rooms nor in none; the columns of each {@link dev.rowlock.queue.internal.store.Room} stand once. Whatever changes a claimed job names its id
 * <em>and</em> token, and says which claims it found.
 *
 * <p>Batches are arrays with {@code unnest}, in the order of ids so that two batches cannot deadlock; whoever picks
 * rows by condition takes them with {@code SKIP LOCKED}.
 */
@NullMarked
package dev.rowlock.queue.internal.store;

import org.jspecify.annotations.NullMarked;
