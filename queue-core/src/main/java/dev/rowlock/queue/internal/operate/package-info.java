/**
 * What stands behind the controls of operators.
 *
 * <p>A bulk action is a row. Each node has a chore that locks the row of an action that is due, does a batch of it, and moves the row on,
 * in one transaction. A node that finds the row locked leaves it to whoever works on it. So a batch takes place once, whoever dies at
 * whatever point, and the next node goes on behind it.
 *
 * <p>A batch looks at a stretch of jobs in the order of their ids, and acts on those that match. A job that somebody else has locked
 * holds the place back: the next batch looks at it again.
 *
 * <p>A batch that the server refuses is done in parts by a second transaction. Jobs that are refused alone are counted and passed over. As long as
 * the place is in front of one of them, the action's row has its id, so that none is tried twice.
 */
@NullMarked
package dev.rowlock.queue.internal.operate;

import org.jspecify.annotations.NullMarked;
