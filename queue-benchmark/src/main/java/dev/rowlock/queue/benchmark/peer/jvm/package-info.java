/** Libraries of the JVM: db-scheduler, JobRunr, Quartz. */
@NullMarked
package dev.rowlock.queue.benchmark.peer.jvm;

import org.jspecify.annotations.NullMarked;
