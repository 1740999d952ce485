package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.dashboard.access.AccessLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The settings, and the page that lists them. With {@code -Drowlock.test.docs.write=true} it writes the table anew. */
class SettingsPageTest {

    private static final Path PAGE = Path.of("..", "docs", "dashboard.md");
    private static final Path METADATA = Path.of("target", "classes", "META-INF", "spring-configuration-metadata.json");
    private static final String BEGIN = "<!-- tables begin: written by SettingsPageTest -->\n";
    private static final String END = "<!-- tables end -->";

    @Test
    void thePageListsEverySetting() throws IOException {
        String page = Files.readString(PAGE);
        String expected =
                page.substring(0, page.indexOf(BEGIN) + BEGIN.length()) + table() + page.substring(page.indexOf(END));

        if (Boolean.getBoolean("rowlock.test.docs.write")) {
            Files.writeString(PAGE, expected);
            return;
        }

        assertThat(page).isEqualTo(expected);
    }

    private static String table() throws IOException {
        StringBuilder table = new StringBuilder("| property | default | |\n| --- | --- | --- |\n");
        for (JsonNode property :
                JsonMapper.shared().readTree(Files.readString(METADATA)).get("properties")) {
            String value = property.path("defaultValue").asString("");
            assertThat(property.path("description").asString(""))
                    .hasSizeGreaterThan(10)
                    .endsWith(".");
            table.append("| `%s` | %s | %s |\n"
                    .formatted(
                            property.get("name").asString(),
                            value.isEmpty() ? "" : "`" + value + "`",
                            property.get("description").asString()));
        }
        return table.toString();
    }

    @ParameterizedTest
    @CsvSource({
        "path, rowlock",
        "path, /rowlock/",
        "path, /a/../b",
        "path, '/a b'",
        "title, ''",
        "logo, https://evil.example/logo.png",
        "logo, //evil.example/logo.png",
        "logo, javascript:alert(1)",
        "accent, red",
        "trace-link, 'javascript:alert(1)//{traceId}'",
        "trace-link, https://traces.example",
        "payloads, none"
    })
    void aValueThatIsNotAllowedStopsTheStart(String name, String value) {
        assertThatThrownBy(() -> bound(name, value)).rootCause().hasMessageContaining("rowlock.dashboard." + name);
    }

    @Test
    void valuesThatAreAllowedAreTaken() {
        assertThat(bound("payloads", "read-only").payloads()).isEqualTo(AccessLevel.READ_ONLY);
        assertThat(bound("logo", "/images/logo.svg").logo()).isEqualTo("/images/logo.svg");
        assertThat(bound("logo", "data:image/svg+xml;base64,AAAA").logo()).startsWith("data:");
        assertThat(bound("path", "/ops/jobs").path()).isEqualTo("/ops/jobs");
        assertThat(bound("trace-link", "http://localhost:3000/t/{traceId}?x=1").traceLink())
                .contains("{traceId}");
    }

    private static DashboardProperties bound(String name, String value) {
        return new Binder(new MapConfigurationPropertySource(Map.of("rowlock.dashboard." + name, value)))
                .bindOrCreate("rowlock.dashboard", DashboardProperties.class);
    }
}
