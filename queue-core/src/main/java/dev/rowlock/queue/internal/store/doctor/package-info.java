/** Statements of the doctor, one for each check. All of them only read. */
@NullMarked
package dev.rowlock.queue.internal.store.doctor;

import org.jspecify.annotations.NullMarked;
