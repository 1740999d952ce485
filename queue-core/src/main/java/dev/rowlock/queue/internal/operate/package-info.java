/**
 * Controls of operators: pauses, actions on single jobs, bulk actions, audit.
 *
 * <p>A bulk action is a row. Each node has a chore that locks the row of an action that is due, does a batch of it, and moves the row on,
 * in one transaction. A node that finds the row locked leaves it to the node that works on it. So a batch takes place once,
 * whichever node dies at whatever point, and the next node goes on behind it.
 *
 * <p>A batch looks at a stretch of jobs in the order of their ids, and moves those that match. Jobs that another transaction
 * has locked are remembered in the row, and the action comes back to them in the end.
 *
 * <p>Jobs that the database refuses together are moved in parts, in the same transaction. Those that are refused alone are counted and
 * passed over. As long as the position is in front of one of them, the action's row has its id, so that none is tried twice.
 */
@NullMarked
package dev.rowlock.queue.internal.operate;

import org.jspecify.annotations.NullMarked;
