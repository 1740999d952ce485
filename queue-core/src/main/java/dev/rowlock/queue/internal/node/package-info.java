/**
 * A node, put together: it claims jobs ({@code claim}), runs them ({@code run}), records what came of them ({@code
 * record}), keeps its lease ({@code lease}), and does its share of the chores ({@code janitor}).
 *
 * <h2>The life of a claim</h2>
 *
 * <pre>
 *   Claimer ── claims a batch ──► buffer ──► handler thread ──► Outcome ──► Recorder ── one statement per kind
 *      ▲                                                                       │
 *      └────────────── room again, once the outcome is recorded ◄──────────────┘
 * </pre>
 *
 * <p>An {@link dev.rowlock.queue.internal.run.Execution} follows one claim along that path. Exactly one outcome is
 * handed to the recorder for it, by the thread that ran it, or by the drain that gives it up. The database has the last
 * word: an outcome whose token it does not find is refused, and the observer is told that the claim was lost.
 *
 * <p>A claim reserves a job, and no other node can run it: so it begins soon or goes back.
 * {@link dev.rowlock.queue.internal.run.PrefetchLimit} claims ahead what should begin within a moment.
 * {@link dev.rowlock.queue.internal.run.Buffer} finds what would not, after all. And no thread begins a job whose claim is older
 * than a deadline leaves time for.
 *
 * <h2>The lease</h2>
 *
 * <p>{@link dev.rowlock.queue.internal.lease.NodeLease} keeps one row alive by a heartbeat on a connection of its own,
 * so that an exhausted pool cannot look like a death. While the database is away the node goes on: no other node can take its
 * jobs either. When a heartbeat finds the row gone, another node has declared this one dead and taken its jobs: handlers are
 * interrupted, their outcomes dropped, and the node registers anew under another id. Ids are never used again, so a claim under
 * the old one finds nothing.
 *
 * <p>Whether another node is alive no clock of the server's decides. Each heartbeat of this node brings the numbers of all
 * others' last ones; {@link dev.rowlock.queue.internal.lease.OtherNodes} watches them by the monotonic clock of this process.
 *
 * <h2>Stopping</h2>
 *
 * <p>Claims nothing more; gives back what was not started, and at once what a claim brings that is still under way; waits for
 * running handlers and such claims up to the drain timeout; interrupts the ones and cancels the others; gives back what still
 * runs (its outcome will be refused); writes everything down; gives back what was claimed without an answer; removes the row.
 * Every wait is bounded. A process that is killed anywhere on the way leaves only what rescue repairs.
 *
 * <h2>Threads</h2>
 *
 * <p>Per node: the lease, the recorder, deadlines, the notification listener, and a poll for all queues where nothing happens. Per queue
 * where jobs come: a fetcher, which decides when to claim, and as many handler threads as jobs have run at once of late, up to
 * its concurrency. Both end when they have had nothing to do for a minute; the last handler thread of a queue stays for ten. Chores have three threads: one moves
 * due jobs, one rescues, the janitor's does all that may take long. Each feature has one for its chores. Observers have threads of their
 * own (see below). Per process: the notifier.
 *
 * <p>So a node uses these connections of the pool, whatever its concurrency: one per queue where jobs come, one for the poll, one
 * for recording, three for chores, one for each feature's and one for notifying ("Connections" in docs/design.md lists them).
 * Beside the pool it has two: for the lease and for the notification listener. Deadlines and observers need none. A handler's
 * thread takes one from the pool to read a large payload, for the transaction of a transactional listener, and for what the
 * handler asks for.
 *
 * <p>Code of the application leaves no trace on them: wherever it runs, {@link
 * dev.rowlock.queue.internal.thread.ThreadState} puts the thread back as it was. {@link
 * dev.rowlock.queue.internal.record.Observers} run on threads of their own, so that no outcome waits for them.
 *
 * <p>Each of them goes on whatever is thrown ({@link dev.rowlock.queue.internal.thread.EndlessTask}). What cannot go on is named by
 * {@link dev.rowlock.queue.spi.NodeStatus#broken}. Without its recorder, or with one that has been stuck for five
 * minutes, a node claims nothing more and does not beat: others take its jobs.
 */
@NullMarked
package dev.rowlock.queue.internal.node;

import org.jspecify.annotations.NullMarked;
