package dev.rowlock.sample.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CatalogTest {

    private static final String HEADER = "sku,name,description,price,quantity,picture\r\n";
    private static final Set<String> PICTURES = Set.of("mug.jpg");

    @Test
    void aGoodRowIsAProduct() {
        Catalog catalog = read(HEADER + "MUG-1,Mug,Holds tea,9.50,12,mug.jpg\r\n");

        assertThat(catalog.rejections()).isEmpty();
        assertThat(catalog.items())
                .containsExactly(new Catalog.Item(
                        2, new Product("MUG-1", "Mug", "Holds tea", new BigDecimal("9.50"), 12, "mug.jpg")));
    }

    @Test
    void quotedFieldsMayHoldCommasQuotesAndLineBreaks() {
        Catalog catalog = read(HEADER
                + "MUG-1,\"Mug, \"\"large\"\"\",\"two\r\nlines\",9.50,12,mug.jpg\r\n"
                + "MUG-2,Mug,,oops,1,mug.jpg\r\n");

        assertThat(catalog.items().get(0).product().name()).isEqualTo("Mug, \"large\"");
        assertThat(catalog.items().get(0).product().description()).isEqualTo("two\r\nlines");
        // Where an editor shows it, not the number of the record.
        assertThat(catalog.rejections().get(0).line()).isEqualTo(4);
    }

    @Test
    void columnsMayComeInAnyOrderAndBeMoreThanWeKnow() {
        Catalog catalog =
                read("\uFEFFPicture,SKU,Colour,Name,Price,Quantity,Description\nmug.jpg,MUG-1,red,Mug,1,2,\n");

        assertThat(catalog.items())
                .extracting(item -> item.product().sku(), item -> item.product().quantity())
                .containsExactly(tuple("MUG-1", 2));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                ",Mug,,1,1,mug.jpg             | sku is missing",
                "mug 1,Mug,,1,1,mug.jpg        | sku 'mug 1' is not 1 to 32 of A-Z, 0-9 and -",
                "MUG-1,,,1,1,mug.jpg           | name is missing",
                "MUG-1,Mug,,-1.50,1,mug.jpg    | price -1.50 is negative",
                "MUG-1,Mug,,1e9,1,mug.jpg      | price '1e9' is not a number such as 19.95",
                "MUG-1,Mug,,1.999,1,mug.jpg    | price '1.999' is not a number such as 19.95",
                "MUG-1,Mug,,1,-2,mug.jpg       | quantity -2 is negative",
                "MUG-1,Mug,,1,1.5,mug.jpg      | quantity '1.5' is not a whole number up to 999999",
                "MUG-1,Mug,,1,1,               | picture is missing",
                "MUG-1,Mug,,1,1,../secret      | picture '../secret' is unknown",
                "MUG-1,Mug,,1                  | has 4 fields, the header has 6",
                "MUG-1,Mug,,1,1,mug.jpg,more   | has 7 fields, the header has 6",
                ",,,1,1,mug.jpg                | sku is missing; name is missing",
            })
    void aBadRowIsRejectedWithLineAndReason(String row, String reason) {
        Catalog catalog = read(HEADER + row + "\r\nMUG-9,Mug,,1,1,mug.jpg\r\n");

        assertThat(catalog.rejections())
                .extracting(Catalog.Rejection::line, Catalog.Rejection::reason)
                .containsExactly(tuple(2L, reason));
        assertThat(catalog.items()).hasSize(1);
        assertThat(catalog.rows()).isEqualTo(2);
    }

    @Test
    void theFirstGoodRowOfSeveralWithOneSkuCounts() {
        Catalog catalog = read(
                HEADER + "MUG-1,Mug,,-1,1,mug.jpg\r\n" + "MUG-1,Mug,,1,1,mug.jpg\r\n" + "MUG-1,Mug,,2,1,mug.jpg\r\n");

        assertThat(catalog.items()).extracting(Catalog.Item::line).containsExactly(3L);
        assertThat(catalog.rejections())
                .extracting(Catalog.Rejection::reason)
                .containsExactly("price -1 is negative", "sku 'MUG-1' is already on line 3");
    }

    @Test
    void charactersThatPostgresCannotStoreNeverGetThere() {
        Catalog catalog = read(HEADER + "A\0B,M\0g,,1,1,mug.jpg\r\n");

        assertThat(catalog.items()).isEmpty();
        assertThat(catalog.rejections())
                .extracting(Catalog.Rejection::sku, Catalog.Rejection::reason)
                .containsExactly(
                        tuple("A B", "sku 'A B' is not 1 to 32 of A-Z, 0-9 and -; name has control characters"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``                                                        | the file is empty",
                "sku;name;price                                            | the first line has no column 'sku'",
                "sku,name,sku,description,price,quantity,picture           | the first line has the column 'sku' twice",
                "sku,name,description,price,quantity,picture               | the file has a header and no rows",
                "sku,name,description,price,quantity,picture\\n\"MUG-1,Mug  | the file is not valid CSV",
            })
    void aFileThatIsNoCatalogIsRefusedAsAWhole(String file, String reason) {
        assertThatExceptionOfType(InvalidCatalogException.class)
                .isThrownBy(() -> Catalog.requireReadable(bytes(file.replace("\\n", "\n"))))
                .withMessageStartingWith(reason);
    }

    @Test
    void aFileThatIsNoTextIsRefused() {
        assertThatExceptionOfType(InvalidCatalogException.class)
                .isThrownBy(() -> Catalog.requireReadable(new byte[] {(byte) 0xFF, (byte) 0xD8, 0}))
                .withMessage("the file is not UTF-8 text");
    }

    private static Catalog read(String csv) {
        return Catalog.read(bytes(csv), PICTURES);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
