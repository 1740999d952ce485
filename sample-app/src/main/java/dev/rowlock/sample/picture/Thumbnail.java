package dev.rowlock.sample.picture;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import net.coobird.thumbnailator.Thumbnails;

/**
 * A picture made small enough for a page.
 *
 * @param edge the length in pixels that its longer side may have
 */
public record Thumbnail(int edge, byte[] jpeg) {

    /** The sizes that the shop uses. */
    public static final List<Integer> EDGES = List.of(320, 160, 80);

    private static final double QUALITY = 0.85;

    /**
     * One thumbnail for each of the {@link #EDGES}.
     *
     * @throws BrokenPictureException if these bytes are no picture
     */
    public static List<Thumbnail> of(byte[] picture) {
        try {
            BufferedImage image = ImageIO.read(new ByteArrayInputStream(picture));
            if (image == null) {
                throw new IOException("unknown format");
            }
            List<Thumbnail> thumbnails = new ArrayList<>();
            for (int edge : EDGES) {
                thumbnails.add(shrink(image, edge));
            }
            return thumbnails;
        } catch (IOException e) {
            throw new BrokenPictureException(
                    "these %d bytes are no picture: %s".formatted(picture.length, e.getMessage()), e);
        }
    }

    private static Thumbnail shrink(BufferedImage image, int edge) throws IOException {
        ByteArrayOutputStream jpeg = new ByteArrayOutputStream();
        Thumbnails.of(image)
                .size(edge, edge)
                .outputFormat("jpg")
                .outputQuality(QUALITY)
                .toOutputStream(jpeg);
        return new Thumbnail(edge, jpeg.toByteArray());
    }
}
