/**
 * What a node remembers of the keys of a queue, in memory only, so that its claims cost less: where the jobs of busy keys begin ({@link
 * dev.rowlock.queue.internal.claim.key.KeyMemory}), which keys have brought jobs lately ({@link dev.rowlock.queue.internal.claim.key.RecentKeys}),
 * and when to look for such jobs again ({@link
 * dev.rowlock.queue.internal.claim.key.KeyLooks}). All of it may be forgotten: limits and order are
 * kept in the database.
 */
@NullMarked
package dev.rowlock.queue.internal.claim.key;

import org.jspecify.annotations.NullMarked;
