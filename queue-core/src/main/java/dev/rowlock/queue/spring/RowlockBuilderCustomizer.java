package dev.rowlock.queue.spring;

import dev.rowlock.queue.RowlockBuilder;

/**
 * Changes how {@link dev.rowlock.queue.Rowlock} is put together. A bean of this type sets what Spring Boot has no property for, and everything
 * with {@link EnableRowlock}. All of them are called, in their order, after properties have been applied.
 */
@FunctionalInterface
public interface RowlockBuilderCustomizer {

    void customize(RowlockBuilder builder);
}
