package dev.rowlock.sample.generate;

import de.siegmar.fastcsv.writer.CsvWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Writes the catalog: 1,000 rows, most of them good, always the same. */
public final class SampleCatalog {

    public static final int ROWS = 1_000;
    /** Each of the faults below, more than once. */
    public static final int BAD = 24;
    /** Their pictures are broken: dead after one attempt. */
    public static final int BROKEN = 8;
    /** Their pictures can never be had: dead after all attempts. */
    public static final int OFFLINE = 4;
    /** Their pictures can be had from the second attempt on. */
    public static final int FLAKY = 30;

    private static final int SEED = 1_000;
    private static final List<String> SIZES = List.of("Tiny", "Small", "Plain", "Large", "Giant", "Double");

    private SampleCatalog() {}

    static String csv() {
        StringWriter text = new StringWriter();
        try (CsvWriter writer = CsvWriter.builder().build(text)) {
            write(writer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void write(CsvWriter writer) {
        Random random = new Random(SEED);
        String earlierSku = "";
        writer.writeRecord("sku", "name", "description", "price", "quantity", "picture");
        for (int row = 1; row <= ROWS; row++) {
            String[] fields = product(row, random);
            if (spread(row, BAD)) {
                fields = spoil(fields, row * BAD / ROWS, earlierSku);
            } else if (spread(row + 7, BROKEN)) {
                fields[5] = row % 2 == 0 ? SamplePictures.TRUNCATED : SamplePictures.NO_PICTURE;
            } else if (spread(row + 13, OFFLINE)) {
                fields[5] = "offline-" + fields[5];
            } else if (spread(row + 3, FLAKY)) {
                fields[5] = "flaky-" + fields[5];
            }
            writer.writeRecord(fields);
            earlierSku = fields[0];
        }
    }

    /** True for {@code count} of the rows, evenly spread. */
    private static boolean spread(int row, int count) {
        return row * count / ROWS > (row - 1) * count / ROWS;
    }

    private static String[] product(int row, Random random) {
        Motif motif = any(List.of(Motif.values()), random);
        Paint paint = any(List.of(Paint.values()), random);
        String size = any(SIZES, random);
        String name = "%s %s %s".formatted(size, paint.word(), motif.word());
        return new String[] {
            sku(motif, row),
            name,
            description(row, name),
            String.format(Locale.ROOT, "%d.%02d", 2 + random.nextInt(90), random.nextInt(100)),
            String.valueOf(1 + random.nextInt(40)),
            SamplePictures.name(motif, paint)
        };
    }

    private static <T> T any(List<T> choice, Random random) {
        return choice.get(random.nextInt(choice.size()));
    }

    private static String sku(Motif motif, int row) {
        return String.format(Locale.ROOT, "%s-%04d", motif.name(), row);
    }

    /** Now and then with all that RFC 4180 wants to be quoted. */
    private static String description(int row, String name) {
        if (row % 10 == 0) {
            return name + ", made by hand, packed in paper";
        }
        if (row % 25 == 1) {
            return "The \"original\" " + name.toLowerCase(Locale.ROOT);
        }
        if (row % 50 == 2) {
            return name + "\r\nWipe clean, \"do not\" boil";
        }
        return name;
    }

    private static String[] spoil(String[] fields, int kind, String earlierSku) {
        switch (kind % 9) {
            case 0 -> fields[3] = "-" + fields[3];
            case 1 -> fields[0] = "";
            case 2 -> fields[0] = earlierSku;
            case 3 -> fields[5] = "photo-to-come.jpg";
            case 4 -> fields[3] = "on request";
            case 5 -> fields[4] = "-3";
            case 6 -> fields[1] = "";
            case 7 -> {
                fields[4] = "many";
                fields[5] = "";
            }
            default -> {
                return Arrays.copyOf(fields, 4);
            }
        }
        return fields;
    }
}
