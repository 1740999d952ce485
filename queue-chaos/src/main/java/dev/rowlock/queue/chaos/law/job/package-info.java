/** Jobs are where they belong: none is lost, each moves by the doors that there are, and none waits for nothing. */
@NullMarked
package dev.rowlock.queue.chaos.law.job;

import org.jspecify.annotations.NullMarked;
