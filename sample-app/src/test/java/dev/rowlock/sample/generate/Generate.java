package dev.rowlock.sample.generate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Writes the catalog and the pictures into the sample's resources: run it after changing what they are made of. */
final class Generate {

    private Generate() {}

    public static void main(String[] args) throws IOException {
        Path resources = Path.of(args[0]);
        Files.writeString(resources.resolve("static/catalog.csv"), SampleCatalog.csv(), StandardCharsets.UTF_8);
        for (Map.Entry<String, byte[]> picture : SamplePictures.all().entrySet()) {
            Files.write(resources.resolve("pictures").resolve(picture.getKey()), picture.getValue());
        }
    }
}
