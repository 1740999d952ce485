/** Tells people that an import has ended. */
@NullMarked
package dev.rowlock.sample.notification;

import org.jspecify.annotations.NullMarked;
