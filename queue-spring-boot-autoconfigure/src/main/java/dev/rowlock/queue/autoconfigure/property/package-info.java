/** Names of properties: which there are, and what is misspelt. Not for applications to use. */
@NullMarked
package dev.rowlock.queue.autoconfigure.property;

import org.jspecify.annotations.NullMarked;
