package dev.rowlock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.AutoConfigureRowlock;
import dev.rowlock.queue.test.TestJobs;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;

@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = "sample.max-upload=10KB")
@AutoConfigureRowlock
@AutoConfigureEmbeddedPostgres
class UploadTest {

    private static final String HEADER = "sku,name,description,price,quantity,picture\r\n";

    private final Shop shop;
    private final JdbcClient jdbc;
    private final TestJobs jobs;

    private record Problem(String title, String detail) {}

    UploadTest(@LocalServerPort int port, @Autowired JdbcClient jdbc, @Autowired TestJobs jobs) {
        this.shop = new Shop(port);
        this.jdbc = jdbc;
        this.jobs = jobs;
    }

    @Test
    void aFormIsAcceptedWithALinkToFollow() {
        MultiValueMap<String, Object> form = new LinkedMultiValueMap<>();
        form.add("file", file("../<b>my</b> catalog.csv", HEADER + "MUG-1,Mug,,1,2,mug-red.jpg\r\n"));

        ResponseEntity<Shop.Accepted> accepted =
                shop.http().post().uri("/imports").body(form).retrieve().toEntity(Shop.Accepted.class);

        assertThat(accepted.getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);
        long id = body(accepted).id();
        assertThat(accepted.getHeaders().getLocation()).hasPath("/imports/" + id);
        runAll();
        assertThat(shop.progress(id)).isEqualTo(new Shop.Progress("finished", 100, 1, 0, 1, 0, 0));
    }

    @Test
    void aCatalogWithoutAGoodRowEndsToo() {
        ResponseEntity<Shop.Accepted> accepted = post(HEADER + ",,,,,\r\n", Shop.Accepted.class);

        long id = body(accepted).id();
        runAll();
        assertThat(shop.progress(id)).isEqualTo(new Shop.Progress("finished", 100, 1, 1, 0, 0, 0));
    }

    @Test
    void aFileThatIsNoCatalogIsABadRequestAndLeavesNothing() {
        long before = imports();

        ResponseEntity<Problem> refused = post("name;price\nMug;1\n", Problem.class);

        assertThat(refused.getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
        assertThat(refused.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
        assertThat(body(refused).detail()).startsWith("the first line has no column 'sku'");
        assertThat(imports()).isEqualTo(before);
    }

    @Test
    void aFileThatIsTooLargeIsRefused() {
        ResponseEntity<Problem> refused = post(HEADER + "x".repeat(10 * 1024), Problem.class);

        assertThat(refused.getStatusCode()).isEqualTo(HttpStatus.CONTENT_TOO_LARGE);
        assertThat(body(refused).detail()).isEqualTo("a catalog may have at most 10240 bytes");
    }

    @Test
    void anImportThatDoesNotExistIsNotFound() {
        assertThat(status("/imports/999999")).isEqualTo(HttpStatus.NOT_FOUND);
        assertThat(status("/products/NONE/pictures/80")).isEqualTo(HttpStatus.NOT_FOUND);
        assertThat(status("/imports/1/rejections?limit=100000")).isEqualTo(HttpStatus.BAD_REQUEST);
    }

    /** The end of an import waits for its products. */
    private void runAll() {
        jobs.drain().requireSuccess();
        jobs.advance(Duration.ofMinutes(1));
        jobs.drain().requireSuccess();
    }

    private <T> ResponseEntity<T> post(String csv, Class<T> type) {
        return shop.http()
                .post()
                .uri("/imports")
                .contentType(MediaType.parseMediaType("text/csv"))
                .body(csv.getBytes(StandardCharsets.UTF_8))
                .retrieve()
                .onStatus(status -> status.isError(), (request, response) -> {})
                .toEntity(type);
    }

    private static <T> T body(ResponseEntity<T> response) {
        return Objects.requireNonNull(response.getBody());
    }

    private Object status(String path) {
        return shop.http()
                .get()
                .uri(path)
                .retrieve()
                .onStatus(status -> status.isError(), (request, response) -> {})
                .toBodilessEntity()
                .getStatusCode();
    }

    private long imports() {
        return new Books(jdbc).number("SELECT count(*) FROM catalog_import");
    }

    private static ByteArrayResource file(String name, String content) {
        return new ByteArrayResource(content.getBytes(StandardCharsets.UTF_8)) {
            @Override
            public String getFilename() {
                return name;
            }
        };
    }
}
