/** Reads pictures and makes them smaller: the work that is worth a job. */
@NullMarked
package dev.rowlock.sample.picture;

import org.jspecify.annotations.NullMarked;
