/**
 * What operators do and see: the answers of {@link dev.rowlock.queue.JobAdmin}.
 */
@NullMarked
package dev.rowlock.queue.operate;

import org.jspecify.annotations.NullMarked;
