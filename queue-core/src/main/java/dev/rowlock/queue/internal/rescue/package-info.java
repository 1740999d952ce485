/** Takes jobs from dead nodes, from claims whose answer was lost, and from handlers past their deadline. */
@NullMarked
package dev.rowlock.queue.internal.rescue;

import org.jspecify.annotations.NullMarked;
