/**
 * The doctor. Each cause is one {@link dev.rowlock.queue.internal.doctor.Check}: a question in SQL, each row of whose answer is a case of the cause, and
 * what the rows mean: status, cause, remedy. The checks stand in tables, by what they ask about:
 *
 * <ul>
 *   <li>{@code DatabaseChecks}: the server, whoever uses it;
 *   <li>{@code TableChecks}: Rowlock's tables, and the days of {@code done};
 *   <li>{@code QueueChecks}: queues, nodes and jobs;
 *   <li>{@code FeatureChecks}: keys in order, policies, limits, workflows;
 *   <li>{@code ProcessChecks}: the process that examines, its pool, clock and chores.
 * </ul>
 *
 * {@link dev.rowlock.queue.internal.doctor.Examination} runs them.
 *
 * <p>A new check is an entry in one of the tables, a row in {@code docs/doctor.md} (a test compares the two), and a test that plants the cause, demands the
 * finding, and demands none once the remedy has been applied. Its question stays quick in a table of millions of rows: it has two seconds. Its threshold is a
 * named parameter of the question, so that a test plants little ({@code check("dead-jobs", Map.of("deaths", 3))}). It shows neither payloads nor texts of
 * statements or errors. Columns compared as text are compared under {@code COLLATE "C"}.
 */
@NullMarked
package dev.rowlock.queue.internal.doctor;

import org.jspecify.annotations.NullMarked;
