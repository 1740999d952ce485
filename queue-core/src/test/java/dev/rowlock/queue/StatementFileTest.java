package dev.rowlock.queue;

import static java.util.function.Predicate.not;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.rowlock.queue.StatementTexts.Text;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.operate.DoBulkBatch;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.search.TimeStep;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.namedparam.NamedParameterUtils;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The build writes all statements into {@code target/statements.sql}, by feature, each with what it does, what calls it and sample parameters. On a
 * fresh schema, {@code psql -v ON_ERROR_STOP=1 -f} runs it from top to bottom.
 */
@PostgresTest(migrated = true, freshPerTest = true)
class StatementFileTest {

    private static final Path FILE = Path.of("target", "statements.sql");

    private static final Path SCRIPTS = Path.of("src", "main", "resources", "dev", "rowlock", "queue", "schema", "v1");
    private static final Pattern CREATED_FUNCTION = Pattern.compile("CREATE FUNCTION \\$\\{schema}\\.(\\w+)\\(");
    private static final Pattern FUNCTION_CALL = Pattern.compile("\\browlock\"?\\.\"?(\\w+)\"?\\(");
    private static final Map<String, String> FUNCTIONS = functions();

    /** In the order of a job's life, then what applications set, what operators do and ask, and what nodes do beside. */
    private static final List<String> FEATURES = List.of(
            "enqueue",
            "claim",
            "run",
            "record",
            "janitor",
            "lease",
            "result",
            "gate",
            "policy",
            "schedule",
            "workflow",
            "dead",
            "joblog",
            "operate",
            "search",
            "doctor",
            "chore",
            "db");

    /** They hold prefixes, or run what others hold. */
    private static final Set<String> WITHOUT_STATEMENTS = Set.of(
            "ColdStatement",
            "UncachedPlan",
            "IndexPlan",
            "TimeLimit",
            "OwnTransactions",
            "Database",
            "CallersTransaction",
            "EndCallback");

    /** Of what one method puts together. */
    private static final int MOST_EXAMPLES = 3;

    private static final String HEAD = """
            -- All statements of Rowlock, by feature, written by the build. Run it on a fresh schema:
            --   psql -v ON_ERROR_STOP=1 -q -o /dev/null -f statements.sql
            -- Each runs in a transaction that is rolled back. Statements of rooms that may be full run with pinned plans: the settings come first.
            -- What is put together from a filter is shown by an example. A check of the doctor finds something where it brings a row.
            -- Statements tell no node that there is something to do, unless they call pg_notify: whoever runs them does, once they are committed.
            --
            -- The functions that some of them call are in queue-core/src/main/resources/dev/rowlock/queue/schema/v1: claim.sql, complete.sql, done.sql, calls.sql.
            -- A job is a row of one of the tables ready, waiting, running, done and dead, which are called rooms. A job in waiting that waits for
            -- another job ('parents', 'once-more') is due in the year 2255. What the values of a column mean says psql's \\d+. The tables:
            """;

    /** As the schema's comments say it. */
    private static final String TABLES = """
            SELECT '--   ' || c.relname || ': ' || obj_description(c.oid, 'pg_class')
              FROM pg_class c WHERE c.relnamespace = 'rowlock'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
               AND obj_description(c.oid, 'pg_class') IS NOT NULL
             ORDER BY c.relname
            """;

    private final TestDatabase database;
    private final RecordedTexts recorded = new RecordedTexts();

    StatementFileTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void theFileHasTheStatementsOfAllClassesAndRunsFromTopToBottom() throws Exception {
        List<Text> texts = texts();
        StringBuilder file = new StringBuilder(HEAD);
        JdbcClient.create(database.dataSource())
                .sql(TABLES)
                .query(String.class)
                .list()
                .forEach(table -> file.append(table).append('\n'));
        file.append('\n');
        List<String> parts = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        Set<String> unnamed;
        Set<String> owners = new HashSet<>();

        try (Connection connection = database.unpooled().getConnection()) {
            StatementFile statements = new StatementFile(connection);
            file.append(statements.first("index plan", IndexPlan.PREFIX))
                    .append(statements.first("index plan with hash joins", IndexPlan.OUTCOMES_PREFIX));
            String states = JdbcClient.create(database.dataSource())
                    .sql("SELECT col_description('rowlock.workflow_job'::regclass, 4)")
                    .query(String.class)
                    .single();
            String feature = "";
            String owner = "";
            for (Text text : texts) {
                try {
                    String entry = statements.entry(text);
                    if (entry == null) {
                        parts.add(text.name());
                        continue;
                    }
                    file.append(feature.equals(feature(text)) ? "" : heading(text));
                    file.append(owner.equals(text.owner().getName()) ? "" : whatAndWho(text));
                    file.append("\n-- %s: %s\n%s%s".formatted(text.name(), what(text), notes(text, states), entry));
                    feature = feature(text);
                    owner = text.owner().getName();
                    owners.add(text.owner().getSimpleName());
                } catch (SQLException e) {
                    failures.add(e.getMessage());
                }
            }
            unnamed = statements.unnamed();
        }
        file.append("\n-- Parts of statements, which stand in them above: ")
                .append(String.join(", ", parts))
                .append("\n");
        Files.writeString(FILE, file);

        assertThat(failures).isEmpty();
        assertThat(unnamed)
                .as("parameters without a name: put it in a comment behind them, as in ? /* name */")
                .isEmpty();
        assertThat(preparing().filter(not(WITHOUT_STATEMENTS::contains)))
                .as("classes that prepare statements")
                .isSubsetOf(owners);
        runFromTopToBottom();
    }

    /** In one session, as psql does. */
    private void runFromTopToBottom() throws Exception {
        try (Connection connection = database.unpooled().getConnection();
                Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(Files.readString(FILE));
        }
    }

    private List<Text> texts() throws Exception {
        List<Text> texts = new ArrayList<>(
                StatementTexts.of(database.dataSource(), OurCode.MAIN.stream().filter(StatementFileTest::isInternal)));
        texts.removeIf(text -> WITHOUT_STATEMENTS.contains(text.owner().getSimpleName()));
        Set<String> known = texts.stream().map(text -> positional(text.sql())).collect(Collectors.toSet());
        putTogether();
        claimJobsWithKeys();
        Map<String, Integer> examples = new HashMap<>();
        for (Text text : recorded.texts()) {
            boolean alone = known.stream()
                    .noneMatch(each -> each.contains(text.sql())
                            || isPrefix(text.sql()) && text.sql().endsWith(each));
            int example = alone ? examples.merge(text.name(), 1, Integer::sum) : 0;
            if (alone && example <= MOST_EXAMPLES && known.add(text.sql())) {
                String place = text.place() + (example == 1 ? "" : " " + example);
                texts.add(new Text(
                        text.owner(),
                        place,
                        text.sql(),
                        StatementComments.of(text.owner()).of(text.place())));
            }
        }
        texts.sort(Comparator.comparingInt(StatementFileTest::place)
                .thenComparing(text -> text.owner().getName()));
        return texts;
    }

    /** Statements that no field holds, as examples. */
    private void putTogether() {
        Rooms rooms = Rooms.emptyIn(database);
        Database through = new Database(recorded.of(database.dataSource()), new Schema("rowlock"));
        JobSearch search = FrontDoors.search(through);
        JobFilter filter = JobFilter.where().queue(Rooms.QUEUE).type("send").header("tenant", "seven");
        search.find(filter, Page.first(10).withPayloads());
        search.count(filter, 10);
        search.deadByError(JobFilter.all(), GroupPage.first(10));
        search.retryingByError(JobFilter.all(), 10);
        JobFilter ended =
                JobFilter.where().ended(Instant.parse("2026-01-01T00:00:00Z"), Instant.parse("2026-01-03T00:00:00Z"));
        search.ended(ended, TimeStep.DAY);
        search.endedByQueue(ended, TimeStep.DAY);

        JobAdmin admin = FrontDoors.admin(through, Wakeups.NONE);
        admin.bringForward(JobFilter.where().queue(Rooms.QUEUE), Duration.ofHours(1));
        rooms.waiting(Due.after(Duration.ofHours(1)));
        rooms.dead();
        DoBulkBatch batch = new DoBulkBatch(through);
        admin.cancel(JobFilter.where().queue(Rooms.QUEUE));
        batch.run();
        admin.discard(JobFilter.where().queue(Rooms.QUEUE).states(JobState.DEAD));
        batch.run();
        rooms.dead();
        admin.redrive(JobFilter.where().queue(Rooms.QUEUE));
        batch.run();
        Rooms.emptyIn(database);
    }

