package dev.rowlock.queue.test.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.test.postgres.Selection.Kind;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SelectionTest {

    @Test
    void usesAContainerOfTheNewestVersionWhereAnEngineAnswers() {
        Selection selection = Selection.of(key -> null, () -> true);

        assertThat(selection.kind()).isEqualTo(Kind.CONTAINER);
        assertThat(selection.target()).isEqualTo("postgres:18");
        assertThat(selection.reason()).isEqualTo("a Docker engine answers");
    }

    @Test
    void usesAnEmbeddedServerWhereNoEngineAnswers() {
        Selection selection = Selection.of(key -> null, () -> false);

        assertThat(selection.kind()).isEqualTo(Kind.EMBEDDED);
        assertThat(selection.reason()).isEqualTo("no Docker engine answers");
    }

    @Test
    void obeysTheCommandLineWhateverTheMachineOffers() {
        assertThat(select(Map.of(Selection.SERVER, "embedded")).kind()).isEqualTo(Kind.EMBEDDED);
        assertThat(select(Map.of(Selection.SERVER, "container")).kind()).isEqualTo(Kind.CONTAINER);
        assertThat(select(Map.of(Selection.SERVER, "jdbc:postgresql://db/x")).kind())
                .isEqualTo(Kind.URL);
    }

    @Test
    void theVersionSelectsTheImageUnlessAnImageIsGiven() {
        assertThat(select(Map.of(Selection.SERVER, "container", Selection.VERSION, "15"))
                        .target())
                .isEqualTo("postgres:15");
        assertThat(select(Map.of(Selection.SERVER, "container", Selection.IMAGE, "mine:1"))
                        .target())
                .isEqualTo("mine:1");
    }

    @Test
    void refusesValuesThatMeanNothingAndSaysWhatIsAllowed() {
        assertThatThrownBy(() -> select(Map.of(Selection.SERVER, "docker")))
                .hasMessageContaining("-Drowlock.test.postgres=docker: must be container, embedded or a URL");
        assertThatThrownBy(() -> select(Map.of(Selection.SERVER, "embedded", Selection.VERSION, "13")))
                .hasMessageContaining("-Drowlock.test.postgres.version=13")
                .hasMessageContaining("14 to 18");
        assertThatThrownBy(() -> select(Map.of(Selection.SERVER, "embedded", Selection.VERSION, "18.1")))
                .hasMessageContaining("14 to 18");
        assertThatThrownBy(() -> select(Map.of(Selection.SERVER, "embedded", Selection.IMAGE, "mine:1")))
                .hasMessageContaining("only containers have an image");
    }

    @Test
    void refusesAServerOfAnotherVersionThanAskedFor() {
        Selection selection = select(Map.of(Selection.SERVER, "embedded", Selection.VERSION, "14"));

        selection.requireVersion(14);
        assertThatThrownBy(() -> selection.requireVersion(18))
                .hasMessageContaining("-Drowlock.test.postgres.version=14, but the server is PostgreSQL 18");
    }

    private static Selection select(Map<String, String> properties) {
        return Selection.of(properties::get, () -> {
            throw new AssertionError("the choice was made, the engine need not be asked");
        });
    }
}
