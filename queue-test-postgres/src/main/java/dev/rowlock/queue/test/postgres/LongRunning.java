package dev.rowlock.queue.test.postgres;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Marks tests that only {@code -Plong} runs: random properties with many seeds, races by the thousand, processes that are killed, clocks, small
 * disks. The plain test of a promise is never one of them.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Tag("long")
public @interface LongRunning {}
