package dev.rowlock.sample.imports;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.sample.catalog.Catalog;
import dev.rowlock.sample.notification.SendNotification;
import dev.rowlock.sample.picture.PictureShelf;
import dev.rowlock.sample.product.StockProduct;
import java.time.Duration;
import java.util.List;
import org.springframework.stereotype.Component;

/** The first and the last job of an import. */
@Component
class ImportListener {

    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    private final ImportStore store;
    private final ImportProgressQuery progress;
    private final PictureShelf pictures;
    private final JobOperations jobs;

    ImportListener(ImportStore store, ImportProgressQuery progress, PictureShelf pictures, JobOperations jobs) {
        this.store = store;
        this.progress = progress;
        this.pictures = pictures;
        this.jobs = jobs;
    }

    /** One transaction: the rows, a job for each good one, and "done". Nobody ever sees half an import. */
    @JobListener(transactional = true)
    void read(ImportCatalog job) {
        Catalog catalog = Catalog.read(store.csv(job.importId()), pictures.names());

        List<StockProduct> products = catalog.items().stream()
                .map(item -> new StockProduct(job.importId(), item.line()))
                .toList();
        long[] jobIds = jobs.enqueueAll(products);

        store.saveRows(job.importId(), catalog, jobIds);
        jobs.enqueue(new FinishImport(job.importId()));
    }

    /**
     * Product jobs do not count themselves, because one that dies cannot: this job looks until all have ended. As
     * there is one such job, and its notification is enqueued in the transaction that completes it, there is exactly
     * one notification.
     */
    @JobListener(transactional = true)
    void finish(FinishImport job) {
        ImportProgress now = progress.of(job.importId()).orElseThrow();
        if (now.open() > 0) {
            throw new SnoozeException(LOOK_AGAIN);
        }
        store.finish(job.importId());
        jobs.enqueue(new SendNotification(job.importId(), now.summary()), o -> o.unique("import-" + job.importId()));
    }
}
