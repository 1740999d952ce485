/** The stock: one job per product puts it there. */
@NullMarked
package dev.rowlock.sample.product;

import org.jspecify.annotations.NullMarked;
