/**
 * What a deployment may tune: values that check themselves, and say what is wrong and what is allowed.
 */
@NullMarked
package dev.rowlock.queue.settings;

import org.jspecify.annotations.NullMarked;
