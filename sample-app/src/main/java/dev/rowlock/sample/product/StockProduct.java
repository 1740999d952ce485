package dev.rowlock.sample.product;

import dev.rowlock.queue.JobType;

/** Put one product of an import into stock, with its pictures. The payload names the row; the row has the rest. */
@JobType(value = "stock-product", queue = "products", title = "line {line} of import {importId}")
public record StockProduct(long importId, long line) {}
