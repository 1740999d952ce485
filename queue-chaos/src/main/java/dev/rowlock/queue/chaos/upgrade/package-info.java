/**
 * Two versions of Rowlock on one schema. The nodes of the version before are its own ({@code worker}), started with its
 * class path; the two mains here are run with the class path of either version, in front of this one's, so they use only
 * what applications use.
 */
@NullMarked
package dev.rowlock.queue.chaos.upgrade;

import org.jspecify.annotations.NullMarked;
