package dev.rowlock.queue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.payload.PayloadConverter;
import dev.rowlock.queue.schedule.Recurring;
import dev.rowlock.queue.spi.EncryptionKeys;
import dev.rowlock.queue.spi.ErrorRedactor;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.NodeStatus;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.CustomScopeConfigurer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.javapoet.ClassName;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.node.ObjectNode;

/** A context without Spring Boot: one annotation, and jobs run. The page shows the text between the marks letter by letter. */
@PostgresTest(freshPerTest = true)
class EnableRowlockTest {

    private static final Path PAGE = Path.of("..", "docs", "without-spring-boot.md");
    private static final Path HERE = Path.of("src/test/java/dev/rowlock/queue/spring/EnableRowlockTest.java");

    private static final Queue<String> SENT = new ConcurrentLinkedQueue<>();

    record Sweep() {}

    // page: begin
    record SendMail(String to) {}

    @Configuration
    @EnableRowlock
    @EnableTransactionManagement
    static class Shop {

        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Orders orders(JobOperations jobs) {
            return new Orders(jobs);
        }

        @Bean
        Mailer mailer() {
            return new Mailer();
        }

        @Bean
        RowlockBuilderCustomizer settings() {
            return rowlock -> rowlock.defaultQueue("shop")
                    .retry(RetryPolicy.fixed(Duration.ofMillis(50)).maxRetries(1));
        }
    }

    static class Orders {

        private final JobOperations jobs;

        Orders(JobOperations jobs) {
            this.jobs = jobs;
        }

        @Transactional
        long place(String mail) {
            return jobs.enqueue(new SendMail(mail));
        }
    }

    static class Mailer {

        @JobListener(transactional = true)
        void send(SendMail mail) {
            SENT.add(mail.to());
        }
    }
    // page: end

    private final TestDatabase database;

    EnableRowlockTest(TestDatabase database) {
        this.database = database;
        SENT.clear();
    }

