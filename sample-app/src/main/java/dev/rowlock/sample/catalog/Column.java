package dev.rowlock.sample.catalog;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The columns that a catalog must have, in any order. Others are ignored. */
enum Column {
    SKU,
    NAME,
    DESCRIPTION,
    PRICE,
    QUANTITY,
    PICTURE;

    String header() {
        return name().toLowerCase(Locale.ROOT);
    }

    static String all() {
        return Arrays.stream(values()).map(Column::header).collect(Collectors.joining(", "));
    }
}
