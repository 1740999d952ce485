package dev.rowlock.sample.imports;

import dev.rowlock.sample.SampleProperties;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ResponseStatusException;

/** Takes catalogs and says how far they are. */
@RestController
@RequestMapping("/imports")
class ImportController {

    private static final String CSV = "text/csv";
    private static final int MAX_PAGE = 500;

    private final Imports imports;
    private final ImportProgressQuery progress;
    private final ImportDetails details;
    private final int maxUpload;

    ImportController(
            Imports imports, ImportProgressQuery progress, ImportDetails details, SampleProperties properties) {
        this.imports = imports;
        this.progress = progress;
        this.details = details;
        this.maxUpload = Math.toIntExact(properties.maxUpload().toBytes());
    }

    record Accepted(long id, String status, Map<String, String> links) {}

    record Progress(ImportProgress progress, List<ImportProgressQuery.NodeShare> nodes, Map<String, String> links) {}

    /** {@code curl -F file=@catalog.csv localhost:8080/imports} */
    @PostMapping(consumes = MediaType.MULTIPART_FORM_DATA_VALUE)
    ResponseEntity<Accepted> upload(@RequestParam MultipartFile file) throws IOException {
        String name = file.getOriginalFilename();
        return accept(name == null || name.isBlank() ? "catalog.csv" : name, file.getBytes());
    }

    /** {@code curl -H 'Content-Type: text/csv' --data-binary @catalog.csv localhost:8080/imports} */
    @PostMapping(consumes = CSV)
    ResponseEntity<Accepted> post(
            HttpServletRequest request, @RequestParam(defaultValue = "catalog.csv") String fileName)
            throws IOException {
        byte[] csv = request.getInputStream().readNBytes(maxUpload + 1);
        if (csv.length > maxUpload) {
            throw new ResponseStatusException(
                    HttpStatus.CONTENT_TOO_LARGE, "a catalog may have at most %d bytes".formatted(maxUpload));
        }
        return accept(fileName, csv);
    }

    private ResponseEntity<Accepted> accept(String fileName, byte[] csv) {
        long id = imports.accept(FileNames.shown(fileName), csv);
        return ResponseEntity.accepted()
                .location(URI.create("/imports/" + id))
                .body(new Accepted(id, "accepted", links(id)));
    }

    @GetMapping
    List<ImportDetails.Summary> latest() {
        return details.latest(20);
    }

    @GetMapping("/{id}")
    ResponseEntity<Progress> progress(@PathVariable long id) {
        return ResponseEntity.of(
                progress.report(id).map(found -> new Progress(found.progress(), found.nodes(), links(id))));
    }

    @GetMapping("/{id}/rejections")
    List<ImportDetails.Rejection> rejections(
            @PathVariable long id,
            @RequestParam(defaultValue = "0") long after,
            @RequestParam(defaultValue = "100") int limit) {
        return details.rejections(id, after, page(limit));
    }

    @GetMapping("/{id}/dead")
    List<ImportDetails.Dead> dead(
            @PathVariable long id,
            @RequestParam(defaultValue = "0") long after,
            @RequestParam(defaultValue = "100") int limit) {
        return details.dead(id, after, page(limit));
    }

    @GetMapping("/{id}/products")
    List<ImportDetails.Stocked> products(@PathVariable long id, @RequestParam(defaultValue = "24") int limit) {
        return details.stocked(id, page(limit));
    }

    private static int page(int limit) {
        if (limit < 1 || limit > MAX_PAGE) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "limit %d must lie between 1 and %d".formatted(limit, MAX_PAGE));
        }
        return limit;
    }

    private static Map<String, String> links(long id) {
        String self = "/imports/" + id;
        return Map.of(
                "self", self,
                "rejections", self + "/rejections",
                "dead", self + "/dead",
                "products", self + "/products");
    }
}
