package dev.rowlock.sample.product;

import java.time.Duration;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Serves thumbnails. */
@RestController
class PictureController {

    private static final CacheControl A_WHILE = CacheControl.maxAge(Duration.ofMinutes(1));

    private final ProductStore products;

    PictureController(ProductStore products) {
        this.products = products;
    }

    @GetMapping(path = "/products/{sku}/pictures/{edge}", produces = MediaType.IMAGE_JPEG_VALUE)
    ResponseEntity<byte[]> picture(@PathVariable String sku, @PathVariable int edge) {
        return products.thumbnail(sku, edge)
                .map(jpeg -> ResponseEntity.ok().cacheControl(A_WHILE).body(jpeg))
                .orElseGet(() -> ResponseEntity.notFound().build());
    }
}
