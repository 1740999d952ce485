package dev.rowlock.sample.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.sample.catalog.Catalog;
import dev.rowlock.sample.picture.PictureShelf;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

class SampleCatalogTest {

    @Test
    void theShippedCatalogIsTheGeneratedOne() throws IOException {
        assertThat(new ClassPathResource("static/catalog.csv").getContentAsString(StandardCharsets.UTF_8))
                .as("run Generate after changing the generator")
                .isEqualTo(SampleCatalog.csv());
    }

    @Test
    void everyPictureIsShipped() throws IOException {
        assertThat(SamplePictures.all().keySet())
                .allSatisfy(name -> assertThat(new ClassPathResource("pictures/" + name).exists())
                        .as(name)
                        .isTrue());
    }

    @Test
    void theCatalogHasAThousandRowsOfAllKinds() throws IOException {
        Set<String> pictures = new PictureShelf(new PathMatchingResourcePatternResolver()).names();

        Catalog catalog = Catalog.read(SampleCatalog.csv().getBytes(StandardCharsets.UTF_8), pictures);

        assertThat(catalog.rows()).isEqualTo(SampleCatalog.ROWS);
        assertThat(catalog.rejections()).hasSize(SampleCatalog.BAD);
        assertThat(pictures("broken-", catalog)).isEqualTo(SampleCatalog.BROKEN);
        assertThat(pictures("offline-", catalog)).isEqualTo(SampleCatalog.OFFLINE);
        assertThat(pictures("flaky-", catalog)).isEqualTo(SampleCatalog.FLAKY);
    }

    private static long pictures(String prefix, Catalog catalog) {
        return catalog.items().stream()
                .filter(item -> item.product().picture().startsWith(prefix))
                .count();
    }
}
