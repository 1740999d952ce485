package dev.rowlock.queue.schema;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** What the scripts make together: one line for each column, index, sequence and function. A test compares the list with new tables. */
public final class SchemaObjects {

    private static final String FILE = "objects.txt";

    private SchemaObjects() {}

    /** As a schema has them whose name does not matter. */
    public static List<String> all() {
        try (InputStream file = Objects.requireNonNull(SchemaObjects.class.getResourceAsStream(FILE), FILE)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
