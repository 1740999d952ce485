/**
 * The vocabulary: what a job is, what a claim is, and how an attempt can end. Values only; depends on nothing.
 */
@NullMarked
package dev.rowlock.queue.job;

import org.jspecify.annotations.NullMarked;
