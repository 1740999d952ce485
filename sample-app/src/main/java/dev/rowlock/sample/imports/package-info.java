/**
 * Takes a catalog and follows it to its end. {@link dev.rowlock.sample.imports.Imports} enqueues the first job in the
 * transaction that stores the file, {@code ImportListener} runs it and the last one.
 */
@NullMarked
package dev.rowlock.sample.imports;

import org.jspecify.annotations.NullMarked;
