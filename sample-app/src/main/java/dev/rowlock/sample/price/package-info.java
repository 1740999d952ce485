/** Prices: checked each night. */
@NullMarked
package dev.rowlock.sample.price;

import org.jspecify.annotations.NullMarked;
