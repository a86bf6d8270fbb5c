// Print where the data pages of each column are, from the index of pages: [[[offset, size], ...], ...], of the first row group.
//
// usage: node locations.mjs FILE

import { asyncBufferFromFile, parquetMetadataAsync } from "hyparquet";
import { readOffsetIndex } from "hyparquet/src/indexes.js";

const file = await asyncBufferFromFile(process.argv[2]);
const metadata = await parquetMetadataAsync(file);
const columns = [];
for (const { offset_index_offset, offset_index_length } of metadata.row_groups[0].columns) {
  const begin = Number(offset_index_offset);
  const bytes = await file.slice(begin, begin + offset_index_length);
  const { page_locations } = readOffsetIndex({ view: new DataView(bytes), offset: 0 });
  columns.push(page_locations.map(({ offset, compressed_page_size }) => [Number(offset), compressed_page_size]));
}
console.log(JSON.stringify(columns));
