package dev.rowlock.sample.imports;

import dev.rowlock.sample.catalog.Catalog;
import java.util.ArrayList;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Writes imports. Its methods join the caller's transaction. */
@Component
class ImportStore {

    private final JdbcClient jdbc;
    private final JdbcTemplate batches;

    ImportStore(JdbcClient jdbc, JdbcTemplate batches) {
        this.jdbc = jdbc;
        this.batches = batches;
    }

    long create(String fileName, byte[] csv) {
        return jdbc.sql("INSERT INTO catalog_import (file_name, csv) VALUES (:fileName, :csv) RETURNING id")
                .param("fileName", fileName)
                .param("csv", csv)
                .query(Long.class)
                .single();
    }

    void setJob(long importId, long jobId) {
        jdbc.sql("UPDATE catalog_import SET job_id = :jobId WHERE id = :importId")
                .param("importId", importId)
                .param("jobId", jobId)
                .update();
    }

    byte[] csv(long importId) {
        return jdbc.sql("SELECT csv FROM catalog_import WHERE id = :importId")
                .param("importId", importId)
                .query(byte[].class)
                .single();
    }

    /** @param jobIds of the catalog's items, in their order */
    void saveRows(long importId, Catalog catalog, long[] jobIds) {
        jdbc.sql("UPDATE catalog_import SET row_count = :rows WHERE id = :importId")
                .param("importId", importId)
                .param("rows", catalog.rows())
                .update();
        batches.batchUpdate(
                "INSERT INTO rejected_row (import_id, line, sku, reason) VALUES (?, ?, ?, ?)",
                catalog.rejections().stream()
                        .map(bad -> new Object[] {importId, bad.line(), bad.sku(), bad.reason()})
                        .toList());
        batches.batchUpdate("""
                INSERT INTO import_item (import_id, line, job_id, sku, name, description, price, quantity, picture)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, items(importId, catalog.items(), jobIds));
    }

    private static List<Object[]> items(long importId, List<Catalog.Item> items, long[] jobIds) {
        List<Object[]> rows = new ArrayList<>(items.size());
        for (int i = 0; i < jobIds.length; i++) {
            var item = items.get(i);
            var product = item.product();
            rows.add(new Object[] {
                importId,
                item.line(),
                jobIds[i],
                product.sku(),
                product.name(),
                product.description(),
                product.price(),
                product.quantity(),
                product.picture()
            });
        }
        return rows;
    }

    void finish(long importId) {
        jdbc.sql("UPDATE catalog_import SET finished_at = now() WHERE id = :importId")
                .param("importId", importId)
                .update();
    }
}
