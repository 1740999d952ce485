package dev.rowlock.sample.imports;

import dev.rowlock.queue.JobType;

/** Wait until all products of this import have ended, one way or another, and say so. */
@JobType(value = "finish-import", queue = "imports")
record FinishImport(long importId) {}
