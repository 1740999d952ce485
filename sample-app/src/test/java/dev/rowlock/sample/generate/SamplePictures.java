package dev.rowlock.sample.generate;

import java.awt.Color;
import java.awt.GradientPaint;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Ellipse2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import net.coobird.thumbnailator.Thumbnails;

/** Draws the pictures. No text in them: not every Java has fonts. */
final class SamplePictures {

    static final String TRUNCATED = "broken-clock.jpg";
    static final String NO_PICTURE = "broken-box.jpg";

    private static final int WIDTH = 640;
    private static final int HEIGHT = 480;
    private static final double QUALITY = 0.8;

    private SamplePictures() {}

    static String name(Motif motif, Paint paint) {
        return "%s-%s.jpg".formatted(motif.word(), paint.word());
    }

    /** All of them by name. */
    static Map<String, byte[]> all() throws IOException {
        Map<String, byte[]> pictures = new TreeMap<>();
        for (Motif motif : Motif.values()) {
            for (Paint paint : Paint.values()) {
                pictures.put(name(motif, paint), jpeg(motif, paint));
            }
        }
        // As an upload that broke off: too short to hold even the tables that a picture begins with.
        pictures.put(TRUNCATED, Arrays.copyOf(jpeg(Motif.CLOCK, Paint.RED), 200));
        pictures.put(NO_PICTURE, "<html>404 Not Found</html>\n".getBytes(StandardCharsets.US_ASCII));
        return pictures;
    }

    private static byte[] jpeg(Motif motif, Paint paint) throws IOException {
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        Graphics2D g = image.createGraphics();
        g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        g.setPaint(new GradientPaint(0, 0, Color.WHITE, 0, HEIGHT, paint.background));
        g.fillRect(0, 0, WIDTH, HEIGHT);
        g.setColor(new Color(0, 0, 0, 28));
        g.fill(new Ellipse2D.Double(170, 352, 300, 56));
        motif.draw(g, paint.color);
        g.dispose();
        ByteArrayOutputStream jpeg = new ByteArrayOutputStream();
        Thumbnails.of(image).scale(1).outputFormat("jpg").outputQuality(QUALITY).toOutputStream(jpeg);
        return jpeg.toByteArray();
    }
}
