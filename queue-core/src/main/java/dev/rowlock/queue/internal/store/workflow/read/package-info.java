/** Statements that read workflows: for applications, for people, for whoever waits, and for the jobs of later steps. */
@NullMarked
package dev.rowlock.queue.internal.store.workflow.read;

import org.jspecify.annotations.NullMarked;
