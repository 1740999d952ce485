package com.example.notes;

import dev.rowlock.queue.JobListener;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.springframework.stereotype.Component;

@Component
class Notes {

    final BlockingQueue<String> written = new LinkedBlockingQueue<>();

    @JobListener(queue = "notes", transactional = true)
    void write(Note note) {
        written.add(note.text());
    }
}
