package dev.rowlock.sample.generate;

import java.awt.Color;
import java.util.Locale;

/** The colours that things come in, each with the background that suits it. */
enum Paint {
    RED(0xD1495B, 0xFBE9E7),
    BLUE(0x3A6EA5, 0xE3EDF7),
    GREEN(0x5B8C5A, 0xEAF4E4),
    YELLOW(0xE9B44C, 0xFFF6DF);

    final Color color;
    final Color background;

    Paint(int color, int background) {
        this.color = new Color(color);
        this.background = new Color(background);
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
