/**
 * The doctor. Each cause is one {@link dev.rowlock.queue.internal.doctor.Check}: a question in SQL, each row of whose answer is a case of the cause, and
 * what the rows mean: status, cause, remedy. The checks stand in tables, by what they ask about:
 *
 * <ul>
 *   <li>{@code DatabaseChecks}: the server: what holds back vacuum, and what soon stops writes;
 *   <li>{@code TableChecks}: Rowlock's tables, and the days of {@code done};
 *   <li>{@code LateQueues}: which queues are late and why, which is the verdict;
 *   <li>{@code QueueChecks}: queues, nodes, jobs and recurring jobs, keys in order, policies, limits, workflows;
 *   <li>{@code ProcessChecks}: the process that examines: its pool, its listening connection, its chores.
 * </ul>
 *
 * {@link dev.rowlock.queue.internal.doctor.Examination} runs them.
 *
 * <p>A new check is an entry in one of the tables, a row in {@code docs/doctor.md} at the same place ({@code DoctorPageTest} compares the two; the page
 * says what is FAIL, WARN and INFO), and a test that plants the cause, demands the finding, and demands none without the cause ({@code Examined} runs single checks). Its question has two seconds, also in a table of millions
 * of rows. Its thresholds are named parameters of the question, so that a test plants little: {@code check("dead-jobs", Map.of("deaths", 3))}. A check shows
 * neither payloads nor messages of errors nor statements of other sessions. Text columns of the tables are under
 * {@code COLLATE "C"}: a text that is compared with them is cast so where it comes from elsewhere.
 */
@NullMarked
package dev.rowlock.queue.internal.doctor;

import org.jspecify.annotations.NullMarked;
