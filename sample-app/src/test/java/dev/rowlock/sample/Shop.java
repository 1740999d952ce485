package dev.rowlock.sample;

import static org.awaitility.Awaitility.await;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;

/** The sample as its users see it: over HTTP. */
public final class Shop {

    private static final Resource CATALOG = new ClassPathResource("static/catalog.csv");

    private final RestClient http;

    public Shop(int port) {
        this.http = RestClient.create("http://localhost:" + port);
    }

    /** The figures of an import that are the same each time it has ended. */
    public record Progress(
            String status,
            int percent,
            @Nullable Integer rows,
            long rejected,
            long resized,
            long dead,
            long recovered) {

        public static final Progress OF_THE_SAMPLE_CATALOG = new Progress("finished", 100, 1000, 24, 964, 12, 30);

        boolean ended() {
            return status.equals("finished");
        }
    }

    public record Accepted(long id, String status) {}

    public record Rejection(long line, String sku, String reason) {}

    public record Dead(long line, String sku, String picture, List<Failure> failures) {}

    public record Failure(int attempt, String type, String message) {}

    public record Stocked(String sku, String node, int attempt) {}

    public record Notification(long importId, String message) {}

    public record PriceCheck(int products, int corrected) {}

    public record PriceChecks(List<Instant> next, List<PriceCheck> latest) {}

    private record NodeShare(String node, long products) {}

    private record Answer(Progress progress, List<NodeShare> nodes) {}

    public RestClient http() {
        return http;
    }

    /** Returns the import's id. */
    public long importSampleCatalog() {
        return imported(CATALOG);
    }

    /** Only 250 of its 1000 rows, in which there is each kind of error. Returns the import's id. */
    public long importQuarterOfSampleCatalog() throws IOException {
        String all = CATALOG.getContentAsString(StandardCharsets.ISO_8859_1);
        String quarter = all.substring(0, all.lastIndexOf('\n', all.indexOf("-0251,")) + 1);
        return imported(new ByteArrayResource(quarter.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private long imported(Resource catalog) {
        ResponseEntity<Accepted> accepted = http.post()
                .uri("/imports?fileName=sample-catalog.csv")
                .contentType(MediaType.parseMediaType("text/csv"))
                .body(catalog)
                .retrieve()
                .toEntity(Accepted.class);
        String link =
                Objects.requireNonNull(accepted.getHeaders().getLocation()).getPath();
        return Long.parseLong(link.substring("/imports/".length()));
    }

    public Progress progress(long id) {
        return answer(id).progress();
    }

    /** How many products each process did. */
    public Map<String, Long> nodes(long id) {
        return answer(id).nodes().stream().collect(Collectors.toMap(NodeShare::node, NodeShare::products));
    }

    /** However long that takes, as it gets on: nothing new for this long is a failure. */
    public void awaitEnd(long id, Duration patience) {
        Progress last = progress(id);
        while (!last.ended()) {
            Progress before = last;
            last = await().atMost(patience).until(() -> progress(id), now -> !now.equals(before));
        }
    }

    public List<Rejection> rejections(long id) {
        return List.of(get("/imports/%d/rejections".formatted(id), Rejection[].class));
    }

    public List<Dead> dead(long id) {
        return List.of(get("/imports/%d/dead".formatted(id), Dead[].class));
    }

    public List<Stocked> stocked(long id) {
        return List.of(get("/imports/%d/products".formatted(id), Stocked[].class));
    }

    public List<Notification> notifications() {
        return List.of(get("/notifications", Notification[].class));
    }

    public PriceChecks priceChecks() {
        return get("/price-checks", PriceChecks.class);
    }

    public void checkPrices() {
        http.post().uri("/price-checks").retrieve().toBodilessEntity();
    }

    public BufferedImage thumbnail(String sku, int edge) {
        byte[] jpeg = get("/products/%s/pictures/%d".formatted(sku, edge), byte[].class);
        try {
            return ImageIO.read(new ByteArrayInputStream(jpeg));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String text(String path) {
        return get(path, String.class);
    }

    private Answer answer(long id) {
        return get("/imports/" + id, Answer.class);
    }

    private <T> T get(String path, Class<T> type) {
        return Objects.requireNonNull(http.get().uri(path).retrieve().body(type));
    }
}
