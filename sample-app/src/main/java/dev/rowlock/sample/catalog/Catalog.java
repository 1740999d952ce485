package dev.rowlock.sample.catalog;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A catalog after its rows have been judged: each of them is an item or a rejection. */
public record Catalog(List<Item> items, List<Rejection> rejections) {

    /** A good row. */
    public record Item(long line, Product product) {}

    /**
     * A bad row.
     *
     * @param sku as it stands in the file, for people to find it
     */
    public record Rejection(long line, String sku, String reason) {}

    public Catalog {
        items = List.copyOf(items);
        rejections = List.copyOf(rejections);
    }

    public int rows() {
        return items.size() + rejections.size();
    }

    /**
     * Throws if the file is no catalog; says nothing about its rows.
     *
     * @throws InvalidCatalogException with a message for the person who sent it
     */
    public static void requireReadable(byte[] csv) {
        CatalogFile.read(csv);
    }

    /**
     * Reads a catalog and judges its rows. Where a sku occurs twice, the first good row counts.
     *
     * @param pictures the names that its picture column may use
     * @throws InvalidCatalogException if the file is no catalog
     */
    public static Catalog read(byte[] csv, Set<String> pictures) {
        RowRules rules = new RowRules(pictures);
        List<Item> items = new ArrayList<>();
        List<Rejection> rejections = new ArrayList<>();
        Map<String, Long> lines = new HashMap<>();
        for (CatalogRow row : CatalogFile.read(csv)) {
            List<String> problems = rules.problems(row);
            String sku = row.get(Column.SKU);
            if (problems.isEmpty() && lines.containsKey(sku)) {
                problems = List.of("sku '%s' is already on line %d".formatted(sku, lines.get(sku)));
            }
            if (problems.isEmpty()) {
                lines.put(sku, row.line());
                items.add(new Item(row.line(), product(row)));
            } else {
                rejections.add(new Rejection(row.line(), Texts.excerpt(sku), String.join("; ", problems)));
            }
        }
        return new Catalog(items, rejections);
    }

    private static Product product(CatalogRow row) {
        return new Product(
                row.get(Column.SKU),
                row.get(Column.NAME),
                row.get(Column.DESCRIPTION),
                new BigDecimal(row.get(Column.PRICE)),
                Integer.parseInt(row.get(Column.QUANTITY)),
                row.get(Column.PICTURE));
    }
}
