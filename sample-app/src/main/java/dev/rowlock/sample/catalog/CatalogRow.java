package dev.rowlock.sample.catalog;

import java.util.Map;

/**
 * One row of a catalog, as it stands in the file.
 *
 * @param line where it begins, 1 for the first line of the file
 * @param fields by column; columns that the row lacks are missing
 * @param fieldCount how many fields it has, columns that we do not know included
 * @param expectedCount how many the header has
 */
record CatalogRow(long line, Map<Column, String> fields, int fieldCount, int expectedCount) {

    String get(Column column) {
        return fields.getOrDefault(column, "");
    }
}
