/** Statements for people: find, list, cancel, redrive, discard, pause. */
@NullMarked
package dev.rowlock.queue.internal.store.admin;

import org.jspecify.annotations.NullMarked;
