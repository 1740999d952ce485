/** Nodes keep their threads and leave no traces on them, and only those die that are silent. */
@NullMarked
package dev.rowlock.queue.chaos.law.node;

import org.jspecify.annotations.NullMarked;
