/** The way of a request: who sends it, whether it comes from our own page, and what answers it. */
@NullMarked
package dev.rowlock.queue.dashboard.web;

import org.jspecify.annotations.NullMarked;
