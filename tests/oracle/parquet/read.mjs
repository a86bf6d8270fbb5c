// Print the rows of Parquet files as tests/oracle/parquet_table.c takes them, without the line of the columns.
//
// usage: node read.mjs <NAMES, lines of "FILE TEXT" or "FILE TEXT COLUMN LEAST MOST", for rows with numbers of a range

import { createWriteStream, readFileSync } from "node:fs";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";

const as_is = (value) => value;
const hex = (bytes) => Buffer.from(bytes).toString("hex");

function field(value, type) {
  if (value === null || value === undefined) {
    return "-";
  }
  if (type === "DOUBLE") {
    const bits = Buffer.alloc(8);
    bits.writeDoubleBE(value);
    return Number.isNaN(value) ? "nan" : hex(bits);
  }
  switch (typeof value) {
    case "boolean":
      return value ? "1" : "0";
    case "string":
      return hex(value);
    case "object":
      return hex(value);
    default:
      return value.toString();
  }
}

async function read(path, text, column, least, most) {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const columns = metadata.schema.slice(1);
  const out = createWriteStream(text);
  const filter = column && { [column]: { $gte: BigInt(least), $lte: BigInt(most) } };
  const parsers = { timestampFromNanoseconds: as_is };
  const options = { file, metadata, compressors, parsers, utf8: false, filter, usePageIndex: Boolean(filter) };
  for (const row of await parquetReadObjects(options)) {
    out.write(columns.map(({ name, type }) => field(row[name], type)).join("\t") + "\n");
  }
  await new Promise((resolve) => out.end(resolve));
}

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  await read(...line.split(" "));
}
