/**
 * Moves jobs to ready when their time has come.
 *
 * <p>Each node has a dispatcher. Of a job all nodes hear by a notification, unless the process that enqueued it runs a node: that
 * one looks for it. For what all have heard of they look one after the other. A node that has moved jobs tells the others, and they drop from their lists what it took.
 *
 * <p>They may only drop what it has seen. It may have looked before a job was committed, and have told so after all had heard
 * of that job; where two nodes do that at once, each relies on the other, and only a poll finds the job. No clock decides which came
 * first: a notification takes any time from one node to the next, and the server's clock may be set. But PostgreSQL
 * delivers all notifications in one order, that of their commits, and a job is committed before the notification that tells of it.
 * So messages have names, and a node that has looked names the last message that it had heard before. It has seen
 * the jobs of that message and of all before it. The others drop those and no more. The time that it
 * tells of, at which the next job is due, is dropped by the same rule: a node that has heard as much as the sender had may say that it is done.
 *
 * <p>Where that is unknown, nothing is dropped, which costs a look: a message without a name is from SQL or from a node of the version
 * before, and one that this node does not know came before it listened.
 */
@NullMarked
package dev.rowlock.queue.internal.due;

import org.jspecify.annotations.NullMarked;
