/**
 * The doctor. Each cause is one {@link dev.rowlock.queue.internal.doctor.Check}: a question in SQL, each row of whose answer is a case of the cause, and
 * what the rows mean: status, cause, remedy. The checks stand in tables, by what they ask about:
 *
 * <ul>
 *   <li>{@code DatabaseChecks}: the server: what holds back vacuum, and what soon stops writes;
 *   <li>{@code TableChecks}: Rowlock's tables, and the days of {@code done};
 *   <li>{@code QueueChecks}: queues, nodes and jobs;
 *   <li>{@code FeatureChecks}: keys in order, policies, limits, workflows;
 *   <li>{@code ProcessChecks}: the process that examines: its pool, its listening connection, its chores.
 * </ul>
 *
 * {@link dev.rowlock.queue.internal.doctor.Examination} runs them.
 *
 * <p>A new check is an entry in one of the tables, a row in {@code docs/doctor.md} ({@code DoctorPageTest} compares the two), and a test that plants the cause,
 * demands the finding, and demands none without the cause ({@code Examined} runs single checks). Its question has two seconds, also in a table of millions
 * of rows. Its thresholds are named parameters of the question, so that a test plants little: {@code check("dead-jobs", Map.of("deaths", 3))}. A check shows
 * neither payloads nor messages of errors nor statements of other sessions. Columns are compared as text under {@code COLLATE "C"}.
 */
@NullMarked
package dev.rowlock.queue.internal.doctor;

import org.jspecify.annotations.NullMarked;
