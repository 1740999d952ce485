/**
 * What all statements share: the door to the database, its transactions and plans, the rooms of jobs and the moves between them,
 * and what several features ask of them.
 *
 * <p>A class holds a statement, or a few about the same thing: its SQL for the default schema {@code rowlock}, with what two
 * statements share standing once, its parameters and its rows. A move between rooms is one statement ({@link
 * dev.rowlock.queue.internal.db.Move}), so a job can be neither in two rooms nor in none; the columns of each {@link
 * dev.rowlock.queue.internal.db.Room} stand once. Whatever changes a claimed job names its id <em>and</em> token, and says which
 * claims it found. The build writes all statements into one file that {@code psql} runs.
 *
 * <p>Batches are arrays with {@code unnest}, in the order of ids so that two batches cannot deadlock; whoever picks rows by
 * condition takes them with {@code SKIP LOCKED}. A batch that fails as a whole gets smaller; the rows that are to blame are found
 * and left aside ({@link dev.rowlock.queue.internal.db.MoveBatches}).
 */
@NullMarked
package dev.rowlock.queue.internal.db;

import org.jspecify.annotations.NullMarked;
