package dev.rowlock.queue.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {

    @ParameterizedTest
    @ValueSource(strings = {"a", "7", "mail", "Mail", "send-mail", "shop.orders:new/eu_1", "ABC"})
    void lettersDigitsAndFewSignsMakeAName(String name) {
        assertThat(Names.queue(name)).isEqualTo(name);
        assertThat(Names.type(name)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "-mail", ".mail", "a b", "a,b", "a'b", "a\"b", "größe", "a\n", "a\u0000", "名前", "a;b"})
    void everythingElseIsRefusedWithTheRule(String name) {
        assertThatThrownBy(() -> Names.queue(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("queue name '")
                .hasMessageContaining("1 to 100 letters");
        assertThatThrownBy(() -> Names.type(name)).hasMessageStartingWith("job type name '");
    }

    @Test
    void aNameMayHaveAHundredCharactersAndNoMore() {
        assertThat(Names.queue("a".repeat(100))).hasSize(100);
        assertThatThrownBy(() -> Names.queue("a".repeat(101))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRefusalIsSafeToLog() {
        assertThatThrownBy(() -> Names.queue("a\r\nINFO all is well" + "x".repeat(10_000)))
                .message()
                .doesNotContain("\n", "\r")
                .hasSizeLessThan(300);
    }
}
