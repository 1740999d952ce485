package dev.rowlock.sample.catalog;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** What makes a row good. Finds everything that is wrong with it, not only the first thing. */
final class RowRules {

    private static final Pattern SKU = Pattern.compile("[A-Z0-9][A-Z0-9-]{0,31}");
    private static final Pattern PRICE = Pattern.compile("-?\\d{1,7}(\\.\\d{1,2})?");
    private static final Pattern QUANTITY = Pattern.compile("-?\\d{1,6}");
    private static final int MAX_NAME = 200;
    private static final int MAX_DESCRIPTION = 2_000;

    private final Set<String> pictures;

    RowRules(Set<String> pictures) {
        this.pictures = pictures;
    }

    /** What is wrong with the row; empty for a good one. */
    List<String> problems(CatalogRow row) {
        if (row.fieldCount() != row.expectedCount()) {
            return List.of("has %d fields, the header has %d".formatted(row.fieldCount(), row.expectedCount()));
        }
        List<String> problems = new ArrayList<>();
        checkSku(row.get(Column.SKU), problems);
        checkText("name", row.get(Column.NAME), 1, MAX_NAME, problems);
        checkText("description", row.get(Column.DESCRIPTION), 0, MAX_DESCRIPTION, problems);
        checkPrice(row.get(Column.PRICE), problems);
        checkQuantity(row.get(Column.QUANTITY), problems);
        checkPicture(row.get(Column.PICTURE), problems);
        return problems;
    }

    private static void checkSku(String sku, List<String> problems) {
        if (sku.isEmpty()) {
            problems.add("sku is missing");
        } else if (!SKU.matcher(sku).matches()) {
            problems.add("sku '%s' is not 1 to 32 of A-Z, 0-9 and -".formatted(Texts.excerpt(sku)));
        }
    }

    private static void checkText(String what, String text, int min, int max, List<String> problems) {
        if (text.length() < min) {
            problems.add(what + " is missing");
        } else if (text.length() > max) {
            problems.add("%s has %d characters, at most %d are allowed".formatted(what, text.length(), max));
        } else if (Texts.hasControlCharacters(text)) {
            problems.add(what + " has control characters");
        }
    }

    private static void checkPrice(String price, List<String> problems) {
        if (!PRICE.matcher(price).matches()) {
            problems.add("price '%s' is not a number such as 19.95".formatted(Texts.excerpt(price)));
        } else if (new BigDecimal(price).signum() < 0) {
            problems.add("price %s is negative".formatted(price));
        }
    }

    private static void checkQuantity(String quantity, List<String> problems) {
        if (!QUANTITY.matcher(quantity).matches()) {
            problems.add("quantity '%s' is not a whole number up to 999999".formatted(Texts.excerpt(quantity)));
        } else if (Integer.parseInt(quantity) < 0) {
            problems.add("quantity %s is negative".formatted(quantity));
        }
    }

    private void checkPicture(String picture, List<String> problems) {
        if (picture.isEmpty()) {
            problems.add("picture is missing");
        } else if (!pictures.contains(picture)) {
            problems.add("picture '%s' is unknown".formatted(Texts.excerpt(picture)));
        }
    }
}
