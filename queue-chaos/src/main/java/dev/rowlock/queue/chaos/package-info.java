/**
 * Real faults against real nodes.
 *
 * <p>A run starts one PostgreSQL ({@code cluster}), several worker processes ({@code worker}) that reach it through
 * proxies of ours ({@code proxy}), and producers ({@code load}); then it hurts them ({@code fault}) in an order drawn by
 * a printed seed. In the end everything is healed and drained. What producers were told, what handlers did, and what the
 * database wrote down about every move of every job is put together ({@code history}), and the checker judges it
 * ({@code law}).
 *
 * <p>The checker is a pure function of a {@code History}, so that its own tests can hand it histories that are broken on
 * purpose: a checker that cannot fail is a defect.
 */
@NullMarked
package dev.rowlock.queue.chaos;

import org.jspecify.annotations.NullMarked;
