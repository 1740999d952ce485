/** Makes the catalog and the pictures that the sample ships. */
@NullMarked
package dev.rowlock.sample.generate;

import org.jspecify.annotations.NullMarked;
