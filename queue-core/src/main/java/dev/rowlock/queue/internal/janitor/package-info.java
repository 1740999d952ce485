/**
 * Background tasks of a node: dispatch due jobs, rescue the jobs of dead nodes, take overdue jobs, drop old ones, remove what is no longer
 * used (free keys, leftover payloads, old positions of claims), measure depths.
 *
 * <p>There is no leader. Sweeps take their rows with {@code SKIP LOCKED}, so any number of nodes may sweep at once. A chore that one node does for all is won through the table {@code chore}: the node that moves its due time forward does it. A node that dies over a chore costs one interval.
 *
 * <p>Rescue in two steps, both repeatable: a silent node's row is removed, by a node that has itself beaten without a
 * gap for a whole lease and has seen the other's beats stand still; then whatever is in {@code running} and has no node leaves it: to
 * {@code ready}, to {@code done} if it was asked to cancel, to {@code dead} if it is quarantined. The second step also
 * finds jobs that a node claimed in the very moment in which it was declared dead. Between the steps nothing is lost: the jobs stay in {@code running} until a node does the second step.
 *
 * <h2>The server's clock may be set</h2>
 *
 * <p>An operator or a time service may set it forward or back while nodes work, and the server that takes over from another has
 * a clock of its own. So it never decides alone how much time has passed where a job depends on it:
 *
 * <ul>
 *   <li>A node is dead if its beats stood still for its lease, as watched by another node's monotonic clock. The statement that
 *       removes it names the beat that was seen.
 *   <li>A handler's time is up by the monotonic clock of its node, which takes its job if it goes on all the same. From a node
 *       that does not, any other takes it, once the job has looked overdue for all the time that it may run. Either way the job's
 *       retries are its own, or those that its node has registered for its listener.
 *   <li>History that looks too old is not dropped for a day after the clock was set forward by a day or more, nor by a node
 *       whose own clock differs by as much: it may have been started after the step.
 *   <li>A claim whose answer may be on its way is told by its token, not by its age.
 *   <li>A chore is due after its time, and if it was taken in the future: then the clock was set back.
 *   <li>The dispatcher goes on where its last look ended ({@link dev.rowlock.queue.internal.due.DueCursor}), unless that lies in
 *       the future, or the clock has gone back since, as compared with a monotonic one.
 * </ul>
 *
 * <p>What cannot be helped: due times are the server's. When its clock is set forward, delays, back-off and unique keys' times end
 * early by as much; when it is set back, all of them come late by as much, and jobs that were ready before run behind those of the same
 * priority that are enqueued after.
 *
 * <p>Each chore has a {@code runOnce} that returns when it wants to run again.
 */
@NullMarked
package dev.rowlock.queue.internal.janitor;

import org.jspecify.annotations.NullMarked;
