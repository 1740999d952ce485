package dev.rowlock.sample.generate;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.geom.Arc2D;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.RoundRectangle2D;
import java.util.Locale;

/** What the shop sells, drawn with a few shapes around (320, 240). */
enum Motif {
    MUG {
        @Override
        void draw(Graphics2D g, Color color) {
            g.setStroke(new BasicStroke(24));
            g.setColor(color.darker());
            g.draw(new Arc2D.Double(350, 190, 110, 120, -95, 190, Arc2D.OPEN));
            g.setColor(color);
            g.fill(new RoundRectangle2D.Double(220, 150, 180, 210, 46, 46));
            g.setColor(color.darker());
            g.fill(new Ellipse2D.Double(220, 132, 180, 44));
            g.setColor(new Color(0x4A2C1A));
            g.fill(new Ellipse2D.Double(234, 140, 152, 30));
        }
    },
    LAMP {
        @Override
        void draw(Graphics2D g, Color color) {
            g.setColor(new Color(0x5B5F66));
            g.fill(new RoundRectangle2D.Double(312, 220, 16, 150, 8, 8));
            g.fill(new Ellipse2D.Double(250, 352, 140, 32));
            g.setColor(color);
            g.fill(polygon(265, 100, 375, 100, 430, 240, 210, 240));
            g.setColor(new Color(255, 244, 200, 150));
            g.fill(polygon(300, 100, 340, 100, 362, 240, 278, 240));
        }
    },
    PLANT {
        @Override
        void draw(Graphics2D g, Color color) {
            g.setColor(new Color(0x3E8E4E));
            for (int angle = -60; angle <= 60; angle += 24) {
                Graphics2D leaf = (Graphics2D) g.create();
                leaf.rotate(Math.toRadians(angle), 320, 270);
                leaf.fill(new Ellipse2D.Double(300, 96, 40, 180));
                leaf.dispose();
            }
            g.setColor(color);
            g.fill(polygon(236, 264, 404, 264, 380, 380, 260, 380));
            g.setColor(color.darker());
            g.fill(new RoundRectangle2D.Double(226, 250, 188, 34, 12, 12));
        }
    },
    BOOK {
        @Override
        void draw(Graphics2D g, Color color) {
            g.setColor(color.darker());
            g.fill(new RoundRectangle2D.Double(206, 112, 228, 272, 18, 18));
            g.setColor(new Color(0xFAF6EA));
            g.fill(new RoundRectangle2D.Double(226, 126, 204, 250, 8, 8));
            g.setColor(color);
            g.fill(new RoundRectangle2D.Double(206, 104, 214, 262, 18, 18));
            g.setColor(new Color(255, 255, 255, 190));
            g.fill(new RoundRectangle2D.Double(248, 154, 140, 18, 9, 9));
            g.fill(new RoundRectangle2D.Double(248, 188, 92, 12, 6, 6));
        }
    },
    BALL {
        @Override
        void draw(Graphics2D g, Color color) {
            g.setColor(color);
            g.fill(new Ellipse2D.Double(200, 130, 240, 240));
            g.setColor(color.darker());
            g.setStroke(new BasicStroke(12));
            g.draw(new Arc2D.Double(120, 130, 240, 240, -58, 116, Arc2D.OPEN));
            g.draw(new Arc2D.Double(280, 130, 240, 240, 122, 116, Arc2D.OPEN));
            g.setColor(new Color(255, 255, 255, 120));
            g.fill(new Ellipse2D.Double(248, 158, 64, 44));
        }
    },
    BOTTLE {
        @Override
        void draw(Graphics2D g, Color color) {
            g.setColor(color.darker());
            g.fill(new RoundRectangle2D.Double(296, 84, 48, 40, 10, 10));
            g.setColor(color);
            g.fill(polygon(298, 120, 342, 120, 344, 180, 296, 180));
            g.fill(new RoundRectangle2D.Double(258, 164, 124, 220, 56, 56));
            g.setColor(new Color(255, 255, 255, 210));
            g.fill(new RoundRectangle2D.Double(258, 236, 124, 80, 8, 8));
        }
    },
    CLOCK {
        @Override
        void draw(Graphics2D g, Color color) {
            g.setColor(color);
            g.fill(new Ellipse2D.Double(190, 110, 260, 260));
            g.setColor(new Color(0xFCFBF7));
            g.fill(new Ellipse2D.Double(214, 134, 212, 212));
            g.setColor(new Color(0x2B2F36));
            g.setStroke(new BasicStroke(12, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
            g.drawLine(320, 240, 320, 168);
            g.drawLine(320, 240, 372, 266);
            g.fill(new Ellipse2D.Double(308, 228, 24, 24));
        }
    },
    BOX {
        @Override
        void draw(Graphics2D g, Color color) {
            g.setColor(color);
            g.fill(polygon(200, 190, 320, 240, 320, 390, 200, 334));
            g.setColor(color.darker());
            g.fill(polygon(440, 190, 320, 240, 320, 390, 440, 334));
            g.setColor(color.brighter());
            g.fill(polygon(200, 190, 320, 140, 440, 190, 320, 240));
            g.setColor(new Color(255, 255, 255, 120));
            g.fill(polygon(248, 170, 272, 160, 392, 210, 368, 220));
        }
    };

    abstract void draw(Graphics2D g, Color color);

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    private static Path2D polygon(double... points) {
        Path2D path = new Path2D.Double();
        path.moveTo(points[0], points[1]);
        for (int i = 2; i < points.length; i += 2) {
            path.lineTo(points[i], points[i + 1]);
        }
        path.closePath();
        return path;
    }
}
