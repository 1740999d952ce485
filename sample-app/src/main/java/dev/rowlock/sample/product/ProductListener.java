package dev.rowlock.sample.product;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.sample.catalog.Product;
import dev.rowlock.sample.picture.BrokenPictureException;
import dev.rowlock.sample.picture.PictureShelf;
import dev.rowlock.sample.picture.Thumbnail;
import java.util.List;
import org.springframework.stereotype.Component;

/** Puts products into stock. */
@Component
class ProductListener {

    private final PictureShelf pictures;
    private final ProductStore products;

    ProductListener(PictureShelf pictures, ProductStore products) {
        this.pictures = pictures;
        this.products = products;
    }

    /**
     * Runs in a transaction that also completes the job: its stock, its thumbnails and "done" commit together or not
     * at all, however often a node dies on the way. A picture that cannot be had is tried again, a broken one is not.
     */
    @JobListener(
            transactional = true,
            maxRetries = "3",
            initialInterval = "2s",
            noRetryFor = BrokenPictureException.class)
    void stock(StockProduct job, JobContext context) {
        Product product = products.ofImport(job);

        List<Thumbnail> thumbnails = Thumbnail.of(pictures.fetch(product.picture(), context.attempt()));

        products.addToStock(product);
        products.replaceThumbnails(product.sku(), thumbnails);
        products.markDone(job, product, context);
    }
}
