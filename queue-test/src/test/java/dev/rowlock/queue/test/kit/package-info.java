/** Tests of the kit. */
@NullMarked
package dev.rowlock.queue.test.kit;

import org.jspecify.annotations.NullMarked;
