package dev.rowlock.sample.catalog;

import java.math.BigDecimal;

/**
 * A product as a catalog describes it.
 *
 * @param sku the shop's name for it, unique
 * @param quantity how many pieces the catalog adds to the stock
 * @param picture the name of a picture on the shelf
 */
public record Product(String sku, String name, String description, BigDecimal price, int quantity, String picture) {}
