/**
 * What must hold in every history. Each law looks for one way to break a promise of {@code docs/guarantees.md}; the {@link
 * dev.rowlock.queue.chaos.law.Checker} applies them all.
 */
@NullMarked
package dev.rowlock.queue.chaos.law;

import org.jspecify.annotations.NullMarked;
