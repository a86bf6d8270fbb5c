#!/usr/bin/env python3
"""Find who ends the waits of a thread, in the report and in folded stacks.

usage: wakers.py PDCONV DIR

One thread waits for a semaphore in consume(); only another one posts it, in produce(), which sleeps in between. So each wait of
the consumer for it is ended by the producer there, and a timer ends each sleep of the producer. All runs on CPU 0: see waits.py.
"""
import json
import os
import re
import subprocess
import sys

PROGRAM = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static sem_t items;
static volatile int n;
__attribute__((noinline)) static void consume(void)
{
	sem_wait(&items);
	n++;
}
__attribute__((noinline)) static void produce(void)
{
	usleep(2000);
	sem_post(&items);
	n++;
}
static void *consumer(void *arg)
{
	pthread_setname_np(pthread_self(), "consumer");
	for (int i = 0; i < 100; i++)
		consume();
	return arg;
}
static void *producer(void *arg)
{
	pthread_setname_np(pthread_self(), "producer");
	for (int i = 0; i < 100; i++)
		produce();
	return arg;
}
int main(void)
{
	pthread_t threads[2];
	sem_init(&items, 0, 0);
	pthread_create(&threads[0], 0, consumer, 0);
	pthread_create(&threads[1], 0, producer, 0);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	return 0;
}
"""


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, errors="backslashreplace").stdout


def main():
    pdconv, work = sys.argv[1], sys.argv[2]
    os.makedirs(work, exist_ok=True)
    program, recording = os.path.join(work, "wakers"), os.path.join(work, "perf.data")
    subprocess.run(["cc", "-O1", "-g", "-pthread", "-x", "c", "-o", program, "-"], input=PROGRAM, text=True, check=True)
    subprocess.run(["perf", "record", "-q", "-a", "-m", "16M", "--call-graph", "dwarf,8192", "-e",
                    "sched:sched_switch,sched:sched_waking", "-o", recording, "taskset", "-c", "0", program], check=True)
    options = ("-q", "--comms", "consumer,producer,wakers")
    waits = json.loads(run(pdconv, "report", recording, "--json", "--limit", "1000000", *options))["waits"]
    rows = waits["wakers"]["rows"]
    ended = {}
    for row in rows:
        if row["function"]["name"] in ("consume", "produce"):
            key = row["function"]["name"], row["waker"], (row["waker_function"] or {}).get("name")
            n, ns = ended.get(key, (0, 0))
            ended[key] = n + row["waits"], ns + row["waiting"]
    by_producer = "consume", "producer", "produce"
    known = {key: value for key, value in ended.items() if key[1] != "[not recorded]"}
    by_timer = "produce", "[timer hrtimer_wakeup]", None
    assert set(known) == {by_producer, by_timer}, ended
    assert known[by_producer][0] > 50, ended
    # The same waits are in the folded stacks.
    ns = sum(int(line.rsplit(" ", 1)[1]) for line in run(pdconv, recording, "--folded", "--wakers", *options).splitlines()
             if re.search(r"^consumer;.*;consume;.*;--;.*;produce;producer;.*producer \d+$", line))
    assert ns == known[by_producer][1], (ns, known)
    # All rows are all waits, without the times in which threads could run.
    assert sum(row["waits"] for row in rows) == sum(row["waits"] for row in waits["functions"]["rows"] if row["for"] != "preempted")
    print(f"{known[by_producer][0]} waits in consume() are ended by produce(), {ended[by_timer][0]} by a timer")


main()
