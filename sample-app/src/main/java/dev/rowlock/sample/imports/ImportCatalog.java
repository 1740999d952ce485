package dev.rowlock.sample.imports;

import dev.rowlock.queue.JobType;

/** Read the file of this import, judge its rows, and enqueue a job for each product. */
@JobType(value = "import-catalog", queue = "imports", title = "catalog of import {importId}")
record ImportCatalog(long importId) {}
