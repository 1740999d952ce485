/** What single features promise beyond that. */
@NullMarked
package dev.rowlock.queue.chaos.law.feature;

import org.jspecify.annotations.NullMarked;
