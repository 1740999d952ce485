package dev.rowlock.queue.test.browser;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openqa.selenium.chrome.ChromeDriver;

/** A page as the browser tells it to screen readers: roles and names. */
final class SpokenPage {

    private static final Set<String> NAMED = Set.of(
            "button",
            "checkbox",
            "columnheader",
            "combobox",
            "dialog",
            "heading",
            "image",
            "link",
            "main",
            "meter",
            "navigation",
            "progressbar",
            "region",
            "rowheader",
            "search",
            "searchbox",
            "spinbutton",
            "textbox");

    private static final Set<String> HEADERS = Set.of("rowheader", "columnheader");

    private final Map<String, Map<String, Object>> nodes;

    private SpokenPage(Map<String, Map<String, Object>> nodes) {
        this.nodes = nodes;
    }

    @SuppressWarnings("unchecked")
    static SpokenPage of(ChromeDriver driver) {
        List<Map<String, Object>> all = (List<Map<String, Object>>)
                Objects.requireNonNull(driver.executeCdpCommand("Accessibility.getFullAXTree", Map.of())
                        .get("nodes"));
        // Chromium names a text of the style sheet twice.
        return new SpokenPage(all.stream()
                .collect(Collectors.toMap(
                        node -> String.valueOf(node.get("nodeId")), Function.identity(), (one, same) -> one)));
    }

    /** What has no name, and rows that do not say of what they are. */
    List<String> barriers() {
        List<String> barriers = new ArrayList<>();
        nodes.values().stream()
                .filter(node -> !Boolean.TRUE.equals(node.get("ignored")))
                .forEach(node -> {
                    String role = text(node, "role");
                    if (NAMED.contains(role) && text(node, "name").isBlank()) {
                        barriers.add("a %s has no name, below '%s'".formatted(role, nameAbove(node)));
                    }
                    if (role.equals("row")
                            && children(node).noneMatch(child -> HEADERS.contains(text(child, "role")))) {
                        barriers.add("a row has no header, below '%s'".formatted(nameAbove(node)));
                    }
                });
        return barriers;
    }

    @SuppressWarnings("unchecked")
    private Stream<Map<String, Object>> children(Map<String, Object> node) {
        return ((List<String>) node.getOrDefault("childIds", List.of()))
                .stream().map(nodes::get).filter(Objects::nonNull);
    }

    private String nameAbove(Map<String, Object> node) {
        Map<String, Object> above = nodes.get(String.valueOf(node.get("parentId")));
        return above == null ? "" : text(above, "name").isBlank() ? nameAbove(above) : text(above, "name");
    }

    private static String text(Map<String, Object> node, String property) {
        return node.get(property) instanceof Map<?, ?> value ? Objects.toString(value.get("value"), "") : "";
    }
}
