/**
 * What a job queue has to be able to do so that it can be measured, and what all of them share: jobs, crews, processes of
 * their own. Each group of peers is a package below this one and knows nothing of the others.
 */
@NullMarked
package dev.rowlock.queue.benchmark.peer;

import org.jspecify.annotations.NullMarked;
