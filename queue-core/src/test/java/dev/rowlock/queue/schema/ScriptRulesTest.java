package dev.rowlock.queue.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Migrations keep the release before working, and stop no claim for longer than their lock timeout. */
class ScriptRulesTest {

    private static final String GIVES_WAY = "SET LOCAL lock_timeout = '50ms';\n";

    /** The first one makes everything, and nobody works on it meanwhile. */
    @Test
    void everyUpgradeKeepsTheRules() {
        assertThat(Stream.concat(SchemaScript.ALL.stream().skip(1), Stream.of(MigrationGivesWayTest.GIVES_WAY)))
                .isNotEmpty()
                .allSatisfy(script -> assertThat(ScriptRules.broken(script.version(), script.text()))
                        .as(script.name())
                        .isEmpty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE ${schema}.colour (name text PRIMARY KEY); CREATE INDEX c ON ${schema}.colour (name);",
                "CREATE TABLE ${schema}.colour (name text); ALTER TABLE ${schema}.colour ALTER name SET NOT NULL; UPDATE ${schema}.colour SET name = 'red';",
                "ALTER TABLE ${schema}.ready ADD COLUMN colour text;",
                "ALTER TABLE ${schema}.ready ADD colour text COLLATE \"C\", ADD COLUMN IF NOT EXISTS size smallint NOT NULL DEFAULT 0;",
                "ALTER TABLE ${schema}.ready ADD CONSTRAINT c CHECK (size IN (1, 2)) NOT VALID;",
                "ALTER TABLE ${schema}.ready VALIDATE CONSTRAINT c;",
                "ALTER TABLE ${schema}.ready ALTER COLUMN size DROP NOT NULL, ALTER size SET DEFAULT now();",
                "ALTER TABLE ${schema}.ready SET (autovacuum_vacuum_threshold = 1000, fillfactor = 90);",
                "DO $$ BEGIN ALTER TABLE ${schema}.ready ALTER headers SET COMPRESSION lz4; EXCEPTION WHEN feature_not_supported THEN NULL; END $$;",
                "CREATE OR REPLACE FUNCTION ${schema}.f() RETURNS void LANGUAGE sql AS $$ UPDATE ${schema}.ready SET rank = 0 $$;",
                "COMMENT ON COLUMN ${schema}.ready.id IS 'Its id.';",
                "-- contract: unused since version 8\nALTER TABLE ${schema}.ready DROP COLUMN colour;",
                "-- contract: unused since version 8\nDROP TABLE ${schema}.colour;",
            })
    void expandingIsAllowed(String statement) {
        assertThat(ScriptRules.broken(9, GIVES_WAY + statement)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE INDEX i ON ${schema}.ready (type);",
                "CREATE INDEX CONCURRENTLY i ON ${schema}.ready (type);", // the upgrade by hand is one transaction
                "ALTER TABLE ${schema}.ready ADD COLUMN colour text NOT NULL;",
                "ALTER TABLE ${schema}.ready ADD COLUMN at timestamptz DEFAULT clock_timestamp();",
                "ALTER TABLE ${schema}.ready ADD COLUMN colour text GENERATED ALWAYS AS (type) STORED;",
                "ALTER TABLE ${schema}.ready ADD COLUMN colour text CHECK (colour <> '');",
                "ALTER TABLE ${schema}.ready ADD COLUMN colour text UNIQUE;",
                "ALTER TABLE ${schema}.ready ADD COLUMN number bigserial PRIMARY KEY;",
                "ALTER TABLE ${schema}.ready ADD CONSTRAINT c CHECK (size > 0);",
                "ALTER TABLE ${schema}.ready ADD COLUMN colour text, ADD CONSTRAINT c CHECK (size > 0);",
                "ALTER TABLE ${schema}.ready ADD CONSTRAINT u UNIQUE (type);",
                "ALTER TABLE ${schema}.ready ADD FOREIGN KEY (id) REFERENCES ${schema}.payload (job_id) NOT VALID;",
                "ALTER TABLE ${schema}.ready ALTER COLUMN size SET NOT NULL;",
                "ALTER TABLE ${schema}.ready ALTER COLUMN size TYPE bigint;",
                "ALTER TABLE ${schema}.ready RENAME COLUMN size TO length;",
                "ALTER TABLE ${schema}.ready DROP COLUMN size;",
                "-- contract: unused since version 9\nALTER TABLE ${schema}.ready DROP COLUMN size;",
                "alter table ${schema}.ready set unlogged;",
                "DROP TABLE ${schema}.colour;",
                "DROP INDEX ${schema}.ready_in_order;",
                "DROP FUNCTION ${schema}.enqueue(text);",
                "LOCK TABLE ${schema}.ready;",
                "TRUNCATE ${schema}.reached;",
                "UPDATE ${schema}.ready SET colour = 'red';",
                "DELETE FROM ${schema}.dead;",
                "DO $$ BEGIN UPDATE ${schema}.ready SET colour = 'red'; END $$;",
                "DO $$ BEGIN IF true THEN ALTER TABLE ${schema}.ready ALTER size TYPE bigint; END IF; END $$;",
                "CREATE TABLE ${schema}.colour (job_id bigint REFERENCES ${schema}.dead (id));",
                "ALTER TABLE ${schema}.ready ADD COLUMN a text; ALTER TABLE ${schema}.running ADD COLUMN a text;",
                "ALTER TABLE ${schema}.ready ADD CONSTRAINT c CHECK (a > 0) NOT VALID; ALTER TABLE ${schema}.ready VALIDATE CONSTRAINT c;",
                "SET LOCAL lock_timeout = '0';",
            })
    void whatStopsClaimsOrTheReleaseBeforeIsRefused(String statement) {
        assertThat(ScriptRules.broken(9, GIVES_WAY + statement)).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SET LOCAL lock_timeout = '51ms';",
                "SET LOCAL lock_timeout = '1s';",
                "SET lock_timeout = '50ms';"
            })
    void aScriptBeginsWithAShortLockTimeout(String first) {
        assertThat(ScriptRules.broken(9, first + "CREATE TABLE ${schema}.colour (name text);"))
                .isNotEmpty();
    }
}
