package dev.rowlock.sample.product;

import dev.rowlock.queue.job.JobContext;
import dev.rowlock.sample.catalog.Product;
import dev.rowlock.sample.picture.Thumbnail;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The shop's tables of products. Its methods join the caller's transaction. */
@Component
class ProductStore {

    private final JdbcClient jdbc;
    private final String node;

    ProductStore(JdbcClient jdbc, @Value("${rowlock.worker.node-name}") String node) {
        this.jdbc = jdbc;
        this.node = node;
    }

    /** The product that a row of an import describes. */
    Product ofImport(StockProduct job) {
        return jdbc.sql("""
                        SELECT sku, name, description, price, quantity, picture
                          FROM import_item
                         WHERE import_id = :importId AND line = :line
                        """).paramSource(job).query(Product.class).single();
    }

    /** Adds to what is there, so that a product that is stocked twice has twice the stock. */
    void addToStock(Product product) {
        jdbc.sql("""
                        INSERT INTO product (sku, name, description, price, quantity)
                        VALUES (:sku, :name, :description, :price, :quantity)
                        ON CONFLICT (sku) DO UPDATE
                           SET name = excluded.name, description = excluded.description, price = excluded.price,
                               quantity = product.quantity + excluded.quantity
                        """).paramSource(product).update();
    }

    void replaceThumbnails(String sku, List<Thumbnail> thumbnails) {
        for (Thumbnail thumbnail : thumbnails) {
            jdbc.sql("""
                            INSERT INTO thumbnail (sku, edge, jpeg) VALUES (:sku, :edge, :jpeg)
                            ON CONFLICT (sku, edge) DO UPDATE SET jpeg = excluded.jpeg
                            """)
                    .param("sku", sku)
                    .param("edge", thumbnail.edge())
                    .param("jpeg", thumbnail.jpeg())
                    .update();
        }
    }

    /** Notes who did it, and that the row is done. */
    void markDone(StockProduct job, Product product, JobContext context) {
        jdbc.sql("""
                        INSERT INTO stock_movement (import_id, line, sku, quantity, node, job_id, attempt, claim_token)
                        VALUES (:importId, :line, :sku, :quantity, :node, :jobId, :attempt, :token)
                        """)
                .param("importId", job.importId())
                .param("line", job.line())
                .param("sku", product.sku())
                .param("quantity", product.quantity())
                .param("node", node)
                .param("jobId", context.id())
                .param("attempt", context.attempt())
                .param("token", context.claimToken())
                .update();
        jdbc.sql("UPDATE import_item SET done_at = now() WHERE import_id = :importId AND line = :line")
                .paramSource(job)
                .update();
    }

    Optional<byte[]> thumbnail(String sku, int edge) {
        return jdbc.sql("SELECT jpeg FROM thumbnail WHERE sku = :sku AND edge = :edge")
                .param("sku", sku)
                .param("edge", edge)
                .query(byte[].class)
                .optional();
    }
}
