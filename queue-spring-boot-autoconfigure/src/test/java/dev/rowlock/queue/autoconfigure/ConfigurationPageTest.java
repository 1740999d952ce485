package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code docs/configuration.md} lists what Boot's annotation processor found in {@link RowlockProperties}. After a change,
 * {@code mvn -pl queue-spring-boot-autoconfigure -am test -Dtest=ConfigurationPageTest -Drowlock.test.docs.write=true
 * -Dsurefire.failIfNoSpecifiedTests=false} writes the tables anew.
 */
class ConfigurationPageTest {

    private static final Path PAGE = Path.of("..", "docs", "configuration.md");

    private static final Path METADATA = Path.of("target", "classes", "META-INF", "spring-configuration-metadata.json");

    private static final String BEGIN = "<!-- table begin: written by ConfigurationPageTest -->\n";
    private static final String END = "<!-- table end -->";

    private static final String QUEUES = "rowlock.queues";

    @Test
    void thePageListsEveryPropertyWithItsDefaultAndItsDescription() throws IOException {
        String page = Files.readString(PAGE);
        String expected =
                page.substring(0, page.indexOf(BEGIN) + BEGIN.length()) + table() + page.substring(page.indexOf(END));

        if (Boolean.getBoolean("rowlock.test.docs.write")) {
            Files.writeString(PAGE, expected);
            return;
        }

        assertThat(page).isEqualTo(expected);
    }

    @Test
    void everyPropertyHasADescription() throws IOException {
        assertThat(properties())
                .isNotEmpty()
                .allSatisfy(property -> assertThat(property.path("description").asString(""))
                        .as(property.path("name").asString())
                        .hasSizeGreaterThan(10)
                        .endsWith("."));
    }

    /** The processor does not look into maps. */
    @Test
    void thePageNamesEverySettingOfAQueue() throws IOException {
        List<String> names = new ArrayList<>();
        collect(QUEUES + ".<name>", RowlockProperties.Queue.class, names);

        assertThat(Files.readString(PAGE)).contains(names);
    }

    private static void collect(String prefix, Class<?> settings, List<String> names) {
        for (RecordComponent component : settings.getRecordComponents()) {
            String name = prefix + '.' + dashed(component.getName());
            if (component.getType().isRecord()
                    && ClassUtils.getPackageName(component.getType())
                            .equals(RowlockProperties.class.getPackageName())) {
                collect(name, component.getType(), names);
            } else {
                names.add('`' + name + '`');
            }
        }
    }

    private static String dashed(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static String table() throws IOException {
        return properties().stream()
                .filter(property -> !property.path("name").asString().equals(QUEUES))
                .sorted(Comparator.comparing(property -> property.path("name").asString()))
                .map(property -> row(property.path("name").asString(), property))
                .collect(Collectors.joining("", "\n| property | default | |\n| --- | --- | --- |\n", "\n"));
    }

    private static String row(String name, JsonNode property) {
        JsonNode value = property.path("defaultValue");
        String shown = value.isMissingNode()
                ? ""
                : '`' + (value.isArray() ? String.join(", ", texts(value)) : value.asString()) + '`';
        return "| `%s` | %s | %s |\n"
                .formatted(name, shown, property.path("description").asString(""));
    }

    private static List<String> texts(JsonNode array) {
        return array.valueStream().map(JsonNode::asString).toList();
    }

    private static List<JsonNode> properties() throws IOException {
        assertThat(METADATA)
                .as("made by Boot's annotation processor when Maven compiles")
                .exists();
        return JsonMapper.shared()
                .readTree(Files.readString(METADATA))
                .path("properties")
                .valueStream()
                .toList();
    }
}
