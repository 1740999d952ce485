/** What a catalog file is, and which of its rows are good. Knows neither jobs nor the database. */
@NullMarked
package dev.rowlock.sample.catalog;

import org.jspecify.annotations.NullMarked;
