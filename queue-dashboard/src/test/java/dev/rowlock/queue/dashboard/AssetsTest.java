package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.dashboard.web.Assets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files that a browser loads. */
class AssetsTest {

    private static final Path FOLDER = Path.of("src/main/resources", Assets.FOLDER);

    private static final long MAX_BYTES = 150_000;

    @Test
    void allScriptsAndStylesTogetherHaveLessThan150Kilobytes() throws IOException {
        long bytes = 0;
        for (Path file : files()) {
            bytes += Files.size(file);
        }

        assertThat(bytes).isLessThan(MAX_BYTES).isGreaterThan(50_000);
    }

    @Test
    void theListNamesEveryFile() throws IOException {
        assertThat(files().stream()
                        .map(file -> FOLDER.relativize(file).toString().replace('\\', '/')))
                .containsExactlyInAnyOrderElementsOf(Assets.NAMES);
    }

    @Test
    void ourScriptsNeverTurnTextIntoHtmlAndStylesAreNeverInline() throws IOException {
        for (Path file : files()) {
            if (!file.toString().endsWith(".svg")) {
                assertThat(Files.readString(file))
                        .as(file.toString())
                        .doesNotContain(
                                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser")
                        .doesNotContain(" style=", "<style", "onclick=", "javascript:");
            }
        }
    }

    /** So the page works below any prefix, and loads nothing from elsewhere. */
    @Test
    void allAddressesAreRelative() throws IOException {
        for (Path file : files()) {
            assertThat(Files.readString(file))
                    .as(file.toString())
                    .doesNotContainPattern("(href|src)=\"(/|http)")
                    .doesNotContainPattern("(fetch|EventSource)\\([`'\"]/")
                    .doesNotContainPattern("https?://(?!www\\.w3\\.org/2000/svg)");
        }
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(FOLDER)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }
}
