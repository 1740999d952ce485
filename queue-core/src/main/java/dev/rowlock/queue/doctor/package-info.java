/** What the doctor finds: causes in the database that hold up a queue, with what shows them and what helps. */
@NullMarked
package dev.rowlock.queue.doctor;

import org.jspecify.annotations.NullMarked;
