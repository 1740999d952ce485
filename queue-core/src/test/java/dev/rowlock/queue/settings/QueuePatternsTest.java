package dev.rowlock.queue.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueuePatternsTest {

    @ParameterizedTest
    @CsvSource({
        "mail, mail, true",
        "mail, mails, false",
        "mail, e-mail, false",
        "mail-*, mail-eu, true",
        "mail-*, mail-, true",
        "mail-*, mail, false",
        "*-mail, eu-mail, true",
        "*-mail, eu-mail-mail, true",
        "a*b*c, aXbYbZc, true",
        "a*b*c, aXbYbZ, false",
        "*, anything, true",
        "m.il, mail, false"
    })
    void aStarStandsForAnyCharacters(String pattern, String queue, boolean matches) {
        assertThat(QueuePatterns.of(pattern).matches(queue)).isEqualTo(matches);
    }

    @Test
    void theLastPatternThatFitsDecides() {
        QueuePatterns patterns = QueuePatterns.of("*", "!mail-*", "mail-eu");

        assertThat(patterns.matches("import")).isTrue();
        assertThat(patterns.matches("mail-us")).isFalse();
        assertThat(patterns.matches("mail-eu")).isTrue();
    }

    @Test
    void patternsThatFitNoQueueAreNamed() {
        assertThat(QueuePatterns.of("*", "mial-*", "!import").unmatched(List.of("mail-eu", "reports")))
                .containsExactly("mial-*", "!import");
    }

    @Test
    void patternsThatMeanNothingAreRefused() {
        assertThatThrownBy(() -> new QueuePatterns(List.of())).hasMessageContaining("no queue is named");
        assertThatThrownBy(() -> QueuePatterns.of("mail", " ")).hasMessageContaining("is empty");
        assertThatThrownBy(() -> QueuePatterns.of("!mail")).hasMessageContaining("takes away from nothing");
    }
}
