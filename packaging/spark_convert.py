#!/usr/bin/env python3
"""Convert recordings on a Spark cluster.

usage: spark-submit spark_convert.py [--parts N] INPUT LAKE [OPTION...]

INPUT is a folder of recordings and LAKE one for the tables. All executors see both under these names, and have pdconv.
OPTIONs are those of pdconv batch, such as --label service={dir2}. Prints what each part has converted, and what failed.
It can be started again with the same number of parts: what is done is passed over.
"""
import argparse
import subprocess

from pyspark.sql import SparkSession


def convert(command, part):
    """Convert one part of the recordings. Return what pdconv says: errors, and a summary."""
    done = subprocess.run([*command, "--shard", part], stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    # 3: recordings cannot be converted, which another attempt would not change.
    if done.returncode not in (0, 3):
        raise RuntimeError(done.stderr)
    return done.stderr.splitlines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--parts", type=int, default=100, help="number of tasks (default: 100)")
    parser.add_argument("input")
    parser.add_argument("lake")
    arguments, options = parser.parse_known_args()
    # Spark itself runs as many tasks at a time as there are cores.
    command = ["pdconv", "batch", arguments.input, "-o", arguments.lake, "--jobs", "1", *options]
    spark = SparkSession.builder.appName("pdconv batch").getOrCreate()
    parts = spark.sparkContext.parallelize([f"{i}/{arguments.parts}" for i in range(arguments.parts)], arguments.parts)
    for line in parts.flatMap(lambda part: convert(command, part)).collect():
        print(line)
    spark.stop()


if __name__ == "__main__":
    main()
