/**
 * Payloads as JSON: how they are written and read, and how documents that older versions of an application wrote are lifted to
 * the shape of today.
 */
@NullMarked
package dev.rowlock.queue.payload;

import org.jspecify.annotations.NullMarked;
