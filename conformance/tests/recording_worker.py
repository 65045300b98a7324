# SPDX-License-Identifier: Apache-2.0
# A worker that is another one: runs a command and notes every line that it is sent (-> ) and answers (<- ) in a file.
# usage: recording_worker.py FILE COMMAND...
import subprocess
import sys
import threading


def pass_on(source, sink, arrow, record, lock):
    for line in iter(source.readline, b""):
        with lock:
            record.write(arrow + line)
            record.flush()
        try:
            sink.write(line)
            sink.flush()
        except BrokenPipeError:
            break
    sink.close()


def main():
    file, command = sys.argv[1], sys.argv[2:]
    lock = threading.Lock()
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with open(file, "ab") as record:
        asked = threading.Thread(target=pass_on, args=(sys.stdin.buffer, worker.stdin, b"-> ", record, lock), daemon=True)
        asked.start()
        pass_on(worker.stdout, sys.stdout.buffer, b"<- ", record, lock)
        sys.exit(worker.wait())


main()
