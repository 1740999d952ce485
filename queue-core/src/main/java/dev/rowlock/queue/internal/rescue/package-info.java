/** Takes jobs from whoever cannot go on with them: dead nodes, claims that nobody holds, handlers past their deadline. */
@NullMarked
package dev.rowlock.queue.internal.rescue;

import org.jspecify.annotations.NullMarked;