    private AnnotationConfigApplicationContext context(Class<?>... configurations) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean(
                "dataSource", DataSource.class, database::dataSource, bean -> bean.setDestroyMethodName(""));
        context.register(configurations);
        context.refresh();
        return context;
    }

    private static JobState stateOf(AnnotationConfigApplicationContext context, long job) {
        return context.getBean(JobSearch.class).find(job).orElseThrow().state();
    }

    @Test
    void jobsAreEnqueuedInTransactionsAndRunByListenersForAsLongAsTheContextRuns() {
        Rowlock rowlock;
        try (AnnotationConfigApplicationContext context = context(Shop.class)) {
            rowlock = context.getBean(Rowlock.class);
            Orders orders = context.getBean(Orders.class);

            new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(rolledBack -> {
                        orders.place("nobody@example.com");
                        rolledBack.setRollbackOnly();
                    });
            long mail = orders.place("ada@example.com");

            Awaitility.await().until(() -> stateOf(context, mail) == JobState.COMPLETED);
            assertThat(SENT).containsExactly("ada@example.com");
            assertThat(rowlock.search().find(mail).orElseThrow().queue()).isEqualTo("shop");
            assertThat(context.getBean(JobOperations.class)).isSameAs(context.getBean(JobTemplate.class));
        }

        assertThat(rowlock.status().state()).isEqualTo(NodeStatus.State.STOPPED);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRowlock
    static class Extended {

        @JobListener(queue = "mail")
        void send(SendMail mail) {
            throw new IllegalStateException("no mail for " + mail.to());
        }

        @Recurring(every = "1s")
        @JobListener
        void sweep(Sweep sweep) {
            SENT.add("swept");
        }

        @Bean
        ErrorRedactor redactor() {
            return ErrorRedactor.replacing(Pattern.compile("ada"), "…");
        }

        @Bean
        PayloadConverter converter() {
            return PayloadConverter.of(SendMail.class, json -> {
                ((ObjectNode) json).put("to", json.get("to").asString() + " converted");
                return json;
            });
        }

        @Bean
        EncryptionKeys keys() {
            return EncryptionKeys.of("k1", Map.of("k1", new byte[32]));
        }

        @Bean
        RowlockBuilderCustomizer quickly() {
            return rowlock ->
                    rowlock.retry(RetryPolicy.fixed(Duration.ofMillis(20)).maxRetries(1));
        }
    }

    @Test
    void beansTakePartByTheirTypesAndTheDefaultsOfListenersComeFromTheCustomizer() {
        try (AnnotationConfigApplicationContext context = context(Extended.class)) {
            long mail = context.getBean(JobOperations.class).enqueue(new SendMail("ada"));
            JobSearch search = context.getBean(JobSearch.class);

            Awaitility.await().until(() -> search.find(mail).orElseThrow().endedAt() != null);

            assertThat(search.find(mail).orElseThrow().errors())
                    .hasSize(2)
                    .extracting(FailedAttempt::message)
                    .containsOnly("no mail for … converted");
            assertThat(JdbcClient.create(database.dataSource())
                            .sql("SELECT payload ->> '$enc' FROM rowlock.job_details WHERE id = ?")
                            .param(mail)
                            .query(String.class)
                            .single())
                    .isEqualTo("k1");
            Awaitility.await().until(() -> SENT.contains("swept"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRowlock(dataSource = "dataSource", transactionManager = "ours")
    static class Several extends Empty {

        @Bean
        PlatformTransactionManager ours(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        PlatformTransactionManager theirs(DataSource another) {
            return new JdbcTransactionManager(another);
        }

        @JobListener(transactional = true)
        void send(SendMail mail) {
            SENT.add(mail.to());
        }
    }

    static class Empty {

        @Bean(autowireCandidate = true, destroyMethod = "")
        DataSource another() {
            return new PGSimpleDataSource();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRowlock
    static class Undecided extends Empty {}

    @Test
    void theAnnotationNamesBeansWhereThereAreSeveral() {
        try (AnnotationConfigApplicationContext context = context(Several.class)) {
            long mail = context.getBean(JobOperations.class).enqueue(new SendMail("bob"));

            Awaitility.await().until(() -> stateOf(context, mail) == JobState.COMPLETED);
        }
        assertThatThrownBy(() -> context(Undecided.class))
                .hasRootCauseInstanceOf(NoUniqueBeanDefinitionException.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRowlock
    static class Wrapped extends Interceptors {

        @JobListener
        void send(SendMail mail) {
            SENT.add(mail.to());
        }
    }

    static class Interceptors {

        @Bean
        static CustomScopeConfigurer threadScope() {
            CustomScopeConfigurer scopes = new CustomScopeConfigurer();
            scopes.addScope("thread", new SimpleThreadScope());
            return scopes;
        }

        @Bean
        @Scope(scopeName = "thread", proxyMode = ScopedProxyMode.INTERFACES)
        JobInterceptor scoped() {
            return noted("scoped");
        }

        @Bean(autowireCandidate = false)
        JobInterceptor noCandidate() {
            return noted("no candidate");
        }

        @Bean(defaultCandidate = false)
        JobInterceptor onlyWithAQualifier() {
            return noted("only with a qualifier");
        }

        private static JobInterceptor noted(String name) {
            return (job, next) -> {
                SENT.add(name);
                return next.proceed();
            };
        }
    }

    @Test
    void beansTakePartAsIfTheyWereInjected() {
        try (AnnotationConfigApplicationContext context = context(Wrapped.class)) {
            long mail = context.getBean(JobOperations.class).enqueue(new SendMail("ada"));

            Awaitility.await().until(() -> stateOf(context, mail) == JobState.COMPLETED);

            assertThat(SENT).containsExactly("scoped", "ada");
        }
    }

    @Test
    void whatTakesPartIsMadeByGeneratedCodeInANativeImage() throws IOException {
        InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
        DefaultGenerationContext generation =
                new DefaultGenerationContext(new ClassNameGenerator(ClassName.get(EnableRowlockTest.class)), files);
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(Alone.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        generation.writeGeneratedContent();

        assertThat(files.getGeneratedFileContent(
                        GeneratedFiles.Kind.SOURCE, "dev/rowlock/queue/spring/ContextBeans__BeanDefinitions.java"))
                .contains("new ContextBeans(");
    }

    @Configuration(proxyBeanMethods = false)
    static class Parent {

        @Bean
        NotedTransactions inherited(DataSource dataSource) {
            return new NotedTransactions(dataSource);
        }
    }

    static class NotedTransactions extends JdbcTransactionManager {

        private static final long serialVersionUID = 1L;

        NotedTransactions(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            super.doBegin(transaction, definition);
            SENT.add("began");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRowlock
    static class Child extends InTransactions {}

    @Configuration(proxyBeanMethods = false)
    @EnableRowlock(transactionManager = "inherited")
    static class ChildThatNames extends InTransactions {}

    @Configuration(proxyBeanMethods = false)
    @EnableRowlock(transactionManager = "nobody")
    static class ChildThatNamesNobody extends InTransactions {}

    static class InTransactions {

        @JobListener(transactional = true)
        void send(SendMail mail) {
            SENT.add(mail.to());
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Child.class, ChildThatNames.class})
    void theTransactionManagerMayBeOneOfTheParentContext(Class<?> child) {
        try (AnnotationConfigApplicationContext parent = context(Parent.class);
                AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.setParent(parent);
            context.register(child);
            context.refresh();
            long mail = context.getBean(JobOperations.class).enqueue(new SendMail("ada"));

            Awaitility.await().until(() -> stateOf(context, mail) == JobState.COMPLETED);

            assertThat(SENT).containsExactly("began", "began", "ada"); // the start has tried them
        }
    }

    @Test
    void aTransactionManagerThatDoesNotExistIsNotIgnored() {
        assertThatThrownBy(() -> context(ChildThatNamesNobody.class))
                .hasRootCauseInstanceOf(NoSuchBeanDefinitionException.class)
                .hasStackTraceContaining("@EnableRowlock names it as its transactionManager");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRowlock
    static class Entangled extends InTransactions {

        @Bean
        NotedTransactions whoseListenersEnqueue(DataSource dataSource, JobOperations jobs) {
            jobs.enqueue(new SendMail("from the manager"));
            return new NotedTransactions(dataSource);
        }
    }

    @Test
    void whatATransactionManagerIsMadeOfMayEnqueueJobs() {
        try (AnnotationConfigApplicationContext context = context(Entangled.class)) {
            Awaitility.await().until(() -> SENT.contains("from the manager"));

            assertThat(context.isActive()).isTrue();
            assertThat(SENT).containsExactly("began", "began", "from the manager");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRowlock
    static class Strict {

        private final DataSource dataSource;

        Strict(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        @JobListener(transactional = true, isolation = Isolation.SERIALIZABLE)
        void send(SendMail mail) {
            SENT.add(JdbcClient.create(dataSource)
                    .sql("SELECT current_setting('transaction_isolation')")
                    .query(String.class)
                    .single());
        }
    }

    @Test
    void aListenerNamesItsIsolationLevelWithoutAnyTransactionManager() {
        try (AnnotationConfigApplicationContext context = context(Strict.class)) {
            long mail = context.getBean(JobOperations.class).enqueue(new SendMail("ada"));

            Awaitility.await().until(() -> stateOf(context, mail) == JobState.COMPLETED);

            assertThat(SENT).containsExactly("serializable");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRowlock
    static class Encoded extends InTransactions {

        @Bean
        RowlockBuilderCustomizer backwards() {
            return rowlock -> rowlock.codec(new Backwards());
        }
    }

    /** No other codec makes the same value of its JSON. */
    private static final class Backwards implements PayloadCodec {

        @Override
        public String encode(Object value) {
            return "{\"backwards\": \"%s\"}".formatted(new StringBuilder(((SendMail) value).to()).reverse());
        }

        @Override
        public Object decode(String json, Type type) {
            String backwards = json.replaceAll(".*: *\"(.*)\".*", "$1");
            return new SendMail(new StringBuilder(backwards).reverse().toString());
        }
    }

    @Test
    void listenersReadByTheCodecThatACustomizerSets() {
        try (AnnotationConfigApplicationContext context = context(Encoded.class)) {
            long mail = context.getBean(JobOperations.class).enqueue(new SendMail("ada"));

            Awaitility.await().until(() -> stateOf(context, mail) == JobState.COMPLETED);

            assertThat(SENT).containsExactly("ada");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRowlock
    static class Alone {}

    @Test
    void withoutADataSourceTheStartSaysSo() {
        assertThatThrownBy(() -> new AnnotationConfigApplicationContext(Alone.class))
                .hasRootCauseInstanceOf(NoSuchBeanDefinitionException.class)
                .hasStackTraceContaining("javax.sql.DataSource");
    }

    @Test
    void thePageShowsThisCode() throws IOException {
        String source = Files.readString(HERE);
        String shown = source.substring(
                source.indexOf("    // page: begin\n") + "    // page: begin\n".length(),
                source.indexOf("    // page: end\n"));

        assertThat(Files.readString(PAGE)).contains(shown.stripTrailing().stripIndent());
    }
}