    /** The statements of a claim of jobs with keys are put together as well. */
    private void claimJobsWithKeys() throws Exception {
        RecordedTexts all = new RecordedTexts();
        try (Rowlocks rowlocks = new Rowlocks()) {
            Rowlock rowlock = rowlocks.started(AllKinds.handled(Rowlocks.quick(all.of(database.dataSource()))));
            AllKinds.enqueue(rowlock);
            AllKinds.awaitEnd(JdbcClient.create(database.dataSource()));
        }
        all.texts().stream()
                .filter(text -> text.owner() == ClaimKeyedJobs.class)
                .findFirst()
                .ifPresent(recorded::add);
        Rooms.emptyIn(database);
    }

    private static boolean isInternal(JavaClass aClass) {
        return aClass.getPackageName().startsWith(OurCode.BASE + ".internal");
    }

    private static boolean isPrefix(String sql) {
        return sql.startsWith("SELECT set_config(");
    }

    /** As a connection gets it. */
    private static String positional(String sql) {
        return NamedParameterUtils.substituteNamedParameters(NamedParameterUtils.parseSqlStatement(sql), null);
    }

    private static Stream<String> preparing() {
        return OurCode.MAIN.stream()
                .filter(StatementFileTest::isInternal)
                .filter(aClass -> aClass.getMethodCallsFromSelf().stream()
                        .anyMatch(call -> Set.of("prepareStatement", "prepare").contains(call.getName())
                                || call.getTargetOwner().getSimpleName().equals("ColdStatement")
                                        && call.getName().equals("on")
                                || call.getTargetOwner().getSimpleName().equals("IndexPlan")
                                        && call.getName().equals("list")))
                .map(aClass -> StatementTexts.outermost(aClass.reflect()).getSimpleName())
                .distinct();
    }

    private static int place(Text text) {
        assertThat(FEATURES).contains(feature(text));
        return FEATURES.indexOf(feature(text));
    }

    private static String feature(Text text) {
        String name = text.owner().getPackageName();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static String heading(Text text) {
        String line = "-- " + "=".repeat(77);
        return "\n\n%s\n-- %s: %s\n%s\n"
                .formatted(
                        line, feature(text), StatementComments.of(text.owner().getPackage()), line);
    }

    private static String whatAndWho(Text text) {
        String callers = OurCode.MAIN.get(text.owner()).getDirectDependenciesToSelf().stream()
                .map(dependency ->
                        StatementTexts.outermost(dependency.getOriginClass().reflect()))
                .filter(caller -> caller != text.owner())
                .map(Class::getSimpleName)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return "\n\n-- %s, called by %s\n-- %s\n"
                .formatted(
                        text.owner().getSimpleName(),
                        callers,
                        StatementComments.of(text.owner()).ofClass());
    }

    /** What the numbers mean that it writes, and where the functions stand that it calls. */
    private static String notes(Text text, String states) {
        String numbers = text.sql().contains("workflow_job") ? "--   states of workflow_job: " + states + "\n" : "";
        return numbers
                + FUNCTION_CALL
                        .matcher(text.sql())
                        .results()
                        .map(call -> call.group(1))
                        .distinct()
                        .filter(FUNCTIONS::containsKey)
                        .map(name -> "--   body of %s: schema/v1/%s\n".formatted(name, FUNCTIONS.get(name)))
                        .collect(Collectors.joining());
    }

    /** The scripts that make them, by name. */
    private static Map<String, String> functions() {
        Map<String, String> byName = new HashMap<>();
        try (Stream<Path> scripts = Files.list(SCRIPTS)) {
            for (Path script : scripts.toList()) {
                CREATED_FUNCTION
                        .matcher(Files.readString(script))
                        .results()
                        .forEach(function -> byName.put(
                                function.group(1), script.getFileName().toString()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return byName;
    }

    private static String what(Text text) {
        if (text.sql().startsWith("-- ")) {
            return text.sql().lines().findFirst().orElseThrow().substring("-- ".length());
        }
        if (!text.comment().isEmpty()) {
            return text.comment();
        }
        StatementComments comments = StatementComments.of(text.owner());
        String own = comments.of(text.place());
        return own.isEmpty() ? comments.ofClass() : own;
    }
}
