package dev.rowlock.sample.catalog;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads a CSV file (RFC 4180, UTF-8) into rows. Judges the file as a whole, not its rows. */
final class CatalogFile {

    private static final int MAX_ROWS = 50_000;
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private CatalogFile() {}

    /**
     * @return the rows below the header, at least one
     * @throws InvalidCatalogException if it is not a CSV file with the columns of a catalog
     */
    static List<CatalogRow> read(byte[] csv) {
        try (CsvReader<CsvRecord> reader = reader(decode(csv))) {
            Iterator<CsvRecord> records = reader.iterator();
            if (!records.hasNext()) {
                throw new InvalidCatalogException(
                        "the file is empty: expected a header with the columns " + Column.all());
            }
            return rows(records.next(), records);
        } catch (CsvParseException e) {
            throw new InvalidCatalogException("the file is not valid CSV: " + reason(e));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static CsvReader<CsvRecord> reader(String text) {
        return CsvReader.builder()
                .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                .allowUnclosedQuote(false)
                .ofCsvRecord(text);
    }

    private static List<CatalogRow> rows(CsvRecord header, Iterator<CsvRecord> records) {
        Map<Column, Integer> positions = positions(header);
        List<CatalogRow> rows = new ArrayList<>();
        while (records.hasNext()) {
            if (rows.size() == MAX_ROWS) {
                throw new InvalidCatalogException("the file has more than %d rows: split it".formatted(MAX_ROWS));
            }
            rows.add(row(records.next(), positions, header.getFieldCount()));
        }
        if (rows.isEmpty()) {
            throw new InvalidCatalogException("the file has a header and no rows");
        }
        return rows;
    }

    private static CatalogRow row(CsvRecord record, Map<Column, Integer> positions, int expectedCount) {
        Map<Column, String> fields = new EnumMap<>(Column.class);
        positions.forEach((column, position) -> {
            if (position < record.getFieldCount()) {
                fields.put(column, record.getField(position).strip());
            }
        });
        return new CatalogRow(record.getStartingLineNumber(), fields, record.getFieldCount(), expectedCount);
    }

    private static Map<Column, Integer> positions(CsvRecord header) {
        List<String> names = header.getFields().stream()
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .toList();
        Map<Column, Integer> positions = new EnumMap<>(Column.class);
        for (Column column : Column.values()) {
            int position = names.indexOf(column.header());
            if (position < 0) {
                throw new InvalidCatalogException(
                        "the first line has no column '%s': a catalog has the columns %s, separated by commas"
                                .formatted(column.header(), Column.all()));
            }
            if (position != names.lastIndexOf(column.header())) {
                throw new InvalidCatalogException(
                        "the first line has the column '%s' twice".formatted(column.header()));
            }
            positions.put(column, position);
        }
        return positions;
    }

    private static String decode(byte[] csv) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(csv))
                    .toString();
            return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw new InvalidCatalogException("the file is not UTF-8 text");
        }
    }

    private static String reason(CsvParseException e) {
        Throwable cause = e.getCause();
        return cause == null || cause.getMessage() == null ? String.valueOf(e.getMessage()) : cause.getMessage();
    }
}
