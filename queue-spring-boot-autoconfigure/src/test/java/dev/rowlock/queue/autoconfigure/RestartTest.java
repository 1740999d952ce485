package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Developer tools reload the application's classes and keep those of its libraries, Rowlock's among them. */
@PostgresTest
class RestartTest {

    private final TestDatabase database;

    RestartTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void afterARestartJobsRunWithTheNewClasses() throws Exception {
        Class<?> before = payloadOfARun();
        Class<?> after = payloadOfARun();

        assertThat(before.getName()).isEqualTo(after.getName());
        assertThat(after).isNotSameAs(before);
    }

    private Class<?> payloadOfARun() throws Exception {
        Class<?>[] payload = new Class<?>[1];
        try (RestartLoader loader = new RestartLoader()) {
            Class<?> application = loader.loadClass(RestartedApplication.class.getName());
            Contexts.on(database).withClassLoader(loader).withBean(application).run(context -> {
                Supplier<?> bean = (Supplier<?>) context.getBean(application);
                payload[0] = bean.get().getClass();
            });
        }
        assertThat(payload[0].getClassLoader()).isInstanceOf(RestartLoader.class);
        return payload[0];
    }

    /** Loads the application's classes itself, and all others as ever. */
    private static final class RestartLoader extends URLClassLoader {

        RestartLoader() {
            super(
                    new URL[] {
                        RestartedApplication.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                    },
                    RestartTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(RestartedApplication.class.getName())) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : findClass(name);
            }
        }
    }
}
