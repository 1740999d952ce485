package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.RowlockBuilder;

/**
 * Changes how {@link dev.rowlock.queue.Rowlock} is put together, after the properties have been applied: for what has no
 * property. All beans of this type are called, in their order.
 */
@FunctionalInterface
public interface RowlockBuilderCustomizer {

    void customize(RowlockBuilder builder);
}
