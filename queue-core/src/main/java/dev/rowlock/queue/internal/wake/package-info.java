/**
 * Wake-ups: how a node hears within a millisecond that there is something to do.
 *
 * <p>Code that commits jobs tells the bus. The bus wakes this node's own fetchers directly, and the notifier tells the
 * other nodes by {@code NOTIFY}: after the commit, because NOTIFY inside a business transaction takes a database-wide
 * lock; from a connection of its own; coalesced, at most one round each few milliseconds, so that a thousand
 * commits per second do not become a thousand notifications. The notification listener holds one connection and
 * checks it, because a half-open connection never fails by itself.
 *
 * <p>What each shortcut buys, on two cores: sockets that answer the driver's look at once 1.2 ms of each notification (1.5 before,
 * 0.27 after); a notification that travels with a single insert 0.2 ms of a job's start (1.45 before, 1.27 after).
 *
 * <p>Only latency depends on any of this. Fetchers and the dispatcher also look by themselves, so a lost notification
 * costs at most a poll interval (up to five of them where a node is idle, five seconds or so for jobs that fall due); a pooler
 * that swallows them all costs nothing else.
 *
 * <p>A message is {@code origin|kind|what it says}: kind {@code r} (ready: {@code rank|jobs|first|queue}), {@code b}
 * (the same, where some of the jobs went back to their place), {@code w} (waiting: milliseconds until due), {@code d} (all that was
 * due has been moved: {@code number of the sender's look|milliseconds until the next is due, or nothing if none waits}), {@code k} (keys: {@code first|queue|key}, or without a key
 * if they are many), {@code l} and {@code e} (awaited jobs, and ended ones: ids) or {@code a} (attention: nothing). A node
 * ignores kinds that it does not know, and its own messages but for {@code d}: when that comes back, all have heard of its look. The package {@code janitor} says what for.
 *
 * <p>All nodes hear everything, and if they all looked at once, each job would cost a claim of every node. So their looks are
 * staggered: each message names by a number the node that looks first, another one each time. The nodes count from there: as many
 * as there is work for look at once, the others a little later.
 */
@NullMarked
package dev.rowlock.queue.internal.wake;

import org.jspecify.annotations.NullMarked;
