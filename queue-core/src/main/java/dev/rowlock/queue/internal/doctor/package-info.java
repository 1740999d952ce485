/** The checks of the doctor. Each asks one statement and judges its rows. None of them changes anything. */
@NullMarked
package dev.rowlock.queue.internal.doctor;

import org.jspecify.annotations.NullMarked;
