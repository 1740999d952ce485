package dev.rowlock.sample.picture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.ResourcePatternResolver;
import org.springframework.stereotype.Component;

/**
 * The pictures that catalogs may refer to. Stands for a service elsewhere, and fails like one, so that retries and dead
 * jobs can be seen: {@code flaky-mug-red.jpg} is {@code mug-red.jpg}, but cannot be had at a job's first attempt;
 * {@code offline-mug-red.jpg} never can; and those that begin with {@code broken-} are no pictures.
 */
@Component
@ImportRuntimeHints(PictureShelf.Hints.class)
public class PictureShelf {

    private static final String FLAKY = "flaky-";
    private static final String OFFLINE = "offline-";
    private static final String BROKEN = "broken-";

    private final Map<String, Resource> pictures = new HashMap<>();

    /** Takes the pictures into a native image. */
    static final class Hints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            hints.resources().registerPattern("pictures/*.jpg");
        }
    }

    public PictureShelf(ResourcePatternResolver resources) throws IOException {
        for (Resource picture : resources.getResources("classpath:pictures/*.jpg")) {
            String name = Objects.requireNonNull(picture.getFilename());
            pictures.put(name, picture);
            if (!name.startsWith(BROKEN)) {
                pictures.put(FLAKY + name, picture);
                pictures.put(OFFLINE + name, picture);
            }
        }
    }

    public Set<String> names() {
        return Set.copyOf(pictures.keySet());
    }

    /**
     * The bytes of a picture.
     *
     * @throws PictureUnavailableException if it cannot be had now
     */
    public byte[] fetch(String name, int attempt) {
        Resource picture = pictures.get(name);
        if (picture == null) {
            throw new PictureUnavailableException("there is no picture '%s'".formatted(name));
        }
        if (name.startsWith(OFFLINE) || (name.startsWith(FLAKY) && attempt == 1)) {
            throw new PictureUnavailableException("the server of picture '%s' does not answer".formatted(name));
        }
        try {
            return picture.getContentAsByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
