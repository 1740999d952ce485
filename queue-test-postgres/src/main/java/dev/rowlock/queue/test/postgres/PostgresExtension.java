package dev.rowlock.queue.test.postgres;

import java.util.function.Predicate;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the databases of {@link PostgresTest} and hands them out. JUnit closes what its stores hold. */
final class PostgresExtension implements BeforeAllCallback, ParameterResolver {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresExtension.class);
    private static final Namespace NAMESPACE = Namespace.create(PostgresExtension.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        LOG.info("{} on {}, {}", context.getDisplayName(), DrawnServer.ofThisJvm(), TestSeed.option());
        if (!freshPerTest(context)) {
            // Here, in the outermost class, so that nested classes find this one rather than make their own.
            database(context);
        }
    }

    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext rootContext) {
        // A constructor's parameter belongs to the test that the instance is made for.
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == TestDatabase.class || type == DataSource.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (freshPerTest(context) && context.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException(
                    "%s: with freshPerTest there is a database for each test and none for the whole class"
                            .formatted(parameter.getDeclaringExecutable()));
        }
        TestDatabase database = database(context);
        return parameter.getParameter().getType() == TestDatabase.class ? database : database.dataSource();
    }

    private static TestDatabase database(ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .computeIfAbsent(TestDatabase.class, key -> newDatabase(context), TestDatabase.class);
    }

    private static TestDatabase newDatabase(ExtensionContext context) {
        TestDatabase database =
                is(context, PostgresTest::migrated) ? TestPostgres.newMigratedDatabase() : TestPostgres.newDatabase();
        return is(context, PostgresTest::superuser) ? database.asSuperuser() : database;
    }

    private static boolean freshPerTest(ExtensionContext context) {
        return is(context, PostgresTest::freshPerTest);
    }

    private static boolean is(ExtensionContext context, Predicate<PostgresTest> asked) {
        return AnnotationSupport.findAnnotation(
                        context.getRequiredTestClass(), PostgresTest.class, context.getEnclosingTestClasses())
                .filter(asked)
                .isPresent();
    }
}
