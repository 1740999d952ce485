/**
 * Background tasks of a node, with their statements: dispatch due jobs; take jobs from dead nodes, from claims whose answer was lost, and from handlers
 * past their deadline; create and drop the partitions of ended jobs; remove what is no longer used (free keys, leftover payloads and logs of jobs, old positions of claims); measure tables and depths.
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
 *   <li>The dispatcher goes on where its last look ended ({@link dev.rowlock.queue.internal.janitor.DueCursor}), unless the clock has gone
 *       back since, as compared with a monotonic one: then one more look, from the front, follows at once.
 * </ul>
 *
 * <p>What cannot be helped: due times are the server's. When its clock is set forward, delays, back-off and unique keys' times end
 * early by as much; when it is set back, all of them come late by as much, and jobs that were ready before run behind those of the same
 * priority that are enqueued after.
 *
 * <p>Each chore has a {@code runOnce} that returns when it wants to run again.
 *
 * <h2>Jobs whose time has come</h2>
 *
 * <p>Each node has a dispatcher. Of a job all nodes hear by a notification, unless the process that enqueued it runs a node: that
 * one looks for it. For what all have heard of they look one after the other. A node that has moved jobs tells the others, and they drop from their lists what it took.
 *
 * <p>It may have looked before a job was committed, and have told so after all had heard of that job: then the others drop a job that it
 * has not seen. Where two nodes do that at once, each relies on the other, and only a poll finds the job. No clock decides which came
 * first: a notification takes any time from one node to the next, and the server's clock may be set. But PostgreSQL
 * delivers all notifications in one order, that of their commits, and a job is committed before the notification that tells of it.
 * So whoever tells of a look answers for what it may have missed: for each job that it hears of after its look has begun and before its own
 * message comes back, it looks itself, whatever others say ({@link dev.rowlock.queue.internal.janitor.DueTimes}). What it hears of later, the others hear of later, too, and
 * do not drop. A message that is lost does not come back: the node then looks for all it hears of, until it has told of another look.
 */
@NullMarked
package dev.rowlock.queue.internal.janitor;

import org.jspecify.annotations.NullMarked;
