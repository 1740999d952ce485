package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaTest {

    @ParameterizedTest
    @ValueSource(strings = {"rowlock", "_jobs", "tenant_7", "user", "a"})
    void lowerCaseNamesAreAllowedAlsoKeywords(String name) {
        assertThat(new Schema(name).sql("SELECT nextval('rowlock.job_id') FROM rowlock.ready r"))
                .isEqualTo("SELECT nextval('\"%1$s\".job_id') FROM \"%1$s\".ready r".formatted(name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Jobs",
                "7up",
                "a-b",
                "a.b",
                "a\"b",
                "a'b",
                "a b",
                "pg_jobs",
                "größe",
                "rowlock\n",
                "a123456789012345678901234567890123456789x"
            })
    void everythingElseIsRefusedByName(String name) {
        assertThatThrownBy(() -> new Schema(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("schema name");
    }

    @Test
    void aLongerNameThatEndsLikeTheDefaultStaysAsItIs() {
        assertThat(new Schema("a").sql("FROM old_rowlock.ready, rowlock.ready, \"rowlock\".ready"))
                .isEqualTo("FROM old_rowlock.ready, \"a\".ready, \"rowlock\".ready");
    }

    @Test
    void eachSchemaHasItsOwnChannel() {
        assertThat(new Schema("a").channel()).isNotEqualTo(new Schema("b").channel());
    }
}
