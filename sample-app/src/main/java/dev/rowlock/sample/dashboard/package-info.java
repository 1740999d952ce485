/** Who may open Rowlock's dashboard in the sample. */
@NullMarked
package dev.rowlock.sample.dashboard;

import org.jspecify.annotations.NullMarked;
