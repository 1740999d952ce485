package dev.rowlock.queue;

import static dev.rowlock.queue.OurCode.BASE;
import static dev.rowlock.queue.OurCode.MAIN;
import static dev.rowlock.queue.OurCode.sources;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/api.txt} lists the types that applications may use, each with the first sentence of its Javadoc: a type that becomes public is a promise for
 * long, so it is to be seen in a review. {@code make test T=PublicTypesTest A=-Drowlock.test.docs.write=true} writes it anew.
 */
class PublicTypesTest {

    private static final Path LIST = Path.of("..", "docs", "api.txt");

    private static final Pattern TYPE = Pattern.compile(
            "(?s)/\\*\\*(?<javadoc>(?:(?!\\*/).)*)\\*/\\s*(?:@[^\\n]*\\n)*public (?:[a-z-]+ )*(?:class|interface|record|enum|@interface) (?<name>\\w+)");

    private static final Pattern FIRST_SENTENCE = Pattern.compile("(?s)^(.*?\\.)(?:\\s|$)");

    @Test
    void eachPublicTypeIsOnTheListWithItsReason() throws IOException {
        TreeMap<String, String> reasons = new TreeMap<>();
        for (Path file : sources(path -> !path.toString().contains("internal"))) {
            Matcher type = TYPE.matcher(Files.readString(file));
            if (type.find()) {
                String path = file.toString().replace('\\', '/');
                String folder = path.substring(path.indexOf("dev/rowlock/queue"), path.lastIndexOf('/'));
                reasons.put(folder.replace('/', '.') + "." + type.group("name"), reason(type.group("javadoc")));
            }
        }
        String list = reasons.entrySet().stream()
                .map(type -> type.getKey().substring(BASE.length() + 1) + "  " + type.getValue() + "\n")
                .collect(Collectors.joining());

        if (Boolean.getBoolean("rowlock.test.docs.write")) {
            Files.writeString(LIST, list);
        }

        assertThat(reasons.keySet()).isEqualTo(publicTypes());
        assertThat(reasons.values()).allSatisfy(reason -> assertThat(reason).hasSizeGreaterThan(10));
        assertThat(Files.readString(LIST)).isEqualTo(list);
    }

    private static Set<String> publicTypes() {
        return MAIN.stream()
                .filter(type -> type.isTopLevelClass()
                        && type.getModifiers().contains(JavaModifier.PUBLIC)
                        && !type.getPackageName().startsWith(BASE + ".internal"))
                .map(JavaClass::getName)
                .collect(Collectors.toSet());
    }

    private static String reason(String javadoc) {
        String text = javadoc.replaceAll("\\n\\s*\\*", " ")
                .replaceAll("\\{@\\w+ (?:[^}]*?#|[a-z.]+\\.)?([^}]*)}", "$1")
                .replaceAll("<[^>]*>", "")
                .replaceAll("\\s+", " ")
                .strip();
        Matcher sentence = FIRST_SENTENCE.matcher(text);
        return sentence.find() ? sentence.group(1) : text;
    }
}
