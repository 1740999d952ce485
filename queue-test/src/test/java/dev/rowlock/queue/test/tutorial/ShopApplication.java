package dev.rowlock.queue.test.tutorial;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The application of the tutorial. Its table is that of the page, which readers keep in {@code schema.sql}. */
@SpringBootApplication
class ShopApplication {

    private static final Pattern TABLE = Pattern.compile("```sql\n(CREATE TABLE .*?)```", Pattern.DOTALL);

    @Bean
    InitializingBean table(JdbcClient jdbc) {
        return () -> jdbc.sql(table()).update();
    }

    private static String table() throws IOException {
        return TABLE.matcher(Files.readString(Path.of("../docs/tutorial.md")))
                .results()
                .map((MatchResult found) -> found.group(1))
                .findFirst()
                .orElseThrow();
    }
}
