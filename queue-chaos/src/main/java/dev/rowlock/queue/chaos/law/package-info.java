/**
 * What must hold in every history. Each law looks for one way to break a promise of {@code docs/guarantees.md}: that of jobs ({@code
 * job}), of nodes ({@code node}), of outcomes ({@code outcome}), of single features ({@code feature}). The {@code Checker} applies
 * them all.
 */
@NullMarked
package dev.rowlock.queue.chaos.law;

import org.jspecify.annotations.NullMarked;
