/**
 * The seams: interfaces that the parts of Rowlock meet at, and that an application may implement for itself.
 */
@NullMarked
package dev.rowlock.queue.spi;

import org.jspecify.annotations.NullMarked;
