package dev.rowlock.sample.imports;

import dev.rowlock.queue.JobOperations;
import dev.rowlock.sample.catalog.Catalog;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Takes catalogs. */
@Service
class Imports {

    private final ImportStore store;
    private final JobOperations jobs;

    Imports(ImportStore store, JobOperations jobs) {
        this.store = store;
        this.jobs = jobs;
    }

    /**
     * Stores a catalog and enqueues the job that will read it: both or neither.
     *
     * @return the import's id
     * @throws dev.rowlock.sample.catalog.InvalidCatalogException if the file is no catalog
     */
    @Transactional
    long accept(String fileName, byte[] csv) {
        Catalog.requireReadable(csv);
        long importId = store.create(fileName, csv);
        long jobId = jobs.enqueue(new ImportCatalog(importId));
        store.setJob(importId, jobId);
        return importId;
    }
}
