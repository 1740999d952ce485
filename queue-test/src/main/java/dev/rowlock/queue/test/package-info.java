/**
 * Tests of what enqueues jobs and of what runs them. Begin with {@link dev.rowlock.queue.test.RowlockTest}, or with {@link
 * dev.rowlock.queue.test.AutoConfigureRowlock} beside any other annotation for tests, and {@link dev.rowlock.queue.test.TestJobs}.
 */
@NullMarked
package dev.rowlock.queue.test;

import org.jspecify.annotations.NullMarked;
